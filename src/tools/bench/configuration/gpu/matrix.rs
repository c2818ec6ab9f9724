//! Schedules for matrix instructions.

use crate::bench::configuration::fit::{self, Product};
use crate::bench::configuration::gpu::family::{Family, Intrinsic, info, stages};
use crate::bench::configuration::schedule::Schedule;
use crate::bench::element::Types;
use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// The pipeline of the compiler that distributes matrix instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pipeline {
    TileAndFuse,
    VectorDistribute,
}

/// A matrix product with matrix instructions.
pub struct MatrixTiles {
    pub family: &'static Family,
    pub pipeline: Pipeline,
    /// Rows, columns and depth of the workgroup tile.
    pub tile: [u64; 3],
    /// Pipeline stages: tiles that are in shared memory at the same time.
    pub stages: u64,
    /// Number of subgroups along the rows and along the columns.
    pub subgroups: [u64; 2],
}

/// A convolution with matrix instructions, as a product of image patches and filters (implicit GEMM, im2col).
pub struct PatchTiles {
    pub family: &'static Family,
    /// Output height, output width, filters and depth of the workgroup tile.
    pub tile: [u64; 4],
    /// Number of subgroups along height, width and filters.
    pub subgroups: [u64; 3],
}

impl Schedule for MatrixTiles {
    fn tile(&self) -> [u64; 4] {
        let [m, n, k] = self.tile;
        [m, n, k, self.stages]
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        let distributed = if self.pipeline == Pipeline::VectorDistribute { "vd" } else { "" };
        (self.family.core, format!("{}{distributed}", self.family.name))
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String> {
        let intrinsic = self.family.intrinsic(operation.types, target)?;
        let product = Product::of(operation);
        let [m, n, k] = self.tile;
        let [rows, columns] = self.subgroups;
        let [side_m, side_n, side_k] = intrinsic.sides;
        let threads = threads(&self.subgroups, target);
        product.divides(self.tile)?;
        let bytes = (m * k + k * n) * operation.types.operand().bytes() * self.stages;
        fit::shared_memory(bytes, target)?;
        fit::threads(threads, target)?;
        let (pipeline, reduction, subgroups, options) = match self.pipeline {
            Pipeline::TileAndFuse => {
                // Subgroup tiles and reduction are counted in instructions, not in elements.
                let tile = product.list(0, &[m / (rows * side_m), n / (columns * side_n), 0]);
                let options = stages(self.stages, false);
                ("TileAndFuse", k / side_k, format!("subgroup = {tile}"), options)
            }
            Pipeline::VectorDistribute => {
                let counts = product.list(1, &[rows, columns, 1]);
                let order = product.list(0, if product.batched { &[1, 2, 3] } else { &[0, 1, 2] });
                let basis = format!("subgroup_basis = [{counts}, {order}]");
                ("VectorDistribute", k, basis, String::new())
            }
        };
        let config = format!(
            "{}, promote_operands = [0, 1], reduction = {}, {subgroups}, workgroup = {}",
            mma(self.family, intrinsic),
            product.list(0, &[0, 0, reduction]),
            product.list(1, &[m, n, 0])
        );
        Ok(info(&config, pipeline, threads, target, &options))
    }
}

impl Schedule for PatchTiles {
    fn tile(&self) -> [u64; 4] {
        let [height, width, filters, depth] = self.tile;
        [height * width, filters, depth, 2]
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        (self.family.core, self.family.name.to_owned())
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String> {
        let intrinsic = self.family.intrinsic(operation.types, target)?;
        let product = Product::of(operation);
        let [height, width, filters, depth] = self.tile;
        let [rows, columns, lanes] = self.subgroups;
        let [side_m, side_n, side_k] = intrinsic.sides;
        let threads = threads(&self.subgroups, target);
        fit::divides_convolution(operation, [height, width, filters, 1])?;
        fit::divides("filter height * width * channels", product.k, depth)?;
        let elements = (height * width + filters) * depth;
        fit::shared_memory(elements * operation.types.operand().bytes() * 2, target)?;
        fit::threads(threads, target)?;
        let counts = [height / rows, width / (columns * side_m), filters / (lanes * side_n), 0];
        let config = format!(
            "{}, promote_operands = [0, 1], reduction = {}, subgroup = {}, workgroup = {}",
            mma(self.family, intrinsic),
            product.list(0, &[0, 0, 0, depth / side_k]),
            product.list(0, &counts),
            product.list(1, &[height, width, filters, 0])
        );
        Ok(info(&config, "TileAndFuse", threads, target, &stages(2, true)))
    }
}

fn threads(subgroups: &[u64], target: &Target) -> u64 {
    subgroups.iter().product::<u64>() * target.limits().subgroup
}

fn mma(family: &Family, intrinsic: &Intrinsic) -> String {
    format!("{}mma_kind = #iree_gpu.mma_layout<{}>", family.extra, intrinsic.name)
}
