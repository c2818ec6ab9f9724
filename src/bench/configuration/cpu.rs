//! Schedules for processors: a tile for each task, and within it one for registers.

use crate::bench::Operation;

/// Tiles of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    /// Rows and columns of one task.
    task: [u64; 2],
    /// Rows, columns and depth of what is unrolled into registers.
    vector: [u64; 3],
}

/// Tiles for matrix products.
pub const MATMUL: &[Tiles] = &[
    Tiles { task: [64, 64], vector: [8, 16, 16] },
    Tiles { task: [128, 128], vector: [8, 16, 1] },
    Tiles { task: [32, 32], vector: [4, 16, 8] },
];

impl Tiles {
    pub fn name(&self) -> String {
        let [m, n] = self.task;
        format!("{m}x{n}_{}x1", self.vector[2])
    }

    pub fn instructions(&self) -> String {
        let [m, n, _] = self.vector;
        format!("vector{m}x{n}")
    }

    pub fn check(&self, operation: &Operation) -> Result<(), String> {
        let [_, m, n, k] = operation.product();
        let sizes = [("m", m, self.task[0]), ("n", n, self.task[1]), ("k", k, self.vector[2])];
        match sizes.into_iter().find(|(_, extent, tile)| extent % tile != 0) {
            Some((name, extent, tile)) => {
                Err(format!("{name}={extent} is no multiple of the tile's {tile}"))
            }
            None => Ok(()),
        }
    }

    pub fn attribute(&self) -> String {
        let [m, n] = self.task;
        let [vm, vn, vk] = self.vector;
        format!(
            "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<\
             distribution = [{m}, {n}, 0], vector_common_parallel = [{vm}, {vn}, 0], \
             vector_reduction = [0, 0, {vk}]>, translation_info = #iree_codegen.translation_info<\
             pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>"
        )
    }
}
