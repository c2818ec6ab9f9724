//! Generates the inputs of operations: small integers that depend only on the seed.
//!
//! A sum of integers is exact in any order if the sum of their magnitudes is at most 2^11 in f16 or 2^24 in f32, as all
//! integers up to there fit into the significand. Values are drawn from -7..=7, or from a smaller range if the
//! reduction is deep. If even -1..=1 is too large, only some rows in each column of the right operand are nonzero.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::bench::element::Element;
use crate::bench::operation::Operation;

/// The inputs of an operation, in row-major order.
pub struct Values {
    pub lhs: Vec<i8>,
    pub rhs: Vec<i8>,
    pub extra: Vec<i8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    /// The largest magnitude.
    largest: u8,
    /// Distance between the rows in a column of the right operand that may be nonzero.
    apart: u64,
}

impl Values {
    /// Draws the values from a seed.
    pub fn new(operation: &Operation, seed: u64) -> Self {
        let [_, _, n, k] = operation.product();
        let range = Range::of(operation);
        let draw = |count: u64, stream: u64| drawn(count, seed, stream, range.largest);
        let [lhs, rhs, _] = operation.tensors().map(|tensor| tensor.elements());
        let mut rhs = draw(rhs, 1);
        if range.apart > 1 {
            // The nonzero rows shift by one from column to column.
            let rows = (0..k).cycle().flat_map(|row| (0..n).map(move |column| row + column));
            for (value, place) in rhs.iter_mut().zip(rows) {
                if !place.is_multiple_of(range.apart) {
                    *value = 0;
                }
            }
        }
        let extra = operation.extra().map_or(0, |tensor| tensor.elements());
        Self { lhs: draw(lhs, 0), rhs, extra: draw(extra, 2) }
    }

    /// Returns the values in the order of [`Operation::inputs`].
    pub fn all(&self) -> [&[i8]; 3] {
        [&self.lhs, &self.rhs, &self.extra]
    }
}

impl Range {
    fn of(operation: &Operation) -> Self {
        let exact: u64 = if operation.types.result() == Element::F16 { 2048 } else { 1 << 24 };
        let [_, _, _, k] = operation.product();
        // Maximum depth for a range, with room for the value that the epilogue adds.
        let products = |largest: u8| {
            let largest = u64::from(largest);
            (exact - largest) / (largest * largest)
        };
        match [7, 3, 2, 1].into_iter().find(|largest| k <= products(*largest)) {
            Some(largest) => Self { largest, apart: 1 },
            None => Self { largest: 1, apart: k.div_ceil(products(1)) },
        }
    }
}

/// Draws values for one tensor. Each tensor has its own stream of the generator, so that it does not depend on the
/// sizes of the others.
fn drawn(count: u64, seed: u64, stream: u64, largest: u8) -> Vec<i8> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    let mut bytes = vec![0; super::kernel::size(count)];
    generator.fill_bytes(&mut bytes);
    let values = 2 * largest + 1;
    let signed = |byte: u8| (byte % values).cast_signed() - largest.cast_signed();
    bytes.into_iter().map(signed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::operation::Shape;
    use crate::bench::{Epilogue, Types};

    fn matmul(k: u64, types: Types) -> Operation {
        Operation { shape: Shape::Matmul { m: 3, n: 5, k }, types, epilogue: Epilogue::BiasRelu }
    }

    #[test]
    fn every_sum_is_exact_in_every_order() {
        for k in [1, 41, 42, 227, 228, 511, 2047, 2048, 12288, 99_999] {
            for types in Types::ALL {
                let operation = matmul(k, types);
                let values = Values::new(&operation, 1);
                let exact = if types == Types::F16 { 2048 } else { 1 << 24 };
                for row in values.lhs.chunks(k.try_into().expect("small")) {
                    for column in 0..5 {
                        let right = values.rhs.iter().skip(column).step_by(5);
                        let products = row.iter().zip(right);
                        let sum: i64 =
                            products.map(|(a, b)| i64::from(*a).abs() * i64::from(*b).abs()).sum();
                        let bias = i64::from(values.extra[column]).abs();
                        assert!(sum + bias <= exact, "k={k} {types:?}: {sum}");
                    }
                }
            }
        }
    }

    #[test]
    fn deep_sums_in_f16_are_thinned_and_not_empty() {
        assert_eq!(Range::of(&matmul(12288, Types::F16)), Range { largest: 1, apart: 7 });
        assert_eq!(Range::of(&matmul(12288, Types::F32)), Range { largest: 7, apart: 1 });
        let values = Values::new(&matmul(12288, Types::F16), 7);
        let other = values.rhs.iter().filter(|value| **value != 0).count();
        assert!(other > 12288 * 5 / 7 / 2, "{other}");
    }

    #[test]
    fn seeds_make_the_values() {
        let [first, second, other] =
            [1, 1, 2].map(|seed| Values::new(&matmul(64, Types::F32), seed));
        assert_eq!(first.lhs, second.lhs);
        assert_ne!(first.lhs, other.lhs);
        assert_ne!(first.lhs[..64], first.rhs[..64]);
        assert!(first.lhs.iter().any(|value| *value < 0) && first.lhs.contains(&7));
    }
}
