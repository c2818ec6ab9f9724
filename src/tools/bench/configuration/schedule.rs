//! What a row in the table of a back end does.

use crate::bench::element::Types;
use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// A row in the table of a back end.
pub trait Schedule: Sync {
    /// Returns rows, columns and depth of the tile, and the number of pipeline stages.
    fn tile(&self) -> [u64; 4];

    /// Returns the class of compute units, and the class of instructions or generated code.
    fn class(&self, types: Types) -> (&'static str, String);

    /// Returns the `compilation_info` attribute of the schedule. Fails with the reason if it does not fit an operation on a
    /// target.
    fn attribute(&self, operation: &Operation, target: &Target) -> Result<String, String>;
}
