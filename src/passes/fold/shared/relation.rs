//! The rows that a pass returns for one of its outputs.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;

use super::heap::HeapBytes;

/// The rows of one output.
pub enum Relation {
    Whole(Arrays),
    Sliced(Arc<dyn Slices>),
}

/// Rows that are converted to Arrow arrays one slice at a time.
pub trait Slices: HeapBytes + Send + Sync {
    /// Returns the number of rows.
    fn rows(&self) -> usize;

    /// Converts a range of rows to columns.
    fn arrays(&self, range: Range<usize>) -> Arrays;
}

/// The columns of one output, in the declared order.
pub type Arrays = Vec<ArrayRef>;
