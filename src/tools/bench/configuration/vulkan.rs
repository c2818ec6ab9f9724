//! Schedules for Vulkan: plain threads with or without tiles in shared memory, and cooperative matrices if the GPU has
//! them.

use super::fit::{self, Product};
use crate::bench::configuration::schedule::Schedule;
use crate::bench::element::Types;
use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// A schedule for matrix products.
pub enum ProductTiles {
    /// Each thread computes a tile of the result, vectorized.
    Vector { group: [u64; 2], thread: [u64; 2], depth: u64 },
    /// Each thread computes one element of the result.
    Scalar { group: [u64; 2] },
    /// Like `Vector`, with operands copied through shared memory in pipeline stages.
    Promoted { group: [u64; 2], tile: [u64; 2], depth: u64, stages: u64 },
    /// Subgroups compute tiles of 16x16 with cooperative matrices.
    Cooperative { subgroups: [u64; 2], tile: [u64; 2], depth: u64 },
}

/// A schedule for convolutions. Sides are given as filters, width, height.
pub enum ConvolutionTiles {
    /// Each thread computes a tile of the result, vectorized.
    Vector { group: [u64; 3], thread: [u64; 3], depth: u64 },
    /// Each thread computes one element of the result; neighboring threads compute neighboring filters.
    Scalar { group: u64 },
}

use ProductTiles::{Cooperative, Promoted, Scalar, Vector};

/// Schedules for matrix products. The first dimension of a workgroup runs along the columns.
pub const PRODUCTS: &[ProductTiles] = &[
    Vector { group: [32, 2], thread: [8, 8], depth: 4 },
    Vector { group: [16, 4], thread: [8, 8], depth: 4 },
    Vector { group: [16, 4], thread: [4, 4], depth: 4 },
    Vector { group: [8, 8], thread: [4, 4], depth: 4 },
    Vector { group: [16, 8], thread: [4, 4], depth: 4 },
    Scalar { group: [32, 4] },
    Scalar { group: [16, 8] },
    Promoted { group: [16, 4], tile: [32, 64], depth: 16, stages: 1 },
    Promoted { group: [16, 8], tile: [64, 64], depth: 16, stages: 1 },
    Promoted { group: [16, 8], tile: [64, 64], depth: 16, stages: 2 },
    Cooperative { subgroups: [2, 2], tile: [64, 128], depth: 32 },
    Cooperative { subgroups: [2, 2], tile: [64, 64], depth: 32 },
];

/// Schedules for convolutions.
pub(crate) const CONVOLUTIONS: &[ConvolutionTiles] = &[
    ConvolutionTiles::Vector { group: [8, 2, 2], thread: [4, 2, 2], depth: 4 },
    ConvolutionTiles::Vector { group: [16, 4, 1], thread: [4, 4, 1], depth: 4 },
    ConvolutionTiles::Scalar { group: 64 },
];

/// Side of the tile of one cooperative matrix instruction.
const COOPERATIVE: u64 = 16;
/// Padding that the compiler adds to each row in shared memory, to avoid bank conflicts.
const PADDING_BYTES: u64 = 16;

impl ProductTiles {
    /// Returns rows, columns and depth of the workgroup tile.
    fn sides(&self) -> [u64; 3] {
        match self {
            Vector { group: [x, y], thread: [m, n], depth } => [y * m, x * n, *depth],
            Scalar { group: [x, y] } => [*y, *x, 1],
            Promoted { tile: [m, n], depth, .. } | Cooperative { tile: [m, n], depth, .. } => {
                [*m, *n, *depth]
            }
        }
    }

    fn threads(&self, target: &Target) -> [u64; 2] {
        match self {
            Vector { group, .. } | Scalar { group } | Promoted { group, .. } => *group,
            Cooperative { subgroups: [x, y], .. } => [x * target.limits().subgroup, *y],
        }
    }

    fn shared_bytes(&self, types: Types) -> u64 {
        let Promoted { tile: [m, n], depth, stages, .. } = self else { return 0 };
        let element = types.operand().bytes();
        stages * (m * (depth * element + PADDING_BYTES) + depth * (n * element + PADDING_BYTES))
    }

    /// Returns the pipeline, and the tile sizes of each level: workgroup, subgroup or thread, reduction, instruction.
    fn levels(&self, product: &Product) -> (&'static str, Vec<String>) {
        let [m, n, k] = self.sides();
        let list = |around, sizes: &[u64]| product.list(around, sizes);
        let group = list(1, &[m, n]);
        match self {
            Vector { thread, .. } => {
                ("BaseVectorize", vec![group, list(1, thread), list(0, &[0, 0, k])])
            }
            Scalar { .. } => ("BaseDistribute", vec![group, list(1, &[1, 1])]),
            Promoted { .. } => ("MatmulPromoteVectorize", vec![list(1, &[m, n, k])]),
            Cooperative { subgroups: [across, down], .. } => {
                let subgroup = list(1, &[m / down, n / across]);
                let one = list(1, &[COOPERATIVE; 3]);
                let levels = vec![group, subgroup, list(0, &[0, 0, k]), one];
                ("CooperativeMatrixVectorize", levels)
            }
        }
    }
}

impl Schedule for ProductTiles {
    fn tile(&self) -> [u64; 4] {
        let [m, n, k] = self.sides();
        [m, n, k, if let Promoted { stages, .. } = self { *stages } else { 1 }]
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        match self {
            Vector { thread: [m, n], .. } => ("simt", format!("vector{m}x{n}")),
            Scalar { .. } => ("simt", "scalar".to_owned()),
            Promoted { .. } => ("simt", "promote".to_owned()),
            Cooperative { .. } => ("tensorcore", "coopmatrix".to_owned()),
        }
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String> {
        if matches!(self, Cooperative { .. }) && !target.limits().cooperative {
            return Err(format!("{} has no cooperative matrices", target.name()));
        }
        let product = Product::of(operation);
        let [x, y] = self.threads(target);
        product.divides(self.sides())?;
        fit::shared_memory(self.shared_bytes(operation.types), target)?;
        fit::threads(x * y, target)?;
        let options = match self {
            Promoted { stages, .. } => {
                format!(", {{pipeline_depth = {stages}, store_stage = 1}}")
            }
            Cooperative { .. } => format!(
                " subgroup_size = {}, {{pipeline_depth = 0, store_stage = 1}}",
                target.limits().subgroup
            ),
            Vector { .. } | Scalar { .. } => String::new(),
        };
        Ok(info(self.levels(&product), [x, y, 1], &options))
    }
}

impl ConvolutionTiles {
    /// Returns height, width and filters of the workgroup tile, and channels of a reduction step.
    fn sides(&self) -> [u64; 4] {
        match self {
            Self::Vector { group: [x, y, z], thread: [filters, width, height], depth } => {
                [z * height, y * width, x * filters, *depth]
            }
            Self::Scalar { group } => [1, 1, *group, 1],
        }
    }

    fn group(&self) -> [u64; 3] {
        match self {
            Self::Vector { group, .. } => *group,
            Self::Scalar { group } => [*group, 1, 1],
        }
    }
}

impl Schedule for ConvolutionTiles {
    fn tile(&self) -> [u64; 4] {
        let [height, width, filters, depth] = self.sides();
        [height * width, filters, depth, 1]
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        match self {
            Self::Vector { thread: [filters, width, height], .. } => {
                ("simt", format!("vector{}x{filters}", height * width))
            }
            Self::Scalar { .. } => ("simt", "scalar".to_owned()),
        }
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String> {
        fit::divides_convolution(operation, self.sides())?;
        fit::threads(self.group().iter().product(), target)?;
        let product = Product::of(operation);
        let list = |around, sizes: &[u64]| product.list(around, sizes);
        let [h, w, f, depth] = self.sides();
        let group = list(1, &[h, w, f]);
        let levels = match self {
            Self::Vector { thread: [filters, width, height], .. } => {
                let thread = list(1, &[*height, *width, *filters]);
                // One row at a time: the compiler vectorizes only one-dimensional convolutions.
                let row = list(0, &[1, 0, 0]);
                ("BaseVectorize", vec![group, thread, list(0, &[0, 0, 0, 1, 1, depth]), row])
            }
            Self::Scalar { .. } => ("BaseDistribute", vec![group, list(1, &[1, 1, 1])]),
        };
        Ok(info(levels, self.group(), ""))
    }
}

fn info((pipeline, levels): (&str, Vec<String>), group: [u64; 3], options: &str) -> String {
    format!(
        "#iree_codegen.compilation_info<\n  \
         lowering_config = #iree_codegen.lowering_config<tile_sizes = [{}]>,\n  \
         translation_info = #iree_codegen.translation_info<\
         pipeline = #iree_gpu.spirv_pipeline<{pipeline}> workgroup_size = {}{options}>>",
        levels.join(", "),
        fit::list(None, &group)
    )
}
