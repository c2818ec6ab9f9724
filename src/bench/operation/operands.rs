//! The operands and the result of an operation.

use super::{Epilogue, Layout, Operation, Shape, Tensor};

impl Operation {
    /// Returns the left operand: a matrix of m rows, or the images.
    pub fn lhs(&self) -> Tensor {
        let element = self.types.operand();
        match self.shape {
            Shape::Matmul { m, k, .. } | Shape::MatmulSplitk { m, k, .. } => {
                Tensor::rows([m, k], element)
            }
            Shape::BatchMatmul { batch, m, k, .. } => Tensor::rows([batch, m, k], element),
            Shape::Conv2d(it) => {
                Tensor::new([it.batch, it.height, it.width, it.channels], element, Layout::Nhwc)
            }
        }
    }

    /// Returns the right operand: a matrix of n columns, or the filters.
    pub fn rhs(&self) -> Tensor {
        let element = self.types.operand();
        match self.shape {
            Shape::Matmul { n, k, .. } | Shape::MatmulSplitk { n, k, .. } => {
                Tensor::rows([k, n], element)
            }
            Shape::BatchMatmul { batch, n, k, .. } => Tensor::rows([batch, k, n], element),
            Shape::Conv2d(it) => Tensor::new(
                [it.filter_height, it.filter_width, it.channels, it.filters],
                element,
                Layout::Hwcf,
            ),
        }
    }

    /// Returns the result.
    pub fn result(&self) -> Tensor {
        let element = self.types.result();
        match self.shape {
            Shape::Matmul { m, n, .. } | Shape::MatmulSplitk { m, n, .. } => {
                Tensor::rows([m, n], element)
            }
            Shape::BatchMatmul { batch, m, n, .. } => Tensor::rows([batch, m, n], element),
            Shape::Conv2d(it) => Tensor::new(
                [it.batch, it.output_height(), it.output_width(), it.filters],
                element,
                Layout::Nhwc,
            ),
        }
    }

    /// Returns the additional operand of the epilogue, if it has one.
    pub fn extra(&self) -> Option<Tensor> {
        let result = self.result();
        match self.epilogue {
            Epilogue::None => None,
            Epilogue::BiasRelu => Some(Tensor::rows(result.shape.last().copied(), result.element)),
            Epilogue::ElementwiseAdd => Some(result),
        }
    }

    /// Returns all operands, in the order of the arguments of the function.
    pub fn inputs(&self) -> Vec<Tensor> {
        [self.lhs(), self.rhs()].into_iter().chain(self.extra()).collect()
    }
}
