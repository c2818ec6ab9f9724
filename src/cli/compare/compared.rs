//! A comparison and its sides.

use super::sides::Opened;
use crate::compare::{Comparison, Side};

/// A comparison with its sides.
pub struct Compared<'a> {
    pub base: &'a Opened,
    pub new: &'a Opened,
    /// The times of both.
    pub times: [Side; 2],
    /// The clock that measured them.
    pub source: &'static str,
    /// Whether the invocations of a run are its iterations, or the run is one.
    pub by_iteration: bool,
    pub found: Comparison,
}
