//! Schedules for AMD GPUs, with the MFMA matrix instructions of the MI300 family (gfx942, gfx950).

use super::gpu::{DirectTiles, Family, Intrinsic, MatrixTiles, PatchTiles, Pipeline, ThreadTiles};
use crate::bench::element::Types;

const CDNA3: &[&str] = &["gfx942", "gfx950", "mi300x", "mi300a", "mi325x", "mi350x", "mi355x"];

static MFMA_16: Family = Family {
    core: "matrixcore",
    name: "mfma16x16",
    extra: "",
    intrinsics: &[
        Intrinsic { name: "MFMA_F32_16x16x4_F32", types: Types::F32, sides: [16, 16, 4] },
        Intrinsic { name: "MFMA_F32_16x16x16_F16", types: Types::F16F32, sides: [16, 16, 16] },
        Intrinsic { name: "MFMA_F32_16x16x16_BF16", types: Types::Bf16F32, sides: [16, 16, 16] },
        Intrinsic { name: "MFMA_I32_16x16x32_I8", types: Types::I8I32, sides: [16, 16, 32] },
    ],
    architectures: CDNA3,
};

static MFMA_32: Family = Family {
    core: "matrixcore",
    name: "mfma32x32",
    extra: "",
    intrinsics: &[
        Intrinsic { name: "MFMA_F32_32x32x8_F16", types: Types::F16F32, sides: [32, 32, 8] },
        Intrinsic { name: "MFMA_F32_32x32x8_BF16", types: Types::Bf16F32, sides: [32, 32, 8] },
        Intrinsic { name: "MFMA_I32_32x32x16_I8", types: Types::I8I32, sides: [32, 32, 16] },
    ],
    architectures: CDNA3,
};

const fn fused(
    family: &'static Family,
    tile: [u64; 3],
    stages: u64,
    subgroups: [u64; 2],
) -> MatrixTiles {
    MatrixTiles { family, pipeline: Pipeline::TileAndFuse, tile, stages, subgroups }
}

const fn distributed(family: &'static Family, tile: [u64; 3], subgroups: [u64; 2]) -> MatrixTiles {
    MatrixTiles { family, pipeline: Pipeline::VectorDistribute, tile, stages: 1, subgroups }
}

pub(crate) static MATRIX_PRODUCTS: &[MatrixTiles] = &[
    fused(&MFMA_16, [128, 128, 64], 2, [2, 2]),
    fused(&MFMA_16, [128, 128, 32], 3, [2, 2]),
    fused(&MFMA_16, [64, 128, 64], 2, [2, 2]),
    fused(&MFMA_16, [64, 64, 64], 2, [2, 2]),
    fused(&MFMA_32, [128, 128, 64], 2, [2, 2]),
    fused(&MFMA_32, [64, 128, 32], 3, [2, 2]),
    distributed(&MFMA_16, [64, 128, 64], [2, 2]),
    distributed(&MFMA_32, [64, 128, 64], [2, 2]),
];

pub(crate) static THREAD_PRODUCTS: &[ThreadTiles] = &[
    ThreadTiles { tile: [64, 64, 16], thread: [4, 4] },
    ThreadTiles { tile: [32, 128, 32], thread: [4, 4] },
    ThreadTiles { tile: [128, 128, 16], thread: [8, 8] },
];

pub(crate) static PATCH_CONVOLUTIONS: &[PatchTiles] = &[
    PatchTiles { family: &MFMA_16, tile: [4, 32, 64, 64], subgroups: [2, 2, 2] },
    PatchTiles { family: &MFMA_16, tile: [4, 16, 64, 32], subgroups: [2, 1, 2] },
    PatchTiles { family: &MFMA_32, tile: [4, 32, 64, 32], subgroups: [2, 1, 2] },
];

pub(crate) static DIRECT_CONVOLUTIONS: &[DirectTiles] = &[
    DirectTiles { tile: [16, 64, 4], thread: [4, 4] },
    DirectTiles { tile: [32, 128, 8], thread: [4, 8] },
];
