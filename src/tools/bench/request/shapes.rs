//! The shapes of a request: the predefined shapes, or the combinations of all swept extents.

use super::wanted::Request;
use crate::bench::operation::{Convolution, Kind, Shape};

/// Rows, columns and depth of the predefined matrix products.
const MATMUL: &[[u64; 3]] = &[[256, 512, 128], [2560, 2560, 2560], [3456, 1024, 2048]];
/// Batch count, rows, columns and depth.
const BATCH_MATMUL: &[[u64; 4]] = &[[16, 512, 64, 512]];
/// Rows, columns and depth, combined with each number of slices.
const MATMUL_SPLITK: &[[u64; 3]] = &[[128, 128, 12288]];
const SLICES: &[u64] = &[2, 4, 16, 18];
/// Default of `m`, `n` and `k` in a sweep.
const EXTENT: u64 = 256;
const BATCH: u64 = 16;

/// The extents of convolutions, in the order of the fields. The first supplies the defaults of a sweep.
const CONV2D: &[[u64; 8]] = &[CONVOLUTION, [2, 65, 65, 64, 128, 3, 3, 2]];
const CONVOLUTION: [u64; 8] = [2, 34, 34, 64, 128, 3, 3, 1];

/// Returns the shapes of a kind.
pub fn shapes(kind: Kind, request: &Request) -> Vec<Shape> {
    let product = [&request.m, &request.n, &request.k];
    match kind {
        Kind::Matmul => {
            let all = combined(MATMUL, [EXTENT; 3], product).into_iter();
            all.map(|[m, n, k]| Shape::Matmul { m, n, k }).collect()
        }
        Kind::BatchMatmul => {
            let [m, n, k] = product;
            let defaults = [BATCH, EXTENT, EXTENT, EXTENT];
            let all = combined(BATCH_MATMUL, defaults, [&request.batch_count, m, n, k]).into_iter();
            all.map(|[batch, m, n, k]| Shape::BatchMatmul { batch, m, n, k }).collect()
        }
        Kind::MatmulSplitk => {
            let given = &request.split_k_slices;
            let slices = if given.is_empty() { SLICES } else { given };
            let all = combined(MATMUL_SPLITK, [EXTENT; 3], product).into_iter();
            let split = |[m, n, k]: [u64; 3]| {
                slices.iter().map(move |slices| Shape::MatmulSplitk { m, n, k, slices: *slices })
            };
            all.flat_map(split).collect()
        }
        Kind::Conv2d => {
            let all = combined(CONV2D, CONVOLUTION, request.convolution.extents()).into_iter();
            all.map(|extents| Shape::Conv2d(Convolution::of(extents))).collect()
        }
    }
}

/// Returns every combination of the swept extents, of which the last varies fastest. Extents that are not swept have
/// their defaults. Without any sweep, returns the predefined combinations.
fn combined<const N: usize>(
    predefined: &[[u64; N]],
    defaults: [u64; N],
    swept: [&Vec<u64>; N],
) -> Vec<[u64; N]> {
    if swept.iter().all(|values| values.is_empty()) {
        return predefined.to_vec();
    }
    let mut all = vec![defaults];
    for (place, values) in swept.into_iter().enumerate().filter(|(_, it)| !it.is_empty()) {
        let each = |known: [u64; N]| {
            values.iter().map(move |value| {
                let mut changed = known;
                if let Some(extent) = changed.get_mut(place) {
                    *extent = *value;
                }
                changed
            })
        };
        all = all.into_iter().flat_map(each).collect();
    }
    all
}
