//! Rows of reports and exports as the JSON lines of `iree-profile`: what says of which type the line is, then the columns
//! in order, with its number formats and escapes, and bytes that are not UTF-8 as they were recorded.
//!
//! Where each line ends is kept, with the values of the columns that order it, so that lines of several threads and
//! reports can be put in order after they are encoded.

mod print;
mod values;

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{ArrowNativeType, DataType, UInt64Type};

use self::print::Piece;
use self::values::Values;
use crate::EncodeError;

/// How a column is printed.
#[derive(Debug, Clone)]
pub struct Key {
    pub name: String,
    /// Digits behind the point of a fraction.
    pub digits: usize,
    /// Left out where it is NULL.
    pub optional: bool,
    /// Only orders the lines.
    pub hidden: bool,
}

/// Encoded lines.
#[derive(Debug, Default)]
pub struct Lines {
    pub bytes: Vec<u8>,
    /// Where each line ends.
    pub ends: Vec<usize>,
    /// The values of the hidden columns.
    pub order: Vec<UInt64Array>,
}

/// Bytes up to which all lines are taken to be about as long as the first.
const LONG: usize = 2048;

impl Lines {
    /// Takes memory for `count` lines like the first at once: memory that grows is copied each time.
    fn reserve(&mut self, count: usize) {
        let first = self.bytes.len();
        let wanted = first.min(LONG) * count;
        if self.bytes.capacity() < wanted {
            // The others may be a little longer.
            self.bytes.reserve(wanted + wanted / 8 - first.min(LONG));
        }
        self.ends.reserve(count);
    }
}

/// Metadata of a text within a structure, by which it is printed as it is: a number that no type of a column is wide
/// enough for.
pub const VERBATIM: &str = "verbatim";

/// What the lines of a report begin with: their type and what every line says besides.
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
    /// What every line begins with.
    head: Vec<u8>,
    keys: Vec<(Key, Vec<u8>)>,
}

impl ReportJsonl {
    /// An encoder of lines that begin with `head`, an object that is still open, and go on with these columns.
    pub fn new(head: Vec<u8>, keys: Vec<Key>) -> Self {
        let keys = keys.into_iter().map(|key| {
            let prefix = format!(",\"{}\":", key.name).into_bytes();
            (key, prefix)
        });
        Self { head, keys: keys.collect() }
    }

    /// Starts on a batch, whose columns are the keys in order.
    pub fn start(&self, batch: &RecordBatch) -> Result<Encoding<'_>, EncodeError> {
        let mut encoding = Encoding { parts: Vec::new(), end: Piece::default(), order: Vec::new() };
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

/// The first row of texts that are all the same, as literals are: they lie one behind the other, so that what follows the
/// first begins as the whole does.
fn repeated(array: &ArrayRef) -> Option<ArrayRef> {
    let texts = array.as_string_opt::<i32>().filter(|texts| texts.null_count() == 0)?;
    let (offsets, bytes) = (texts.value_offsets(), texts.value_data());
    let (start, end) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    let bytes = bytes.get(start..end)?;
    let length = texts.iter().next()??.len();
    let is_as_long = |bounds: &[i32; 2]| (bounds[1] - bounds[0]).as_usize() == length;
    let is_repeated = offsets.array_windows().all(is_as_long)
        && bytes.get(length..)? == bytes.get(..bytes.len() - length)?;
    is_repeated.then(|| array.slice(0, 1))
}

/// A batch that is being encoded.
pub struct Encoding<'a> {
    parts: Vec<Part<'a>>,
    /// What every line ends with.
    end: Piece,
    order: Vec<UInt64Array>,
}

impl Encoding<'_> {
    /// Encodes some of the rows into `lines`, whose memory is used again.
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

/// A column whose values differ from row to row.
struct Part<'a> {
    /// What is the same in every row before the value.
    always: Piece,
    /// The key of a column that has NULLs, and whether it is left out for them.
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
