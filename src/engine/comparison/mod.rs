//! Comparisons in SQL: the table function `comparison(base, new)`, and what `ireescope compare` shares with it.

mod function;
mod measure;
mod read;
mod rows;

pub use function::function;
pub use measure::{KERNEL_TIME, MEASURES, Measure, RUNS};
pub use read::{runs, times};
pub use rows::{Row, batch};
