//! Encodes rows of reports and exports as the JSON lines of `iree-profile`: the type of the line, then the columns in
//! order, with the number formats and escapes of `iree-profile`. Bytes that are not UTF-8 are written as recorded.
//!
//! The encoder also returns the end offset and the sort keys of each line, so that lines of several threads and
//! reports can be merged in order after they are encoded.
//!
//! For speed, keys and constant columns are encoded once per batch, and each row copies these bytes.

mod print;
mod values;

pub use values::VERBATIM;

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{ArrowNativeType, DataType, UInt64Type};

use self::print::Piece;
use self::values::Values;
use crate::encoder::EncodeError;

/// The name and print options of a column.
#[derive(Debug, Clone)]
pub struct Key {
    pub name: String,
    /// Digits after the decimal point of a floating-point number.
    pub digits: usize,
    /// Whether key and value are left out if the value is NULL.
    pub optional: bool,
    /// Whether the column is not printed and only serves as a sort key of the lines.
    pub hidden: bool,
}

/// Encoded lines.
#[derive(Debug, Default)]
pub struct Lines {
    pub bytes: Vec<u8>,
    /// The offset at which each line ends.
    pub ends: Vec<usize>,
    /// The sort keys: the values of the hidden columns.
    pub order: Vec<UInt64Array>,
}

/// Maximum length of a line that is assumed when memory is reserved.
const LONG: usize = 2048;

impl Lines {
    /// Reserves memory for `count` lines of the length of the first one, to avoid copies of a growing buffer.
    fn reserve(&mut self, count: usize) {
        let first = self.bytes.len();
        let wanted = first.min(LONG) * count;
        if self.bytes.capacity() < wanted {
            // One eighth more, because other lines may be slightly longer.
            self.bytes.reserve(wanted + wanted / 8 - first.min(LONG));
        }
        self.ends.reserve(count);
    }
}

/// Returns the start of each line of a report: an unclosed JSON object with the type, and a key with a constant text
/// if there is one.
pub fn head(row_type: &str, always: Option<(&str, &str)>) -> Vec<u8> {
    let mut head = format!("{{\"type\":\"{row_type}\"").into_bytes();
    if let Some((key, text)) = always {
        head.extend_from_slice(format!(",\"{key}\":").as_bytes());
        print::text(text, &mut head);
    }
    head
}

/// The encoder of one type of rows.
#[derive(Debug, Clone)]
pub struct ReportJsonl {
    head: Vec<u8>,
    /// Each column with its encoded key.
    keys: Vec<(Key, Vec<u8>)>,
}

impl ReportJsonl {
    /// Creates an encoder of lines that begin with `head`, an unclosed JSON object, and continue with these columns.
    pub fn new(head: Vec<u8>, keys: Vec<Key>) -> Self {
        let keys = keys.into_iter().map(|key| {
            let prefix = format!(",\"{}\":", key.name).into_bytes();
            (key, prefix)
        });
        Self { head, keys: keys.collect() }
    }

    /// Prepares a batch whose columns match the keys, in order. Encodes its keys and constant columns.
    pub fn start(&self, batch: &RecordBatch) -> Result<Encoding<'_>, EncodeError> {
        let mut encoding = Encoding { parts: Vec::new(), end: Piece::default(), order: Vec::new() };
        // The constant bytes after the last column that varies.
        let mut always = self.head.clone();
        for ((key, prefix), array) in self.keys.iter().zip(batch.columns()) {
            if key.hidden {
                let order = cast(array, &DataType::UInt64)?;
                encoding.order.push(order.as_primitive::<UInt64Type>().clone());
                continue;
            }
            let mut values = Values::of(&repeated(array).unwrap_or_else(|| Arc::clone(array)))?;
            let nullable = array.logical_null_count() > 0;
            if !nullable {
                always.extend_from_slice(prefix);
            }
            if values.is_constant() {
                values.print(0, key.digits, &mut always);
            } else {
                let prefix = nullable.then_some((prefix.as_slice(), key.optional));
                encoding.parts.push(Part {
                    always: Piece::new(std::mem::take(&mut always)),
                    prefix,
                    digits: key.digits,
                    values,
                });
            }
        }
        always.extend_from_slice(b"}\n");
        encoding.end = Piece::new(always);
        Ok(encoding)
    }
}

/// Returns the first row of a text column whose rows are all equal, such as that of an SQL literal; `None` for other
/// columns.
fn repeated(array: &ArrayRef) -> Option<ArrayRef> {
    let texts = array.as_string_opt::<i32>().filter(|texts| texts.null_count() == 0)?;
    let (offsets, bytes) = (texts.value_offsets(), texts.value_data());
    let (start, end) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    let bytes = bytes.get(start..end)?;
    let length = texts.iter().next()??.len();
    // The texts are contiguous. Texts of one length are all equal if and only if the bytes equal themselves shifted by
    // one text: a single comparison of two slices.
    let is_as_long = |bounds: &[i32; 2]| (bounds[1] - bounds[0]).as_usize() == length;
    let is_repeated = offsets.array_windows().all(is_as_long)
        && bytes.get(length..)? == bytes.get(..bytes.len() - length)?;
    is_repeated.then(|| array.slice(0, 1))
}

/// A batch that is being encoded.
pub struct Encoding<'a> {
    parts: Vec<Part<'a>>,
    /// The end of every line: keys and constant columns after the last column that varies, and the closing brace.
    end: Piece,
    order: Vec<UInt64Array>,
}

impl Encoding<'_> {
    /// Encodes a range of rows into `lines`, replacing its contents and reusing its memory.
    pub fn encode(&mut self, rows: Range<usize>, lines: &mut Lines) {
        lines.bytes.clear();
        lines.ends.clear();
        lines.order.clear();
        lines.order.extend(self.order.iter().map(|order| order.slice(rows.start, rows.len())));
        let count = rows.len();
        for (nth, row) in rows.enumerate() {
            for part in &mut self.parts {
                part.print(row, &mut lines.bytes);
            }
            self.end.print(&mut lines.bytes);
            if nth == 0 {
                lines.reserve(count);
            }
            lines.ends.push(lines.bytes.len());
        }
    }
}

/// A column whose values vary between rows.
struct Part<'a> {
    /// The constant bytes before the value.
    always: Piece,
    /// The key of a column with NULLs, and whether the key is left out for NULL. `None` for a column without NULLs,
    /// whose key is in `always`.
    prefix: Option<(&'a [u8], bool)>,
    digits: usize,
    values: Values,
}

impl Part<'_> {
    #[inline]
    fn print(&mut self, row: usize, out: &mut Vec<u8>) {
        self.always.print(out);
        if let Some((prefix, optional)) = self.prefix {
            let is_null = self.values.is_null(row);
            if !is_null || !optional {
                out.extend_from_slice(prefix);
            }
            if is_null {
                out.extend_from_slice(if optional { b"" } else { b"null" });
                return;
            }
        }
        self.values.print(row, self.digits, out);
    }
}
