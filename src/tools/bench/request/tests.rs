//! Tests of the expansion of requests.

use std::collections::HashSet;

use super::*;
use crate::bench::operation::Shape;
use crate::bench::{Configuration, Device, Epilogue, Kind, Target, Types, source};

fn names(collections: &[Collection]) -> Vec<String> {
    let dispatches = collections
        .iter()
        .flat_map(|collection| collection.configurations.iter().map(|it| collection.dispatch(it)));
    dispatches.collect()
}

fn of(request: &Request, device: Device) -> Vec<Collection> {
    collections(request, &Target::of(device)).expect("a request")
}

#[test]
fn the_dispatch_of_the_dispatch_profiler_is_there() {
    let name = "matmul_3456x1024x2048_f16t_f16t_f16t_tile_config_128x128_32x5_tensorcore_mmasync";
    let request = Request { dispatches: vec![name.to_owned()], ..Request::default() };
    let collections = of(&request, Device::Cuda);
    assert_eq!(names(&collections), [name]);
    let configuration = collections[0].configurations[0];
    assert_eq!(configuration.tile(), "128x128_32x5");
    assert_eq!(configuration.core_class(), "tensorcore");
    assert_eq!(configuration.instruction_class(), "mmasync");
    let text = source(&collections[0], &Target::of(Device::Cuda));
    assert_eq!(text.matches("func.func").count(), 1);
    assert!(text.contains(&format!("func.func @{name}(%lhs: tensor<3456x2048xf16>")), "{text}");
    assert!(text.contains("prefetch_num_stages = 5"), "{text}");
}

#[test]
fn every_name_is_there_once() {
    for device in Device::ALL {
        let request = Request { default_config: true, ..Request::default() };
        let collections = of(&request, device);
        let names = names(&collections);
        let kept: HashSet<&String> = names.iter().collect();
        assert_eq!(kept.len(), names.len(), "{device:?}");
        for collection in &collections {
            let all = collection.skipped.iter().map(|(it, _)| it).chain(&collection.configurations);
            let all: Vec<String> = all.map(Configuration::name).collect();
            let kept: HashSet<&String> = all.iter().collect();
            assert_eq!(kept.len(), all.len(), "{all:?}");
        }
    }
}

#[test]
fn nothing_asked_is_everything_predefined() {
    let collections = of(&Request::default(), Device::LocalTask);
    for kind in Kind::ALL {
        for types in Types::ALL {
            for epilogue in Epilogue::ALL {
                let is_there = collections.iter().any(|it| {
                    let operation = it.operation;
                    (operation.kind(), operation.types, operation.epilogue)
                        == (kind, types, epilogue)
                        && !it.configurations.is_empty()
                });
                assert!(is_there, "{kind:?} {types:?} {epilogue:?}");
            }
        }
    }
    assert!(names(&collections).iter().all(|name| !name.contains("default")));
}

fn shapes(request: Request) -> Vec<Shape> {
    let request = Request {
        types: vec![Types::F32],
        epilogues: vec![Epilogue::None],
        default_config: true,
        ..request
    };
    of(&request, Device::LocalTask).iter().map(|it| it.operation.shape).collect()
}

#[test]
fn sweeps_are_crossed() {
    let matmul = Request { kinds: vec![Kind::Matmul], ..Request::default() };
    assert_eq!(shapes(matmul.clone()).len(), 3);
    let swept = shapes(Request { m: vec![64, 128], k: vec![8, 16], ..matmul });
    assert_eq!(swept.len(), 4);
    assert_eq!(swept[1], Shape::Matmul { m: 64, n: 256, k: 16 });
    let batch = Request { kinds: vec![Kind::BatchMatmul], ..Request::default() };
    assert_eq!(
        shapes(Request { batch_count: vec![4], ..batch }),
        [Shape::BatchMatmul { batch: 4, m: 256, n: 256, k: 256 }]
    );
    let split = Request { kinds: vec![Kind::MatmulSplitk], ..Request::default() };
    assert_eq!(
        shapes(Request { split_k_slices: vec![3], k: vec![33], ..split }),
        [Shape::MatmulSplitk { m: 256, n: 256, k: 33, slices: 3 }]
    );
}

#[test]
fn convolutions_are_swept_too() {
    let convolution =
        ConvolutionSweeps { batch: vec![1, 8], stride: vec![1, 2], ..ConvolutionSweeps::default() };
    let request = Request { kinds: vec![Kind::Conv2d], convolution, ..Request::default() };
    let swept = shapes(request);
    assert_eq!(swept.len(), 4);
    let Shape::Conv2d(last) = swept[3] else { panic!("a convolution") };
    assert_eq!((last.batch, last.stride, last.channels), (8, 2, 64));
}

#[test]
fn extents_describe_kinds() {
    let product = Request { m: vec![64], n: vec![64], k: vec![64], ..Request::default() };
    assert_eq!(product.described(), [Kind::Matmul]);
    let batched = Request { batch_count: vec![2], ..product.clone() };
    assert_eq!(batched.described(), [Kind::BatchMatmul]);
    let split = Request { split_k_slices: vec![2], ..product.clone() };
    assert_eq!(split.described(), [Kind::MatmulSplitk]);
    let both = Request { split_k_slices: vec![2], ..batched };
    assert_eq!(both.described(), [Kind::BatchMatmul, Kind::MatmulSplitk]);
    let convolution = ConvolutionSweeps { stride: vec![2], ..ConvolutionSweeps::default() };
    let alone = Request { convolution: convolution.clone(), ..Request::default() };
    assert_eq!(alone.described(), [Kind::Conv2d]);
    let with_product = Request { convolution, ..product };
    assert_eq!(with_product.described(), [Kind::Matmul, Kind::Conv2d]);
    assert!(Request::default().described().is_empty());
}

fn reasons(request: Request, device: Device) -> HashSet<String> {
    let request = Request { epilogues: vec![Epilogue::None], ..request };
    let skipped = of(&request, device).into_iter().flat_map(|it| it.skipped);
    skipped.map(|(_, reason)| reason).collect()
}

#[test]
fn what_is_skipped_says_why() {
    let one = |kind, types, m: u64, k: u64| Request {
        kinds: vec![kind],
        types: vec![types],
        m: vec![m],
        k: vec![k],
        ..Request::default()
    };
    let has = |request: Request, device, reason: &str| {
        let reasons = reasons(request, device);
        assert!(reasons.contains(reason), "{reasons:?}");
    };
    has(
        one(Kind::Matmul, Types::F32, 100, 128),
        Device::LocalTask,
        "m=100 is not a multiple of the tile size 64",
    );
    has(
        one(Kind::Matmul, Types::F32, 256, 128),
        Device::Rocm,
        "needs 131072 bytes of shared memory, but rocm-gfx942 has 65536",
    );
    has(
        one(Kind::Matmul, Types::F32, 256, 128),
        Device::Cuda,
        "the compiler has no mmasync instruction that multiplies f32 and accumulates in f32",
    );
    has(
        one(Kind::MatmulSplitk, Types::F32, 256, 100),
        Device::Cuda,
        "k=100 is not divisible by 16 split-k slices",
    );
    has(
        one(Kind::Matmul, Types::F32, 1, 128),
        Device::LocalTask,
        "the compiler removes loops of extent 1 (m) together with the configuration",
    );
    let turing = Target { cuda_arch: "sm_75".to_owned(), ..Target::of(Device::Cuda) };
    let request = one(Kind::Matmul, Types::F16, 256, 128);
    let collections = collections(&request, &turing).expect("a request");
    let reason = &collections[0].skipped[0].1;
    assert!(reason.contains("the target is sm_75"), "{reason}");
}

#[test]
fn what_a_target_cannot_do_is_skipped_with_it() {
    let request = Request {
        kinds: vec![Kind::Matmul],
        types: vec![Types::F16F32],
        default_config: true,
        ..Request::default()
    };
    let unnamed = reasons(request.clone(), Device::Vulkan);
    assert!(unnamed.iter().any(|it| it.contains("set option `vulkan_target`")), "{unnamed:?}");
    let target =
        Target { vulkan_target: Some("llvmpipe".to_owned()), ..Target::of(Device::Vulkan) };
    let collections = collections(&request, &target).expect("a request");
    let skipped: Vec<_> = collections.iter().flat_map(|it| &it.skipped).collect();
    assert!(
        skipped.iter().all(|(_, reason)| !reason.contains("set option `vulkan_target`")),
        "{skipped:?}"
    );
    assert!(collections[0].configurations.iter().any(Configuration::is_default));
}
