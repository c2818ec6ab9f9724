//! Tensors: shape, element type and layout.

use crate::bench::element::Element;

/// The order of the dimensions of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    RowMajor,
    Nhwc,
    Hwcf,
}

/// A tensor type with a static shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tensor {
    pub shape: Vec<u64>,
    pub element: Element,
    pub layout: Layout,
}

impl Layout {
    /// Returns the abbreviation in names. A row-major matrix is `t` (transposed) as in BLAS, whose default is
    /// column-major.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowMajor => "t",
            Self::Nhwc => "nhwc",
            Self::Hwcf => "hwcf",
        }
    }
}

impl Tensor {
    /// Creates a tensor of any layout.
    pub fn new(shape: impl IntoIterator<Item = u64>, element: Element, layout: Layout) -> Self {
        Self { shape: shape.into_iter().collect(), element, layout }
    }

    /// Creates a row-major tensor.
    pub fn rows(shape: impl IntoIterator<Item = u64>, element: Element) -> Self {
        Self::new(shape, element, Layout::RowMajor)
    }

    /// Returns element type and layout: `f16t`.
    pub fn name(&self) -> String {
        format!("{}{}", self.element.name(), self.layout.name())
    }

    /// Returns shape and element type as in `--input` of IREE's tools and in MLIR's `tensor<>`: `256x512xf32`.
    pub fn spec(&self) -> String {
        let extents = self.shape.iter().map(|extent| format!("{extent}x"));
        extents.chain([self.element.name().to_owned()]).collect()
    }

    /// Returns the number of elements.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        self.elements() * self.element.bytes()
    }
}
