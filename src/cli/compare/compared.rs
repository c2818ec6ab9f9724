//! A comparison and its sides.

use super::sides::Opened;
use crate::compare::Comparison;

/// A comparison with the names of its sides.
pub struct Compared<'a> {
    pub base: &'a Opened,
    pub new: &'a Opened,
    pub source: &'static str,
    pub found: Comparison,
}
