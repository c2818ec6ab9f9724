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

impl Pipeline {
    const fn name(self) -> &'static str {
        match self {
            Self::TileAndFuse => "TileAndFuse",
            Self::VectorDistribute => "VectorDistribute",
        }
    }
}

impl MatrixTiles {
    fn config(&self, intrinsic: &Intrinsic, product: &Product) -> String {
        let [m, n, k] = self.tile;
        let [rows, columns] = self.subgroups;
        let [side_m, side_n, side_k] = intrinsic.sides;
        let workgroup = product.list(1, &[m, n, 0]);
        let mma = mma(self.family, intrinsic);
        match self.pipeline {
            Pipeline::TileAndFuse => {
                // Subgroup tiles and reduction are counted in instructions, not in elements.
                let subgroup = product.list(0, &[m / (rows * side_m), n / (columns * side_n), 0]);
                let reduction = product.list(0, &[0, 0, k / side_k]);
                format!(
                    "{mma}, promote_operands = [0, 1], reduction = {reduction}, \
                     subgroup = {subgroup}, workgroup = {workgroup}"
                )
            }
            Pipeline::VectorDistribute => {
                let counts = product.list(1, &[rows, columns, 1]);
                let order: Vec<u64> = (0..if product.batched { 4 } else { 3 }).collect();
                let reduction = product.list(0, &[0, 0, k]);
                format!(
                    "{mma}, promote_operands = [0, 1], reduction = {reduction}, \
                     subgroup_basis = [{counts}, {}], workgroup = {workgroup}",
                    fit::list(None, &order)
                )
            }
        }
    }

    fn threads(&self, target: &Target) -> u64 {
        self.subgroups.iter().product::<u64>() * target.limits().subgroup
    }
}

impl Schedule for MatrixTiles {
    fn tile(&self) -> String {
        let [m, n, k] = self.tile;
        format!("{m}x{n}_{k}x{}", self.stages)
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        let distributed = if self.pipeline == Pipeline::VectorDistribute { "vd" } else { "" };
        (self.family.core, format!("{}{distributed}", self.family.name))
    }

    fn check(&self, operation: &Operation, target: &Target) -> Result<(), String> {
        self.family.intrinsic(operation.types, target)?;
        Product::of(operation).divides(self.tile)?;
        let [m, n, k] = self.tile;
        let bytes = (m * k + k * n) * operation.types.operand().bytes() * self.stages;
        fit::shared_memory(bytes, target)?;
        fit::threads(self.threads(target), target)
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> String {
        let Ok(intrinsic) = self.family.intrinsic(operation.types, target) else {
            return String::new();
        };
        let config = self.config(intrinsic, &Product::of(operation));
        let options = match self.pipeline {
            Pipeline::TileAndFuse => stages(self.stages, false),
            Pipeline::VectorDistribute => String::new(),
        };
        info(
            &config,
            self.pipeline.name(),
            self.threads(target),
            target.limits().subgroup,
            &options,
        )
    }
}

impl PatchTiles {
    fn threads(&self, target: &Target) -> u64 {
        self.subgroups.iter().product::<u64>() * target.limits().subgroup
    }
}

impl Schedule for PatchTiles {
    fn tile(&self) -> String {
        let [height, width, filters, depth] = self.tile;
        format!("{}x{filters}_{depth}x2", height * width)
    }

    fn class(&self, _types: Types) -> (&'static str, String) {
        (self.family.core, self.family.name.to_owned())
    }

    fn check(&self, operation: &Operation, target: &Target) -> Result<(), String> {
        self.family.intrinsic(operation.types, target)?;
        let convolution = fit::convolution(operation)?;
        let [height, width, filters, depth] = self.tile;
        let [_, _, _, k] = operation.product();
        fit::divides("output height", convolution.output_height(), height)?;
        fit::divides("output width", convolution.output_width(), width)?;
        fit::divides("filters", convolution.filters, filters)?;
        fit::divides("filter height * width * channels", k, depth)?;
        let elements = (height * width + filters) * depth;
        fit::shared_memory(elements * operation.types.operand().bytes() * 2, target)?;
        fit::threads(self.threads(target), target)
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> String {
        let (Ok(intrinsic), Ok(convolution)) =
            (self.family.intrinsic(operation.types, target), fit::convolution(operation))
        else {
            return String::new();
        };
        let list =
            |around, sizes: &[u64]| fit::list((convolution.batch > 1).then_some(around), sizes);
        let [height, width, filters, depth] = self.tile;
        let [rows, columns, lanes] = self.subgroups;
        let [side_m, side_n, side_k] = intrinsic.sides;
        let counts = [height / rows, width / (columns * side_m), filters / (lanes * side_n), 0];
        let config = format!(
            "{}, promote_operands = [0, 1], reduction = {}, subgroup = {}, workgroup = {}",
            mma(self.family, intrinsic),
            list(0, &[0, 0, 0, depth / side_k]),
            list(0, &counts),
            list(1, &[height, width, filters, 0])
        );
        info(
            &config,
            "TileAndFuse",
            self.threads(target),
            target.limits().subgroup,
            &stages(2, true),
        )
    }
}

fn mma(family: &Family, intrinsic: &Intrinsic) -> String {
    format!("{}mma_kind = #iree_gpu.mma_layout<{}>", family.extra, intrinsic.name)
}
