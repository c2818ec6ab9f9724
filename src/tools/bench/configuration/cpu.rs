//! Schedules for CPUs: a tile per task, which is divided into vector tiles.

use super::fit::{self, Product};
use crate::bench::configuration::schedule::Schedule;
use crate::bench::element::Types;
use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// The tiles of a matrix product.
pub struct ProductTiles {
    /// Rows and columns of one task.
    task: [u64; 2],
    /// Rows and columns of the accumulators that are kept in registers.
    registers: [u64; 2],
    /// Elements of the reduction in one step.
    depth: u64,
}

/// The tiles of a convolution.
pub struct ConvolutionTiles {
    /// Height, width and filters of one task.
    task: [u64; 3],
    /// Width and filters of the accumulators that are kept in registers.
    registers: [u64; 2],
    /// Channels of the reduction in one step.
    depth: u64,
}

/// Schedules for matrix products. A step covers at most 4096 bytes (rows * columns * depth * 4), because the compiler
/// rejects vectors of 512 native registers: 8192 bytes with the 16-byte registers of the smallest CPUs.
pub const PRODUCTS: &[ProductTiles] = &[
    ProductTiles { task: [64, 64], registers: [8, 16], depth: 8 },
    ProductTiles { task: [64, 64], registers: [8, 32], depth: 4 },
    ProductTiles { task: [32, 64], registers: [8, 32], depth: 4 },
    ProductTiles { task: [128, 128], registers: [8, 32], depth: 4 },
    ProductTiles { task: [128, 256], registers: [8, 32], depth: 4 },
    ProductTiles { task: [32, 32], registers: [4, 16], depth: 4 },
];

/// Schedules for convolutions, with the same limit.
pub(crate) const CONVOLUTIONS: &[ConvolutionTiles] = &[
    ConvolutionTiles { task: [4, 32, 64], registers: [8, 16], depth: 8 },
    ConvolutionTiles { task: [4, 16, 64], registers: [4, 16], depth: 4 },
    ConvolutionTiles { task: [8, 8, 32], registers: [8, 32], depth: 4 },
    ConvolutionTiles { task: [1, 16, 128], registers: [8, 32], depth: 4 },
];

impl Schedule for ProductTiles {
    fn tile(&self) -> [u64; 4] {
        let [m, n] = self.task;
        [m, n, self.depth, 1]
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        let [m, n] = self.registers;
        ("cpu", format!("vector{m}x{n}"))
    }

    fn attribute(&self, operation: &Operation, _target: &Target) -> Result<String, String> {
        let product = Product::of(operation);
        let [m, n] = self.task;
        let [rows, columns] = self.registers;
        product.divides([m, n, self.depth])?;
        Ok(info(
            "DoubleTilingExpert",
            &product.list(1, &[m, n, 0]),
            &product.list(1, &[rows, columns, 0]),
            &product.list(0, &[0, 0, self.depth]),
        ))
    }
}

impl Schedule for ConvolutionTiles {
    fn tile(&self) -> [u64; 4] {
        let [height, width, filters] = self.task;
        [height * width, filters, self.depth, 1]
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        let [width, filters] = self.registers;
        ("cpu", format!("vector{width}x{filters}"))
    }

    fn attribute(&self, operation: &Operation, _target: &Target) -> Result<String, String> {
        let [height, width, filters] = self.task;
        let [columns, lanes] = self.registers;
        fit::divides_convolution(operation, [height, width, filters, self.depth])?;
        Ok(info(
            "ConvTileAndDecomposeExpert",
            &fit::list(None, &[0, height, width, filters, 0, 0, 0]),
            &fit::list(None, &[1, 1, columns, lanes, 0, 0, 0]),
            &fit::list(None, &[0, 0, 0, 0, 1, 1, self.depth]),
        ))
    }
}

fn info(pipeline: &str, task: &str, registers: &str, depth: &str) -> String {
    format!(
        "#iree_codegen.compilation_info<\n  \
         lowering_config = #iree_cpu.lowering_config<distribution = {task}, \
         vector_common_parallel = {registers}, vector_reduction = {depth}>,\n  \
         translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<{pipeline}>>>"
    )
}
