//! Formats values as text, for the human-readable formats.

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use base::printable;

/// The text of NULL in `box` and `line`.
pub const NULL: &str = "NULL";

/// Maximum number of bytes of a binary value that are shown.
const BINARY_BYTES: usize = 16;

/// Returns the names of the columns.
pub fn names(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| printable(field.name())).collect()
}

/// Returns the cells of a batch as text, row by row, with `null` for NULL.
pub fn rows(batch: &RecordBatch, null: &str) -> Result<Vec<Vec<String>>, ArrowError> {
    let options = FormatOptions::default();
    let columns = batch
        .columns()
        .iter()
        .map(|array| Ok((array, ArrayFormatter::try_new(array.as_ref(), &options)?)))
        .collect::<Result<Vec<_>, ArrowError>>()?;
    let row = |row| columns.iter().map(|(array, column)| cell(array, column, row, null)).collect();
    Ok((0..batch.num_rows()).map(row).collect())
}

/// Formats one cell. A long binary value is shortened, and control characters are escaped.
fn cell(array: &dyn Array, column: &ArrayFormatter<'_>, row: usize, null: &str) -> String {
    if array.is_null(row) || array.data_type().is_null() {
        return null.to_owned();
    }
    let text = column.value(row).to_string();
    let binary = matches!(
        array.data_type(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView
    );
    if binary && text.len() > BINARY_BYTES * 2 {
        let shown: String = text.chars().take(BINARY_BYTES * 2).collect();
        return format!("{shown}… ({} bytes)", text.len() / 2);
    }
    printable(&text)
}
