//! Schedules for CUDA.
//!
//! The tiles and stages for tensor cores are those of IREE's dispatch profiler. For CUDA, `iree-compile` 3.13 accepts
//! the number of stages, but the generated code does not depend on it.

use super::gpu::{DirectTiles, Family, Intrinsic, MatrixTiles, PatchTiles, Pipeline, ThreadTiles};
use crate::bench::element::Types;

static MMA_SYNC: Family = Family {
    core: "tensorcore",
    name: "mmasync",
    extra: "convert_acc_gemm, ",
    intrinsics: &[
        Intrinsic { name: "NV_MMA_SYNC_F16_16x8x16_F16", types: Types::F16, sides: [16, 8, 16] },
        Intrinsic { name: "NV_MMA_SYNC_F32_16x8x16_F16", types: Types::F16F32, sides: [16, 8, 16] },
        Intrinsic {
            name: "NV_MMA_SYNC_F32_16x8x16_BF16",
            types: Types::Bf16F32,
            sides: [16, 8, 16],
        },
    ],
    architectures: &[
        "sm_80", "sm_86", "sm_87", "sm_89", "sm_120", "sm_121", "a100", "ampere", "ada", "rtx3090",
        "rtx4090",
    ],
};

const fn tensor(tile: [u64; 3], stages: u64, subgroups: [u64; 2]) -> MatrixTiles {
    MatrixTiles { family: &MMA_SYNC, pipeline: Pipeline::TileAndFuse, tile, stages, subgroups }
}

pub(crate) static TENSOR_PRODUCTS: &[MatrixTiles] = &[
    tensor([256, 128, 32], 3, [4, 2]),
    tensor([128, 256, 32], 3, [2, 4]),
    tensor([128, 128, 64], 4, [2, 2]),
    tensor([128, 128, 32], 5, [2, 2]),
    tensor([128, 64, 32], 5, [2, 2]),
    tensor([64, 64, 64], 5, [2, 2]),
    tensor([64, 64, 32], 10, [2, 2]),
];

pub(crate) static THREAD_PRODUCTS: &[ThreadTiles] = &[
    ThreadTiles { tile: [64, 64, 32], thread: [4, 4] },
    ThreadTiles { tile: [64, 64, 16], thread: [4, 4] },
    ThreadTiles { tile: [32, 64, 16], thread: [4, 4] },
    ThreadTiles { tile: [32, 128, 32], thread: [1, 16] },
    ThreadTiles { tile: [128, 128, 16], thread: [8, 8] },
];

pub(crate) static TENSOR_CONVOLUTIONS: &[PatchTiles] = &[
    PatchTiles { family: &MMA_SYNC, tile: [4, 32, 32, 64], subgroups: [2, 2, 2] },
    PatchTiles { family: &MMA_SYNC, tile: [4, 16, 64, 32], subgroups: [2, 1, 2] },
];

pub(crate) static DIRECT_CONVOLUTIONS: &[DirectTiles] = &[
    DirectTiles { tile: [16, 64, 4], thread: [4, 4] },
    DirectTiles { tile: [16, 128, 8], thread: [4, 4] },
];
