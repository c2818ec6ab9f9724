//! The shapes of a request: the predefined shapes, or the combinations of all swept extents.

use super::wanted::Request;
use crate::bench::operation::Kind;
use crate::bench::operation::{Convolution, Shape};

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

const CONV2D: &[Convolution] = &[
    Convolution {
        batch: 2,
        height: 34,
        width: 34,
        channels: 64,
        filters: 128,
        filter_height: 3,
        filter_width: 3,
        stride: 1,
    },
    Convolution {
        batch: 2,
        height: 65,
        width: 65,
        channels: 64,
        filters: 128,
        filter_height: 3,
        filter_width: 3,
        stride: 2,
    },
];

/// Returns the shapes of a kind.
pub fn shapes(kind: Kind, request: &Request) -> Vec<Shape> {
    match kind {
        Kind::Matmul => {
            products(request, MATMUL).map(|[m, n, k]| Shape::Matmul { m, n, k }).collect()
        }
        Kind::BatchMatmul => batches(request),
        Kind::MatmulSplitk => {
            let slices =
                if request.split_k_slices.is_empty() { SLICES } else { &request.split_k_slices };
            products(request, MATMUL_SPLITK)
                .flat_map(|[m, n, k]| {
                    slices.iter().map(move |slices| Shape::MatmulSplitk {
                        m,
                        n,
                        k,
                        slices: *slices,
                    })
                })
                .collect()
        }
        Kind::Conv2d => convolutions(request),
    }
}

fn products<'a>(
    request: &'a Request,
    predefined: &'static [[u64; 3]],
) -> impl Iterator<Item = [u64; 3]> + 'a {
    let is_swept = request.has_product();
    let predefined = predefined.iter().copied().filter(move |_| !is_swept);
    let swept = || is_swept.then_some(());
    let [m, n, k] = [&request.m, &request.n, &request.k].map(|it| values(it, EXTENT));
    let swept = swept().into_iter().flat_map(move |()| cross(&m, &n, &k));
    predefined.chain(swept)
}

fn cross(m: &[u64], n: &[u64], k: &[u64]) -> Vec<[u64; 3]> {
    let mut all = Vec::new();
    for m in m {
        for n in n {
            all.extend(k.iter().map(|k| [*m, *n, *k]));
        }
    }
    all
}

fn batches(request: &Request) -> Vec<Shape> {
    let of = |[batch, m, n, k]: [u64; 4]| Shape::BatchMatmul { batch, m, n, k };
    if !request.has_product() && request.batch_count.is_empty() {
        return BATCH_MATMUL.iter().copied().map(of).collect();
    }
    let [m, n, k] = [&request.m, &request.n, &request.k].map(|it| values(it, EXTENT));
    let counts = values(&request.batch_count, BATCH);
    let products = cross(&m, &n, &k);
    counts
        .into_iter()
        .flat_map(|batch| products.iter().map(move |[m, n, k]| of([batch, *m, *n, *k])))
        .collect()
}

/// Returns every combination of the given extents. The first predefined convolution supplies the others.
fn convolutions(request: &Request) -> Vec<Shape> {
    let sweeps = &request.convolution;
    if sweeps.is_empty() {
        return CONV2D.iter().copied().map(Shape::Conv2d).collect();
    }
    let mut all: Vec<Convolution> = CONV2D.iter().take(1).copied().collect();
    for (values, set) in sweeps.extents() {
        if values.is_empty() {
            continue;
        }
        let each = |convolution: Convolution| {
            values.iter().map(move |value| {
                let mut changed = convolution;
                *set(&mut changed) = *value;
                changed
            })
        };
        all = all.into_iter().flat_map(each).collect();
    }
    all.into_iter().map(Shape::Conv2d).collect()
}

fn values(given: &[u64], otherwise: u64) -> Vec<u64> {
    if given.is_empty() { vec![otherwise] } else { given.to_vec() }
}
