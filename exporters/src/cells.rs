//! Formats values as text, for the human-readable formats.

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// The text of NULL in `box` and `line`.
pub const NULL: &str = "NULL";

/// Maximum number of bytes of a binary value that are shown.
const BINARY_BYTES: usize = 16;

/// Returns the cells of a batch as text, row by row, with `null` for NULL.
pub fn rows(batch: &RecordBatch, null: &str) -> Result<Vec<Vec<String>>, ArrowError> {
    let options = FormatOptions::default();
    let columns: Vec<ArrayFormatter<'_>> = batch
        .columns()
        .iter()
        .map(|column| ArrayFormatter::try_new(column.as_ref(), &options))
        .collect::<Result<_, _>>()?;
    Ok((0..batch.num_rows())
        .map(|row| {
            let cells = batch.columns().iter().zip(&columns);
            cells.map(|(array, column)| cell(array.as_ref(), column, row, null)).collect()
        })
        .collect())
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

/// Escapes a text that contains control characters, which could break the layout or control the terminal.
pub fn printable(text: &str) -> String {
    if text.contains(char::is_control) { text.escape_debug().to_string() } else { text.to_owned() }
}

/// True if a column is numeric, and therefore right-aligned.
pub fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric()
}
