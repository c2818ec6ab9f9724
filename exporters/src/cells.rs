//! Formats values as text, for the human-readable formats.

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

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

/// Escapes a text that contains control characters, which could break the layout or control the terminal, or characters
/// that change the direction of text, with which a name can look like another one.
pub fn printable(text: &str) -> String {
    let escape = |letter: char| {
        if turns(letter) {
            letter.escape_unicode().to_string()
        } else {
            letter.escape_debug().to_string()
        }
    };
    let is_unsafe = |letter: char| letter.is_control() || turns(letter);
    if text.contains(is_unsafe) { text.chars().map(escape).collect() } else { text.to_owned() }
}

/// Whether a character is a bidirectional control of Unicode (UAX #9).
const fn turns(letter: char) -> bool {
    matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Separates the thousands of a number.
pub fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        for (text, expected) in [
            ("matmul", "matmul"),
            ("größe \"x\"", "größe \"x\""),
            ("red \u{1b}[31m", "red \\u{1b}[31m"),
            ("two\nlines", "two\\nlines"),
            ("c1 \u{9b}31m", "c1 \\u{9b}31m"),
            ("evil\u{202e}txt.exe", "evil\\u{202e}txt.exe"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }
}
