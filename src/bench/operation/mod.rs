//! What is computed: kind, shape, element types and what is fused behind.

mod check;
mod operands;
mod tensor;
#[cfg(test)]
mod tests;

pub use tensor::{Layout, Tensor};

use super::{BenchError, Types};

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Matmul,
    BatchMatmul,
    MatmulSplitk,
    Conv2d,
}

/// The extents of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    Matmul { m: u64, n: u64, k: u64 },
    BatchMatmul { batch: u64, m: u64, n: u64, k: u64 },
    MatmulSplitk { m: u64, n: u64, k: u64, slices: u64 },
    Conv2d(Convolution),
}

/// The extents of a convolution of an NHWC image with HWCF filters, without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    pub batch: u64,
    /// Height and width of the input, padding included.
    pub height: u64,
    pub width: u64,
    pub channels: u64,
    pub filters: u64,
    pub filter_height: u64,
    pub filter_width: u64,
    pub stride: u64,
}

/// What is done with the sums before they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Epilogue {
    None,
    /// Adds a value a column, and then takes the larger of that and zero.
    BiasRelu,
    /// Adds a tensor of the result's shape.
    ElementwiseAdd,
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    pub shape: Shape,
    pub types: Types,
    pub epilogue: Epilogue,
}

impl Kind {
    /// All, in the order in which they are generated.
    pub const ALL: [Self; 4] = [Self::Matmul, Self::BatchMatmul, Self::MatmulSplitk, Self::Conv2d];

    /// As users write it, and names begin.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matmul => "matmul",
            Self::BatchMatmul => "batch_matmul",
            Self::MatmulSplitk => "matmul_splitk",
            Self::Conv2d => "conv2d",
        }
    }

    /// As reports show it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Matmul => "OperationKind.Matmul",
            Self::BatchMatmul => "OperationKind.BatchMatmul",
            Self::MatmulSplitk => "OperationKind.SplitkMatmul",
            Self::Conv2d => "OperationKind.Conv2d",
        }
    }

    /// The kind of a name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        Self::ALL.into_iter().find(|kind| kind.name() == given).ok_or_else(|| BenchError::Unknown {
            what: "operation kind",
            given: given.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

impl Epilogue {
    /// All, in the order in which they are generated.
    pub const ALL: [Self; 3] = [Self::None, Self::BiasRelu, Self::ElementwiseAdd];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::BiasRelu => "bias_relu",
            Self::ElementwiseAdd => "elementwise_add",
        }
    }

    /// The epilogue of a name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        Self::ALL.into_iter().find(|epilogue| epilogue.name() == given).ok_or_else(|| {
            BenchError::Unknown {
                what: "epilogue",
                given: given.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

impl Convolution {
    /// Height of the result.
    pub const fn output_height(&self) -> u64 {
        outputs(self.height, self.filter_height, self.stride)
    }

    /// Width of the result.
    pub const fn output_width(&self) -> u64 {
        outputs(self.width, self.filter_width, self.stride)
    }
}

/// How often a filter fits, 0 if it does not.
const fn outputs(extent: u64, filter: u64, stride: u64) -> u64 {
    match extent.checked_sub(filter) {
        Some(rest) if stride > 0 => rest / stride + 1,
        _ => 0,
    }
}

impl Operation {
    /// What kind it is of.
    pub const fn kind(&self) -> Kind {
        match self.shape {
            Shape::Matmul { .. } => Kind::Matmul,
            Shape::BatchMatmul { .. } => Kind::BatchMatmul,
            Shape::MatmulSplitk { .. } => Kind::MatmulSplitk,
            Shape::Conv2d(_) => Kind::Conv2d,
        }
    }

    /// The matrix product that it is, as batch, m, n and k: a convolution counts as the product of its patches and filters.
    pub const fn product(&self) -> [u64; 4] {
        match self.shape {
            Shape::Matmul { m, n, k } | Shape::MatmulSplitk { m, n, k, .. } => [1, m, n, k],
            Shape::BatchMatmul { batch, m, n, k } => [batch, m, n, k],
            Shape::Conv2d(it) => [
                1,
                it.batch * it.output_height() * it.output_width(),
                it.filters,
                it.filter_height * it.filter_width * it.channels,
            ],
        }
    }

    /// Its name, which no other operation has; files and folders are named by it.
    pub fn name(&self) -> String {
        let fused = match self.epilogue {
            Epilogue::None => String::new(),
            other => format!("_{}", other.name()),
        };
        let slices = match self.shape {
            Shape::MatmulSplitk { slices, .. } => format!("_split_k_slice_{slices}"),
            _ => String::new(),
        };
        let operands = [self.lhs(), self.rhs(), self.result()];
        let operands: Vec<String> = operands.iter().map(Tensor::name).collect();
        format!("{}{fused}_{}_{}{slices}", self.kind().name(), self.extents(), operands.join("_"))
    }

    fn extents(&self) -> String {
        match self.shape {
            Shape::Matmul { m, n, k } | Shape::MatmulSplitk { m, n, k, .. } => {
                format!("{m}x{n}x{k}")
            }
            Shape::BatchMatmul { batch, m, n, k } => format!("{batch}x{m}x{n}x{k}"),
            Shape::Conv2d(it) => format!(
                "{}x{}x{}x{}_{}x{}x{}_s{}",
                it.batch,
                it.height,
                it.width,
                it.channels,
                it.filter_height,
                it.filter_width,
                it.filters,
                it.stride
            ),
        }
    }

    /// What it is of, in the order in which reports show it.
    pub fn arguments(&self) -> Vec<(&'static str, String)> {
        let [batch, m, n, k] = self.product();
        let (mode, slices) = match self.shape {
            Shape::MatmulSplitk { slices, .. } => ("parallel", slices.to_string()),
            _ => ("N/A", "N/A".to_owned()),
        };
        let mut arguments = vec![
            ("batch_count", batch.to_string()),
            ("m", m.to_string()),
            ("n", n.to_string()),
            ("k", k.to_string()),
            ("lhs", self.lhs().name()),
            ("rhs", self.rhs().name()),
            ("result", self.result().name()),
            ("split_k_mode", mode.to_owned()),
            ("split_k_slices", slices),
        ];
        if let Shape::Conv2d(it) = self.shape {
            arguments.extend(it.arguments());
        }
        if self.epilogue != Epilogue::None {
            arguments.push(("epilogue", self.epilogue.name().to_owned()));
        }
        arguments
    }

    /// Floating point (or integer) operations of one run: two for each product that is summed, one for each result of
    /// each step of the epilogue.
    pub fn flops(&self) -> u64 {
        let [batch, m, n, k] = self.product();
        let steps = match self.epilogue {
            Epilogue::None => 0,
            Epilogue::ElementwiseAdd => 1,
            Epilogue::BiasRelu => 2,
        };
        batch * m * n * (2 * k + steps)
    }

    /// Bytes of its operands and its result, each counted once.
    pub fn bytes(&self) -> u64 {
        self.inputs().iter().chain([&self.result()]).map(Tensor::bytes).sum()
    }
}

impl Convolution {
    fn arguments(&self) -> [(&'static str, String); 8] {
        [
            ("conv_n", self.batch.to_string()),
            ("conv_h", self.height.to_string()),
            ("conv_w", self.width.to_string()),
            ("conv_c", self.channels.to_string()),
            ("conv_f", self.filters.to_string()),
            ("filter_h", self.filter_height.to_string()),
            ("filter_w", self.filter_width.to_string()),
            ("stride", self.stride.to_string()),
        ]
    }
}
