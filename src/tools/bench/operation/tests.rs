//! Tests of names, arguments, flops, bytes and checks.

use super::*;
use crate::bench::operation::Tensor;

fn matmul(types: Types, epilogue: Epilogue) -> Operation {
    Operation { shape: Shape::Matmul { m: 3456, n: 1024, k: 2048 }, types, epilogue }
}

const CONVOLUTION: Convolution = Convolution {
    batch: 2,
    height: 34,
    width: 66,
    channels: 64,
    filters: 128,
    filter_height: 3,
    filter_width: 5,
    stride: 2,
};

fn plain(shape: Shape) -> Operation {
    Operation { shape, types: Types::F16F32, epilogue: Epilogue::None }
}

#[test]
fn names_are_those_of_the_dispatch_profiler() {
    let name = |types| matmul(types, Epilogue::None).name();
    assert_eq!(name(Types::F16), "matmul_3456x1024x2048_f16t_f16t_f16t");
    assert_eq!(name(Types::Bf16F32), "matmul_3456x1024x2048_bf16t_bf16t_f32t");
    assert_eq!(name(Types::I8I32), "matmul_3456x1024x2048_i8t_i8t_i32t");
    let batch = plain(Shape::BatchMatmul { batch: 16, m: 512, n: 64, k: 256 });
    assert_eq!(batch.name(), "batch_matmul_16x512x64x256_f16t_f16t_f32t");
    // The dispatch profiler names its split-k files this way. The suffix makes the names of operations unique.
    let split = plain(Shape::MatmulSplitk { m: 128, n: 64, k: 12288, slices: 4 });
    assert_eq!(split.name(), "matmul_splitk_128x64x12288_f16t_f16t_f32t_split_k_slice_4");
    let convolution = plain(Shape::Conv2d(CONVOLUTION));
    assert_eq!(convolution.name(), "conv2d_2x34x66x64_3x5x128_s2_f16nhwc_f16hwcf_f32nhwc");
    let fused = matmul(Types::F32, Epilogue::BiasRelu);
    assert_eq!(fused.name(), "matmul_bias_relu_3456x1024x2048_f32t_f32t_f32t");
}

#[test]
fn tensors_are_written_as_the_tools_take_them() {
    let specs = |operation: &Operation| -> Vec<String> {
        operation.inputs().iter().chain([&operation.result()]).map(Tensor::spec).collect()
    };
    assert_eq!(
        specs(&matmul(Types::F16F32, Epilogue::BiasRelu)),
        ["3456x2048xf16", "2048x1024xf16", "1024xf32", "3456x1024xf32"]
    );
    assert_eq!(
        specs(&plain(Shape::BatchMatmul { batch: 2, m: 3, n: 4, k: 5 })),
        ["2x3x5xf16", "2x5x4xf16", "2x3x4xf32"]
    );
    let convolution =
        Operation { epilogue: Epilogue::ElementwiseAdd, ..plain(Shape::Conv2d(CONVOLUTION)) };
    assert_eq!(
        specs(&convolution),
        ["2x34x66x64xf16", "3x5x64x128xf16", "2x16x31x128xf32", "2x16x31x128xf32"]
    );
}

#[test]
fn flops_and_bytes_are_the_operations_own() {
    let product = matmul(Types::F16F32, Epilogue::None);
    assert_eq!(product.flops(), 2 * 3456 * 1024 * 2048);
    assert_eq!(product.bytes(), 2 * 3456 * 2048 + 2 * 2048 * 1024 + 4 * 3456 * 1024);
    let fused = matmul(Types::F16F32, Epilogue::BiasRelu);
    assert_eq!(fused.flops(), product.flops() + 2 * 3456 * 1024);
    assert_eq!(fused.bytes(), product.bytes() + 4 * 1024);
    let added = matmul(Types::F16F32, Epilogue::ElementwiseAdd);
    assert_eq!(added.flops(), product.flops() + 3456 * 1024);
    assert_eq!(added.bytes(), product.bytes() + 4 * 3456 * 1024);
    let batch = plain(Shape::BatchMatmul { batch: 3, m: 5, n: 7, k: 11 });
    assert_eq!(batch.flops(), 2 * 3 * 5 * 7 * 11);
    assert_eq!(batch.bytes(), 3 * (2 * 55 + 2 * 77 + 4 * 35));
    let convolution = plain(Shape::Conv2d(CONVOLUTION));
    assert_eq!(convolution.flops(), 2 * (2 * 16 * 31) * 128 * (3 * 5 * 64));
    assert_eq!(
        convolution.bytes(),
        2 * (2 * 34 * 66 * 64) + 2 * (3 * 5 * 64 * 128) + 4 * (2 * 16 * 31 * 128)
    );
}

#[test]
fn arguments_are_those_of_the_dispatch_profiler() {
    let written = |operation: &Operation| -> String {
        let pairs = operation.arguments();
        pairs.iter().map(|(key, value)| format!("--{key}={value} ")).collect()
    };
    assert_eq!(
        written(&matmul(Types::F16, Epilogue::None)),
        "--batch_count=1 --m=3456 --n=1024 --k=2048 --lhs=f16t --rhs=f16t --result=f16t \
         --split_k_mode=N/A --split_k_slices=N/A "
    );
    let split = plain(Shape::MatmulSplitk { m: 1, n: 2, k: 12, slices: 4 });
    assert!(written(&split).ends_with("--split_k_mode=parallel --split_k_slices=4 "));
    let convolution =
        Operation { epilogue: Epilogue::BiasRelu, ..plain(Shape::Conv2d(CONVOLUTION)) };
    assert!(
        written(&convolution).starts_with("--batch_count=1 --m=992 --n=128 --k=960 --lhs=f16nhwc")
    );
    assert!(written(&convolution).ends_with("--stride=2 --epilogue=bias_relu "));
}

#[test]
fn what_cannot_be_computed_says_why() {
    let refused = |shape: Shape| plain(shape).check().expect_err("refused");
    assert_eq!(
        refused(Shape::MatmulSplitk { m: 128, n: 128, k: 12288, slices: 18 }),
        "k=12288 is not divisible by 18 split-k slices"
    );
    assert_eq!(
        refused(Shape::Conv2d(Convolution { filter_height: 35, ..CONVOLUTION })),
        "a filter of 35x5 does not fit into an image of 34x66"
    );
    assert_eq!(refused(Shape::Matmul { m: 0, n: 1, k: 1 }), "an extent is 0");
    let huge = refused(Shape::Matmul { m: u64::MAX, n: u64::MAX, k: 1 });
    assert!(huge.contains("more than 4294967296 elements"), "{huge}");
    assert_eq!(plain(Shape::Conv2d(CONVOLUTION)).check(), Ok(()));
}
