//! A comparison of a side with the baseline.

use std::sync::Arc;

use schemas::Clock;

use super::judge::{Differences, Judged};
use super::measured::Runs;
use super::side::Side;

/// A comparison of a side with the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The baseline.
    pub base: Arc<Runs>,
    /// The side that is compared with it.
    pub new: Arc<Runs>,
    /// The times of both, as measured.
    pub times: [Side; 2],
    /// The clock that measured them.
    pub clock: Clock,
    /// What was measured, in words; empty for the times of functions.
    pub quantity: &'static str,
    /// Whether the invocations of a run are its iterations, or the run is one.
    pub by_iteration: bool,
    /// Whether the verdict on the total is that of a race.
    pub is_raced: bool,
    /// Whether both sides are the same captures.
    pub is_same: bool,
    pub differences: Differences,
}

impl Comparison {
    /// Returns the verdict on all functions together.
    pub const fn total(&self) -> &Judged {
        &self.differences.total
    }

    /// Returns the functions, by their contribution to the difference.
    pub fn functions(&self) -> &[Judged] {
        &self.differences.functions
    }
}
