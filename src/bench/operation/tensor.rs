//! A tensor: shape, element type and layout.

use crate::bench::Element;

/// The order of a tensor's dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    RowMajor,
    Nhwc,
    Hwcf,
}

/// A tensor of a known shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tensor {
    pub shape: Vec<u64>,
    pub element: Element,
    pub layout: Layout,
}

impl Layout {
    /// How names write it; matrices are named as BLAS does, where `t` is row by row.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "t",
            Self::Nhwc => "nhwc",
            Self::Hwcf => "hwcf",
        }
    }
}

impl Tensor {
    /// One of any layout.
    pub fn new(shape: impl IntoIterator<Item = u64>, element: Element, layout: Layout) -> Self {
        Self { shape: shape.into_iter().collect(), element, layout }
    }

    /// One that is stored row by row.
    pub fn rows(shape: impl IntoIterator<Item = u64>, element: Element) -> Self {
        Self::new(shape, element, Layout::RowMajor)
    }

    /// Element type and layout: `f16t`.
    pub fn name(&self) -> String {
        format!("{}{}", self.element.name(), self.layout.name())
    }

    /// As the tools' `--input` takes it, and MLIR's `tensor<>`: `256x512xf32`.
    pub fn spec(&self) -> String {
        let extents = self.shape.iter().map(|extent| format!("{extent}x"));
        extents.chain([self.element.name().to_owned()]).collect()
    }

    /// How many elements it has.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.elements() * self.element.bytes()
    }
}
