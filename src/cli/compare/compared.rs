//! A comparison and its sides.

use crate::compare::{Comparison, Runs, Side};
use crate::engine::comparison::Measure;

/// A comparison with its sides.
pub struct Compared<'a> {
    pub base: &'a Runs,
    pub new: &'a Runs,
    /// The times of both, as measured.
    pub times: [Side; 2],
    /// The clock that measured them.
    pub clock: &'static str,
    pub measure: &'static Measure,
    /// Whether the invocations of a run are its iterations, or the run is one.
    pub by_iteration: bool,
    /// Whether the verdict on the total is that of a race.
    pub is_raced: bool,
    /// Whether both sides are the same captures.
    pub is_same: bool,
    pub found: Comparison,
}
