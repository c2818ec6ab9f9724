//! What functions have in common: the types of arguments, and rows in runs of one bundle.

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, UInt32Type, UInt64Type};
use datafusion::common::plan_err;
use datafusion::error::Result;

/// The rows in runs of one bundle each, with its label; mostly there is one run.
pub fn bundle_runs(labels: &StringViewArray) -> impl Iterator<Item = (Range<usize>, Option<&str>)> {
    let views = labels.views();
    let mut start = 0;
    std::iter::from_fn(move || {
        let (first, is_null) = (views.get(start)?, labels.is_null(start));
        let is_other =
            |row: &usize| views.get(*row) != Some(first) || labels.is_null(*row) != is_null;
        let run = start..(start..views.len()).find(is_other).unwrap_or(views.len());
        start = run.end;
        Some((run.clone(), (!is_null).then(|| labels.value(run.start))))
    })
}

/// Whether texts are of this type, or it is that of NULL.
pub fn is_text(given: &DataType) -> bool {
    given.is_string() || given.is_null()
}

/// The types that a function of numbers wants, where numbers are given, and as many.
pub fn numbers(function: &str, given: &[DataType], wanted: &[DataType]) -> Result<Vec<DataType>> {
    if given.len() != wanted.len() {
        return plan_err!("{function} wants {} arguments, not {}", wanted.len(), given.len());
    }
    match given.iter().find(|kind| !kind.is_numeric() && !kind.is_null()) {
        Some(other) => plan_err!("{function} wants numbers, not {other}"),
        None => Ok(wanted.to_vec()),
    }
}

/// The type that unsigned numbers are taken in: their own, so that no plan has to cast them.
pub fn either_width(given: &DataType) -> DataType {
    if *given == DataType::UInt32 { DataType::UInt32 } else { DataType::UInt64 }
}

/// Numbers of either width as wide ones.
pub fn wide(numbers: &ArrayRef) -> UInt64Array {
    match numbers.as_primitive_opt::<UInt32Type>() {
        Some(narrow) => narrow.unary(u64::from),
        None => numbers.as_primitive::<UInt64Type>().clone(),
    }
}
