//! Computes the reference results of operations.

use super::kernel::{product, size};
use super::values::Values;
use crate::bench::operation::{Convolution, Epilogue, Operation, Shape};

/// Computes the result of an operation in row-major order.
pub fn result(operation: &Operation, values: &Values) -> Vec<f32> {
    let mut result = match operation.shape {
        Shape::Matmul { m, n, k } | Shape::MatmulSplitk { m, n, k, .. } => {
            matmul([m, n, k], &values.lhs, &values.rhs)
        }
        Shape::BatchMatmul { m, n, k, .. } => {
            let lhs = values.lhs.chunks(size(m * k));
            let pairs = lhs.zip(values.rhs.chunks(size(k * n)));
            pairs.flat_map(|(lhs, rhs)| matmul([m, n, k], lhs, rhs)).collect()
        }
        Shape::Conv2d(shape) => convolution(shape, operation, values),
    };
    match operation.epilogue {
        Epilogue::None => {}
        Epilogue::ElementwiseAdd => add(&mut result, values.extra.iter()),
        Epilogue::BiasRelu => {
            add(&mut result, values.extra.iter().cycle());
            for value in &mut result {
                *value = value.max(0.0);
            }
        }
    }
    result
}

fn add<'a>(result: &mut [f32], others: impl Iterator<Item = &'a i8>) {
    for (value, other) in result.iter_mut().zip(others) {
        *value += f32::from(*other);
    }
}

fn matmul([m, n, k]: [u64; 3], lhs: &[i8], rhs: &[i8]) -> Vec<f32> {
    let fill = |row: usize, into: &mut [i8]| copy(into, lhs, row * size(k));
    product(size(m), size(n), size(k), &fill, rhs)
}

/// Computes a convolution as the product of patches and filters (im2col): a row of the left operand is the patch of one
/// output pixel, gathered line by line from the image.
fn convolution(shape: Convolution, operation: &Operation, values: &Values) -> Vec<f32> {
    let [_, rows, n, k] = operation.product();
    let [height, width, channels] = [shape.height, shape.width, shape.channels].map(size);
    let [output_height, output_width] = [shape.output_height(), shape.output_width()].map(size);
    let stride = size(shape.stride);
    let line = size(shape.filter_width) * channels;
    let fill = |row: usize, into: &mut [i8]| {
        let (rest, x) = (row / output_width, row % output_width);
        let (image, y) = (rest / output_height, rest % output_height);
        for (down, into) in into.chunks_mut(line).enumerate() {
            let pixel = (image * height + y * stride + down) * width + x * stride;
            copy(into, &values.lhs, pixel * channels);
        }
    };
    product(size(rows), size(n), size(k), &fill, &values.rhs)
}

fn copy(into: &mut [i8], from: &[i8], start: usize) {
    for (into, value) in into.iter_mut().zip(from.iter().skip(start)) {
        *into = *value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Types;

    /// Evaluates the definition of each operation in integers.
    fn naive(operation: &Operation, values: &Values) -> Vec<i64> {
        let at = |values: &[i8], index: u64| i64::from(values[size(index)]);
        let [batch, m, n, k] = operation.product();
        let mut result = Vec::new();
        for (b, i, j) in cross([batch, m, n]) {
            let sum: i64 = match operation.shape {
                Shape::Conv2d(it) => {
                    let (column, rest) = (i % it.output_width(), i / it.output_width());
                    let (line, image) = (rest % it.output_height(), rest / it.output_height());
                    cross([it.filter_height, it.filter_width, it.channels])
                        .map(|(down, right, channel)| {
                            let y = line * it.stride + down;
                            let pixel =
                                (image * it.height + y) * it.width + column * it.stride + right;
                            let filter = (down * it.filter_width + right) * it.channels + channel;
                            at(&values.lhs, pixel * it.channels + channel)
                                * at(&values.rhs, filter * it.filters + j)
                        })
                        .sum()
                }
                _ => (0..k)
                    .map(|d| {
                        at(&values.lhs, (b * m + i) * k + d) * at(&values.rhs, (b * k + d) * n + j)
                    })
                    .sum(),
            };
            let place = (b * m + i) * n + j;
            result.push(match operation.epilogue {
                Epilogue::None => sum,
                Epilogue::BiasRelu => (sum + at(&values.extra, j)).max(0),
                Epilogue::ElementwiseAdd => sum + at(&values.extra, place),
            });
        }
        result
    }

    fn cross([a, b, c]: [u64; 3]) -> impl Iterator<Item = (u64, u64, u64)> {
        (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| (x, y, z))))
    }

    #[test]
    fn results_are_those_of_the_definitions() {
        let convolution = Convolution {
            batch: 2,
            height: 7,
            width: 9,
            channels: 3,
            filters: 5,
            filter_height: 3,
            filter_width: 2,
            stride: 2,
        };
        let shapes = [
            Shape::Matmul { m: 1, n: 1, k: 1 },
            Shape::Matmul { m: 13, n: 21, k: 34 },
            Shape::Matmul { m: 4, n: 8, k: 3000 },
            Shape::BatchMatmul { batch: 3, m: 5, n: 9, k: 7 },
            Shape::MatmulSplitk { m: 6, n: 17, k: 12, slices: 4 },
            Shape::Conv2d(convolution),
            Shape::Conv2d(Convolution { stride: 1, batch: 1, ..convolution }),
        ];
        for shape in shapes {
            for types in [Types::F32, Types::F16] {
                for epilogue in Epilogue::ALL {
                    let operation = Operation { shape, types, epilogue };
                    let values = Values::new(&operation, 11);
                    let expected: Vec<f64> =
                        naive(&operation, &values).into_iter().map(exact).collect();
                    let got: Vec<f64> =
                        result(&operation, &values).into_iter().map(f64::from).collect();
                    assert_eq!(got, expected, "{}", operation.name());
                    assert!(got.iter().any(|value| *value != 0.0) || got.len() < 2);
                }
            }
        }
    }

    fn exact(value: i64) -> f64 {
        f64::from(i32::try_from(value).expect("small"))
    }
}
