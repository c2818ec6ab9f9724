//! Schedules for both NVIDIA and AMD GPUs: tiles for matrix instructions, and tiles for plain threads.

mod family;
mod matrix;
mod thread;

pub use family::{Family, Intrinsic};
pub use matrix::{MatrixTiles, PatchTiles, Pipeline};
pub use thread::{DirectTiles, ThreadTiles};
