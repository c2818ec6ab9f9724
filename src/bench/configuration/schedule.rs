//! What a row in the table of a back end does.

use crate::bench::element::Types;
use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// A row in the table of a back end.
pub trait Schedule: Sync {
    /// Returns the tile of the result, the tile of the reduction, and the number of pipeline stages: `128x128_32x5`.
    fn tile(&self) -> String;

    /// Returns the class of compute units, and the class of instructions or generated code.
    fn class(&self, types: Types) -> (&'static str, String);

    /// Checks whether the schedule fits an operation on a target. The error is the reason why not.
    fn check(&self, operation: &Operation, target: &Target) -> Result<(), String>;

    /// Returns the `compilation_info` attribute of the schedule.
    fn attribute(&self, operation: &Operation, target: &Target) -> String;
}
