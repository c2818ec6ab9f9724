//! Validates the extents of operations.

use super::{Operation, Shape};

/// Maximum number of elements of a tensor, so that products of extents do not overflow.
const ELEMENTS: u64 = 1 << 32;

impl Operation {
    /// Checks whether the operation can be computed. The error is the reason why not.
    pub fn check(&self) -> Result<(), String> {
        let has_zero = match self.shape {
            Shape::Conv2d(it) => it.extents().contains(&&0),
            Shape::MatmulSplitk { slices: 0, .. } => true,
            _ => self.product().contains(&0),
        };
        if has_zero {
            return Err("an extent is 0".to_owned());
        }
        match self.shape {
            Shape::MatmulSplitk { k, slices, .. } if !k.is_multiple_of(slices) => {
                return Err(format!("k={k} is not divisible by {slices} split-k slices"));
            }
            Shape::Conv2d(it) if it.output_height() == 0 || it.output_width() == 0 => {
                return Err(format!(
                    "a filter of {}x{} does not fit into an image of {}x{}",
                    it.filter_height, it.filter_width, it.height, it.width
                ));
            }
            _ => {}
        }
        let is_small = |shape: &[u64]| {
            let product = shape.iter().try_fold(1_u64, |all, extent| all.checked_mul(*extent));
            product.is_some_and(|elements| elements <= ELEMENTS)
        };
        match self.tensors().iter().find(|tensor| !is_small(&tensor.shape)) {
            Some(tensor) => Err(format!("{} has more than {ELEMENTS} elements", tensor.spec())),
            None => Ok(()),
        }
    }
}
