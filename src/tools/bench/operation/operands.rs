//! The operands and the result of an operation.

use super::{Epilogue, Layout, Operation, Shape, Tensor};

impl Operation {
    /// Returns the left operand (a matrix of m rows, or the images), the right operand (a matrix of n columns, or the
    /// filters) and the result.
    pub fn tensors(&self) -> [Tensor; 3] {
        let (operand, result) = (self.types.operand(), self.types.result());
        let around = match self.shape {
            Shape::Conv2d(it) => {
                let image = [it.batch, it.height, it.width, it.channels];
                let filter = [it.filter_height, it.filter_width, it.channels, it.filters];
                let pixels = [it.batch, it.output_height(), it.output_width(), it.filters];
                return [
                    Tensor::new(image, operand, Layout::Nhwc),
                    Tensor::new(filter, operand, Layout::Hwcf),
                    Tensor::new(pixels, result, Layout::Nhwc),
                ];
            }
            Shape::BatchMatmul { batch, .. } => Some(batch),
            Shape::Matmul { .. } | Shape::MatmulSplitk { .. } => None,
        };
        let [_, m, n, k] = self.product();
        let matrix =
            |sides: [u64; 2], element| Tensor::rows(around.into_iter().chain(sides), element);
        [matrix([m, k], operand), matrix([k, n], operand), matrix([m, n], result)]
    }

    /// Returns the result.
    pub fn result(&self) -> Tensor {
        let [.., result] = self.tensors();
        result
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
        let [lhs, rhs, _] = self.tensors();
        [lhs, rhs].into_iter().chain(self.extra()).collect()
    }
}
