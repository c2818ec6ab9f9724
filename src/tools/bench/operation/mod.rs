//! Operations: kind, shape, element types and fused epilogue.

mod check;
mod operands;
mod tensor;
#[cfg(test)]
mod tests;

pub use tensor::{Layout, Tensor};

use crate::bench::element::Types;
use crate::bench::error::{BenchError, named};

/// The kind of an operation.
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

/// The extents of a convolution of NHWC images with HWCF filters, without padding. In a request, each extent is a list
/// of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Convolution<T = u64> {
    pub batch: T,
    /// Height of the input, padding included.
    pub height: T,
    /// Width of the input, padding included.
    pub width: T,
    pub channels: T,
    pub filters: T,
    pub(crate) filter_height: T,
    pub(crate) filter_width: T,
    pub stride: T,
}

/// The names of the extents of a convolution, in the order of the fields.
const EXTENTS: [&str; 8] =
    ["conv_n", "conv_h", "conv_w", "conv_c", "conv_f", "filter_h", "filter_w", "stride"];

/// Elementwise operations that are fused behind the reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Epilogue {
    None,
    /// Adds one value per column, then takes the maximum of the sum and zero.
    BiasRelu,
    /// Adds a tensor of the shape of the result.
    ElementwiseAdd,
}

/// A computation, independent of how it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    pub shape: Shape,
    pub types: Types,
    pub epilogue: Epilogue,
}

impl Kind {
    /// All kinds, in the order of generation.
    pub const ALL: [Self; 4] = [Self::Matmul, Self::BatchMatmul, Self::MatmulSplitk, Self::Conv2d];

    /// Returns the name in flags, which is also the prefix of the names of operations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matmul => "matmul",
            Self::BatchMatmul => "batch_matmul",
            Self::MatmulSplitk => "matmul_splitk",
            Self::Conv2d => "conv2d",
        }
    }

    /// Returns the name in printed results.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Matmul => "OperationKind.Matmul",
            Self::BatchMatmul => "OperationKind.BatchMatmul",
            Self::MatmulSplitk => "OperationKind.SplitkMatmul",
            Self::Conv2d => "OperationKind.Conv2d",
        }
    }

    /// Finds a kind by its name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        named("operation kind", &Self::ALL, Self::name, given)
    }
}

impl Epilogue {
    /// All epilogues, in the order of generation.
    pub const ALL: [Self; 3] = [Self::None, Self::BiasRelu, Self::ElementwiseAdd];

    /// Returns the name in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::BiasRelu => "bias_relu",
            Self::ElementwiseAdd => "elementwise_add",
        }
    }

    /// Finds an epilogue by its name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        named("epilogue", &Self::ALL, Self::name, given)
    }
}

impl<T> Convolution<T> {
    /// Creates a convolution from its extents, in the order of the fields.
    pub fn of(all: [T; 8]) -> Self {
        let [batch, height, width, channels, filters, filter_height, filter_width, stride] = all;
        Self { batch, height, width, channels, filters, filter_height, filter_width, stride }
    }

    /// Returns the extents, in the order of the fields.
    pub const fn extents(&self) -> [&T; 8] {
        [
            &self.batch,
            &self.height,
            &self.width,
            &self.channels,
            &self.filters,
            &self.filter_height,
            &self.filter_width,
            &self.stride,
        ]
    }
}

impl Convolution {
    /// Returns the height of the result.
    pub(crate) const fn output_height(&self) -> u64 {
        outputs(self.height, self.filter_height, self.stride)
    }

    /// Returns the width of the result.
    pub(crate) const fn output_width(&self) -> u64 {
        outputs(self.width, self.filter_width, self.stride)
    }
}

/// Returns the number of positions of a filter; 0 if the filter is larger than the image or the stride is 0.
const fn outputs(extent: u64, filter: u64, stride: u64) -> u64 {
    match extent.checked_sub(filter) {
        Some(rest) if stride > 0 => rest / stride + 1,
        _ => 0,
    }
}

impl Operation {
    /// Returns the kind.
    pub const fn kind(&self) -> Kind {
        match self.shape {
            Shape::Matmul { .. } => Kind::Matmul,
            Shape::BatchMatmul { .. } => Kind::BatchMatmul,
            Shape::MatmulSplitk { .. } => Kind::MatmulSplitk,
            Shape::Conv2d(_) => Kind::Conv2d,
        }
    }

    /// Returns batch, m, n and k of the matrix product. A convolution counts as the product of its patches and filters.
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

    /// Returns the name, which is unique and names files and folders.
    pub fn name(&self) -> String {
        let fused = match self.epilogue {
            Epilogue::None => String::new(),
            other => format!("_{}", other.name()),
        };
        let slices = match self.shape {
            Shape::MatmulSplitk { slices, .. } => format!("_split_k_slice_{slices}"),
            _ => String::new(),
        };
        let tensors = self.tensors().map(|it| it.name()).join("_");
        format!("{}{fused}_{}_{tensors}{slices}", self.kind().name(), self.extents())
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

    /// Returns the arguments by name, in the order of printed results.
    pub fn arguments(&self) -> Vec<(&'static str, String)> {
        let [batch, m, n, k] = self.product();
        let [lhs, rhs, result] = self.tensors().map(|it| it.name());
        let (mode, slices) = match self.shape {
            Shape::MatmulSplitk { slices, .. } => ("parallel", slices.to_string()),
            _ => ("N/A", "N/A".to_owned()),
        };
        let mut arguments = vec![
            ("batch_count", batch.to_string()),
            ("m", m.to_string()),
            ("n", n.to_string()),
            ("k", k.to_string()),
            ("lhs", lhs),
            ("rhs", rhs),
            ("result", result),
            ("split_k_mode", mode.to_owned()),
            ("split_k_slices", slices),
        ];
        if let Shape::Conv2d(it) = self.shape {
            arguments.extend(EXTENTS.into_iter().zip(it.extents().map(u64::to_string)));
        }
        if self.epilogue != Epilogue::None {
            arguments.push(("epilogue", self.epilogue.name().to_owned()));
        }
        arguments
    }

    /// Returns the number of arithmetic operations of a run: two per multiply-add, and one per element of the result
    /// for each step of the epilogue.
    pub fn flops(&self) -> u64 {
        let [batch, m, n, k] = self.product();
        let steps = match self.epilogue {
            Epilogue::None => 0,
            Epilogue::ElementwiseAdd => 1,
            Epilogue::BiasRelu => 2,
        };
        batch * m * n * (2 * k + steps)
    }

    /// Returns the size of all operands and the result in bytes.
    pub fn bytes(&self) -> u64 {
        self.inputs().iter().chain([&self.result()]).map(Tensor::bytes).sum()
    }
}
