//! Helpers for SQL functions: argument types, and runs of rows of one bundle.

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::plan_err;
use datafusion::error::Result;

/// Splits the rows into runs of one bundle, each with its label. Usually a batch is one run.
pub(crate) fn bundle_runs(
    labels: &StringViewArray,
) -> impl Iterator<Item = (Range<usize>, Option<&str>)> {
    let views = labels.views();
    let mut start = 0;
    // Compares string views as integers. Different views of equal long labels only split a run.
    std::iter::from_fn(move || {
        let (first, is_null) = (views.get(start)?, labels.is_null(start));
        let is_other =
            |row: &usize| views.get(*row) != Some(first) || labels.is_null(*row) != is_null;
        let run = start..(start..views.len()).find(is_other).unwrap_or(views.len());
        start = run.end;
        Some((run.clone(), (!is_null).then(|| labels.value(run.start))))
    })
}

/// Whether the type is text or NULL.
pub fn is_text(given: &DataType) -> bool {
    given.is_string() || given.is_null()
}

/// Checks that a function gets as many numbers as it takes. Returns the types to cast them to.
pub fn numbers(function: &str, given: &[DataType], wanted: &[DataType]) -> Result<Vec<DataType>> {
    if given.len() != wanted.len() {
        return plan_err!(
            "{function} requires {} arguments, but got {}",
            wanted.len(),
            given.len()
        );
    }
    match given.iter().find(|kind| !kind.is_numeric() && !kind.is_null()) {
        Some(other) => plan_err!("{function} requires numbers, but got {other}"),
        None => Ok(wanted.to_vec()),
    }
}

/// The numbers of an argument that is cast to `UInt64`.
pub fn unsigned(array: &ArrayRef) -> &UInt64Array {
    array.as_primitive::<UInt64Type>()
}
