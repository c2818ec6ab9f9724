//! Schedules for plain threads, without matrix instructions.

use crate::bench::configuration::fit::{self, Product};
use crate::bench::configuration::gpu::family::info;
use crate::bench::configuration::schedule::Schedule;
use crate::bench::element::Types;
use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// A matrix product with plain threads.
pub struct ThreadTiles {
    /// Rows, columns and depth of the workgroup tile.
    pub tile: [u64; 3],
    /// Rows and columns of the thread tile.
    pub thread: [u64; 2],
}

/// A direct convolution with plain threads; a workgroup computes a part of one output row.
pub struct DirectTiles {
    /// Output width and filters of the workgroup tile, and channels of a reduction step.
    pub tile: [u64; 3],
    /// Width and filters of the thread tile.
    pub thread: [u64; 2],
}

/// The class is named after NVIDIA's machine instruction: `ffma` is the floating-point multiply-add, `imad` the integer
/// one.
fn class(types: Types) -> (&'static str, String) {
    ("simt", if types.result().is_float() { "ffma" } else { "imad" }.to_owned())
}

fn threads([m, n, _]: [u64; 3], [rows, columns]: [u64; 2]) -> u64 {
    (m / rows) * (n / columns)
}

impl Schedule for ThreadTiles {
    fn tile(&self) -> [u64; 4] {
        let [m, n, k] = self.tile;
        [m, n, k, 1]
    }

    fn class(&self, types: Types) -> (&'static str, String) {
        class(types)
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String> {
        let product = Product::of(operation);
        let [m, n, k] = self.tile;
        let [rows, columns] = self.thread;
        let threads = threads(self.tile, self.thread);
        product.divides(self.tile)?;
        fit::shared_memory((m * k + k * n) * operation.types.operand().bytes(), target)?;
        fit::threads(threads, target)?;
        let config = format!(
            "promote_operands = [0, 1], reduction = {}, thread = {}, workgroup = {}",
            product.list(0, &[0, 0, k]),
            product.list(1, &[rows, columns, 0]),
            product.list(1, &[m, n, 0])
        );
        Ok(info(&config, "TileAndFuse", threads, target, ""))
    }
}

impl Schedule for DirectTiles {
    fn tile(&self) -> [u64; 4] {
        let [width, filters, depth] = self.tile;
        [width, filters, depth, 1]
    }

    fn class(&self, types: Types) -> (&'static str, String) {
        class(types)
    }

    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String> {
        let product = Product::of(operation);
        let [width, filters, depth] = self.tile;
        let [columns, lanes] = self.thread;
        let threads = threads(self.tile, self.thread);
        fit::divides_convolution(operation, [1, width, filters, depth])?;
        fit::threads(threads, target)?;
        let config = format!(
            "reduction = {}, thread = {}, workgroup = {}",
            product.list(0, &[0, 0, 0, 1, 1, depth]),
            product.list(1, &[1, columns, lanes, 0, 0, 0]),
            product.list(1, &[1, width, filters, 0, 0, 0])
        );
        Ok(info(&config, "TileAndFuse", threads, target, ""))
    }
}
