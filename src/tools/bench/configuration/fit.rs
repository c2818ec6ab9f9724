//! Checks whether tiles fit an operation and a target. Errors are the reasons in words.

use crate::bench::operation::{Operation, Shape};
use crate::bench::target::{Backend, Target};

/// The extents of an operation as schedules see them: a convolution is a product of its patches and filters, and
/// split-k is a batch of slices.
pub struct Product {
    /// Whether a batch loop encloses the product. GPU sources have none for a convolution of one image.
    pub batched: bool,
    pub m: u64,
    pub n: u64,
    pub k: u64,
}

impl Product {
    /// Returns the product of an operation.
    pub fn of(operation: &Operation) -> Self {
        let [_, m, n, k] = operation.product();
        match operation.shape {
            Shape::MatmulSplitk { slices, .. } => {
                Self { batched: true, m, n, k: k.checked_div(slices).unwrap_or(0) }
            }
            Shape::BatchMatmul { .. } => Self { batched: true, m, n, k },
            Shape::Conv2d(it) => Self { batched: it.batch > 1, m, n, k },
            Shape::Matmul { .. } => Self { batched: false, m, n, k },
        }
    }

    /// Checks that a tile divides the extents.
    pub fn divides(&self, tile: [u64; 3]) -> Result<(), String> {
        let [m, n, k] = tile;
        divides("m", self.m, m)?;
        divides("n", self.n, n)?;
        divides("k", self.k, k)
    }

    /// Formats tile sizes as an MLIR array, with `around` in front if there is a batch loop.
    pub fn list(&self, around: u64, sizes: &[u64]) -> String {
        list(self.batched.then_some(around), sizes)
    }
}

/// Checks that a tile divides the output height, the output width, the filters and the channels of a convolution.
pub(crate) fn divides_convolution(operation: &Operation, tile: [u64; 4]) -> Result<(), String> {
    let Shape::Conv2d(convolution) = operation.shape else {
        return Err("this schedule supports convolutions only".to_owned());
    };
    let [height, width, filters, channels] = tile;
    divides("output height", convolution.output_height(), height)?;
    divides("output width", convolution.output_width(), width)?;
    divides("filters", convolution.filters, filters)?;
    divides("channels", convolution.channels, channels)
}

/// Formats sizes as an MLIR array, with the size for the batch loop in front if there is one.
pub fn list(around: Option<u64>, sizes: &[u64]) -> String {
    let sizes: Vec<String> = around.iter().chain(sizes).map(u64::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

/// Checks that the side of a tile divides an extent.
pub fn divides(name: &str, extent: u64, tile: u64) -> Result<(), String> {
    if extent.is_multiple_of(tile) {
        return Ok(());
    }
    Err(format!("{name}={extent} is not a multiple of the tile size {tile}"))
}

/// Checks that the tiles of a workgroup fit into shared memory.
pub(crate) fn shared_memory(bytes: u64, target: &Target) -> Result<(), String> {
    let limit = target.limits().shared_memory;
    if bytes <= limit {
        return Ok(());
    }
    Err(format!("needs {bytes} bytes of shared memory, but {} has {limit}", target.name()))
}

/// Checks that a workgroup may have this many threads.
pub fn threads(count: u64, target: &Target) -> Result<(), String> {
    let limit = target.limits().threads;
    if count <= limit {
        return Ok(());
    }
    Err(format!("needs workgroups of {count} threads, and {} allows {limit}", target.name()))
}

/// Fails if a loop has extent 1: the compiler folds such a loop, and drops the configuration of the operation with it.
pub fn folded(operation: &Operation, target: &Target) -> Result<(), String> {
    let loops: Vec<(&str, u64)> = match operation.shape {
        Shape::Matmul { m, n, k } => vec![("m", m), ("n", n), ("k", k)],
        Shape::BatchMatmul { batch, m, n, k } => {
            vec![("batch count", batch), ("m", m), ("n", n), ("k", k)]
        }
        Shape::MatmulSplitk { m, n, k, slices } => {
            let depth = k.checked_div(slices).unwrap_or(0);
            vec![("split-k slices", slices), ("m", m), ("n", n), ("k of a slice", depth)]
        }
        Shape::Conv2d(it) => {
            // GPU sources have no loop over a batch of 1 (see `source::convolution`), so the batch is never folded.
            let batch = if target.backend() == Backend::LlvmCpu { it.batch } else { 2 };
            vec![
                ("batch", batch),
                ("output height", it.output_height()),
                ("output width", it.output_width()),
                ("filters", it.filters),
                ("filter height", it.filter_height),
                ("filter width", it.filter_width),
                ("channels", it.channels),
            ]
        }
    };
    match loops.into_iter().find(|(_, extent)| *extent == 1) {
        Some((name, _)) => Err(format!(
            "the compiler removes loops of extent 1 ({name}) together with the configuration"
        )),
        None => Ok(()),
    }
}
