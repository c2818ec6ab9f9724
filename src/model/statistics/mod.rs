//! Statistics of repeated measurements: intervals of ratios, tests of differences, and error rates over many tests.
//!
//! The unit of replication is the run, a process: iterations within a run share its memory layout, its threads and the
//! state of the machine. Functions take a value per iteration, grouped by run, and are deterministic.

mod change_points;
mod count;
mod discoveries;
mod distances;
mod few_runs;
mod mean;
#[cfg(test)]
#[path = "../../../tests/support/normal.rs"]
pub mod normal;
mod quantiles;
mod random;
mod ratio;
mod sequential;
#[cfg(test)]
mod simulated_series;
#[cfg(test)]
mod simulation;
mod welch;

pub use change_points::{ChangePoint, Changes, LEVEL, change_points};
pub use count::float;
pub use discoveries::adjusted;
pub use distances::Distances;
pub(crate) use few_runs::ratio_of_few;
pub use few_runs::{BETWEEN_RUNS, FewRuns};
pub use mean::{MEAN_RUNS, Mean, mean_of_runs};
pub use quantiles::{median, quantile, sorted};
pub use random::{below, shuffle};
pub use ratio::{Interval, RUNS, Summary, ratio_of};
pub use sequential::anytime_ratio;
pub use welch::welch_test;
