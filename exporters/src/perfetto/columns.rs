//! Reads the columns of a batch by name.

use arrow::array::{Array, ArrayAccessor, RecordBatch};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

use crate::encoder::EncodeError;

/// Returns a column cast to `kind`, the type of `A`; `None` if the batch has no such column. A value that has no equal in
/// that type is an error.
pub fn column<A: Array + Clone + 'static>(
    batch: &RecordBatch,
    name: &str,
    kind: &DataType,
) -> Result<Option<A>, EncodeError> {
    let Some(array) = batch.column_by_name(name) else { return Ok(None) };
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let what = |why: &str| {
        EncodeError::Unsupported(format!("the column {name} cannot be read as {kind}{why}"))
    };
    let array = cast_with_options(array, kind, &strict).map_err(|error| match error {
        ArrowError::CastError(why) => what(&format!(": {why}")),
        _ => what(""),
    })?;
    array.as_any().downcast_ref::<A>().cloned().map(Some).ok_or_else(|| what(""))
}

/// Returns the value of a row; `None` for NULL, or if there is no column.
#[inline]
pub fn at<A: ArrayAccessor>(array: Option<A>, row: usize) -> Option<A::Item> {
    array.filter(|array| array.is_valid(row)).map(|array| array.value(row))
}
