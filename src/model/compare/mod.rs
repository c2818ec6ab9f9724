//! Compares the times of two sides: which functions of one are which of the other, and whether their times differ.
//!
//! A **side** is one or more runs of a build. A **run** is a bundle, that is, a process. An **iteration** is an invocation
//! within a run. Runs are the unit of replication, as in [`crate::statistics`].

mod absorbed;
mod budget;
mod closest;
mod common;
mod comparison;
mod control;
mod drift;
mod floor;
mod gate;
mod judge;
mod kind;
mod kinds;
mod matching;
mod measured;
mod mixed;
mod objection;
#[cfg(test)]
mod objection_tests;
mod pair;
#[cfg(test)]
mod power_tests;
mod race;
#[cfg(test)]
mod race_tests;
mod rule;
mod runs;
mod sequence;
mod series;
mod side;
#[cfg(test)]
mod tests;
mod time;
#[cfg(test)]
mod unlike_tests;
mod work;

pub use budget::{Budget, BudgetError};
pub use comparison::Comparison;
pub use drift::Drift;
pub use gate::{Broken, Gate, GateResult, Limit, Uncertain, Unjudged, UnusedLimit};
pub use judge::{Differences, Judged, Rules, Verdict, compare};
pub use matching::By;
pub use measured::{Run, Runs, clock_of, resolution_ns};
pub use objection::{CERTAIN, are_identical, are_same_captures, objection, other_flags};
pub use pair::SAME_CALLS;
pub use race::{Lap, RunOrder, RunTime, Standing, next_block, pairs};
pub use rule::{Rule, RuleError, ShareError, share};
pub use runs::compare_runs;
pub use series::{Series, Timed, series};
pub use side::{Function, Side};
pub use time::{Measured, Operands, Times};
pub use work::{counted as counted_workgroups, unlike};
