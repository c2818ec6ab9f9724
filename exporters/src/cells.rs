//! Values as text, for the formats that people read.

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// What NULL looks like in a drawn table.
pub const NULL: &str = "NULL";

/// Bytes of a binary value that are shown.
const BINARY_BYTES: usize = 16;

/// All cells of a batch, row by row.
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

/// Text without control characters, which would tear a drawing apart or command the terminal.
pub fn printable(text: &str) -> String {
    if text.contains(char::is_control) { text.escape_debug().to_string() } else { text.to_owned() }
}

/// Whether a column is drawn flush right.
pub fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric()
}
