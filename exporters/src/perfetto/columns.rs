//! Reads the columns of a batch by name.

use arrow::array::{Array, ArrayAccessor, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::DataType;

use crate::encoder::EncodeError;

/// Returns a column cast to `kind`, the type of `A`; `None` if the batch has no such column.
pub fn column<A: Array + Clone + 'static>(
    batch: &RecordBatch,
    name: &str,
    kind: &DataType,
) -> Result<Option<A>, EncodeError> {
    let Some(array) = batch.column_by_name(name) else { return Ok(None) };
    let array = cast(array, kind).ok();
    let array = array.and_then(|array| array.as_any().downcast_ref::<A>().cloned());
    let what = || format!("the column {name} cannot be read as {kind}");
    array.map(Some).ok_or_else(|| EncodeError::Unsupported(what()))
}

/// Returns the value of a row; `None` for NULL, or if there is no column.
#[inline]
pub fn at<A: ArrayAccessor>(array: Option<A>, row: usize) -> Option<A::Item> {
    array.filter(|array| array.is_valid(row)).map(|array| array.value(row))
}
