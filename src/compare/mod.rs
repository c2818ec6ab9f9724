//! Compares the times of two sides: which functions of one are which of the other, and whether their times differ.
//!
//! A **side** is one or more runs of a build. A **run** is a bundle, that is, a process. An **iteration** is an invocation
//! within a run. Runs are the unit of replication, as in [`crate::statistics`].

mod absorbed;
mod control;
mod floor;
mod judge;
mod matching;
mod measured;
mod race;
#[cfg(test)]
mod race_tests;
mod series;
mod side;
#[cfg(test)]
mod tests;

pub use judge::{Comparison, Judged, Rules, Verdict, compare, fewest_runs};
pub use matching::By;
pub use measured::{Run, Runs, clock_of, objection, resolution_ns};
pub use race::{Lap, Standing, pairs};
pub use series::{Series, Timed, series};
pub use side::{Function, Measured, Operands, Side, Times};
