//! Rows of reports as the JSON lines of `iree-profile`: a `type` first, then the columns in order, with its number
//! formats and escapes, and bytes that are not UTF-8 as they were recorded.
//!
//! Where each line ends is kept, with the values of the columns that order it, so that lines of several threads and
//! reports can be put in order after they are encoded.

use std::io::Write as _;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, FixedSizeListArray, Float64Array, Int32Array,
    Int64Array, ListArray, RecordBatch, StringViewArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Float64Type, Int32Type, Int64Type, UInt16Type, UInt32Type, UInt64Type,
};

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

/// The encoder of one report.
#[derive(Debug, Clone)]
pub struct ReportJsonl {
    /// What every line begins with.
    head: Vec<u8>,
    keys: Vec<(Key, Vec<u8>)>,
}

impl ReportJsonl {
    /// An encoder of rows of type `row_type` with these columns; `bundle` is named where there are several.
    pub fn new(row_type: &str, bundle: Option<&str>, keys: Vec<Key>) -> Self {
        let mut head = format!("{{\"type\":\"{row_type}\"").into_bytes();
        if let Some(bundle) = bundle {
            head.extend_from_slice(b",\"bundle\":");
            text(bundle, &mut head);
        }
        let keys = keys.into_iter().map(|key| {
            let prefix = format!(",\"{}\":", key.name).into_bytes();
            (key, prefix)
        });
        Self { head, keys: keys.collect() }
    }

    /// Encodes a batch, whose columns are the keys in order.
    pub fn encode(&self, batch: &RecordBatch) -> Result<Lines, EncodeError> {
        let mut order = Vec::new();
        let mut columns = Vec::with_capacity(self.keys.len());
        for ((key, prefix), array) in self.keys.iter().zip(batch.columns()) {
            if key.hidden {
                order.push(cast(array, &DataType::UInt64)?.as_primitive::<UInt64Type>().clone());
            } else {
                columns.push((key, prefix.as_slice(), Values::of(array)?));
            }
        }
        let mut lines =
            Lines { bytes: Vec::new(), ends: Vec::with_capacity(batch.num_rows()), order };
        for row in 0..batch.num_rows() {
            lines.bytes.extend_from_slice(&self.head);
            for (key, prefix, values) in &columns {
                if values.is_null(row) {
                    if !key.optional {
                        lines.bytes.extend_from_slice(prefix);
                        lines.bytes.extend_from_slice(b"null");
                    }
                    continue;
                }
                lines.bytes.extend_from_slice(prefix);
                values.print(row, key.digits, &mut lines.bytes);
            }
            lines.bytes.extend_from_slice(b"}\n");
            lines.ends.push(lines.bytes.len());
        }
        Ok(lines)
    }
}

/// A column in the type that it is printed from.
enum Values {
    Bool(BooleanArray),
    U16(UInt16Array),
    U32(UInt32Array),
    I32(Int32Array),
    U64(UInt64Array),
    I64(Int64Array),
    F64(Float64Array),
    Text(StringViewArray),
    Triples(FixedSizeListArray, UInt32Array),
    List(ListArray, Box<Values>),
}

impl Values {
    fn of(array: &ArrayRef) -> Result<Self, EncodeError> {
        Ok(match array.data_type() {
            DataType::Boolean => Self::Bool(array.as_boolean().clone()),
            DataType::UInt16 => Self::U16(array.as_primitive::<UInt16Type>().clone()),
            DataType::UInt32 => Self::U32(array.as_primitive::<UInt32Type>().clone()),
            DataType::Int32 => Self::I32(array.as_primitive::<Int32Type>().clone()),
            DataType::UInt64 => Self::U64(array.as_primitive::<UInt64Type>().clone()),
            DataType::Int64 => Self::I64(array.as_primitive::<Int64Type>().clone()),
            DataType::Float64 => Self::F64(array.as_primitive::<Float64Type>().clone()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                Self::Text(cast(array, &DataType::Utf8View)?.as_string_view().clone())
            }
            DataType::FixedSizeList(item, _) if item.data_type() == &DataType::UInt32 => {
                let list = array.as_fixed_size_list().clone();
                let items = list.values().as_primitive::<UInt32Type>().clone();
                Self::Triples(list, items)
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>().clone();
                let items = Box::new(Self::of(list.values())?);
                Self::List(list, items)
            }
            other => {
                return Err(EncodeError::Unsupported(format!(
                    "a report has a column of type {other}"
                )));
            }
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Bool(array) => array.is_null(row),
            Self::U16(array) => array.is_null(row),
            Self::U32(array) => array.is_null(row),
            Self::I32(array) => array.is_null(row),
            Self::U64(array) => array.is_null(row),
            Self::I64(array) => array.is_null(row),
            Self::F64(array) => array.is_null(row),
            Self::Text(array) => array.is_null(row),
            Self::Triples(array, _) => array.is_null(row),
            Self::List(array, _) => array.is_null(row),
        }
    }

    #[inline]
    fn print(&self, row: usize, digits: usize, out: &mut Vec<u8>) {
        match self {
            Self::Bool(array) => {
                out.extend_from_slice(if array.value(row) { b"true" } else { b"false" })
            }
            Self::U16(array) => integer(array.value(row), out),
            Self::U32(array) => integer(array.value(row), out),
            Self::I32(array) => integer(array.value(row), out),
            Self::U64(array) => integer(array.value(row), out),
            Self::I64(array) => integer(array.value(row), out),
            Self::F64(array) => fraction(array.value(row), digits, out),
            Self::Text(array) => text(array.value(row), out),
            Self::Triples(array, items) => {
                let (start, size) = (array.value_offset(row), array.value_length());
                let places = (start..start + size).filter_map(|place| usize::try_from(place).ok());
                list(places, out, |place, out| integer(items.value(place), out));
            }
            Self::List(array, items) => {
                let offsets = array.value_offsets();
                let bounds = (offsets.get(row), offsets.get(row + 1));
                let (Some(start), Some(end)) = bounds else { return };
                let items_in = (*start..*end).filter_map(|item| usize::try_from(item).ok());
                list(items_in, out, |item, out| {
                    if items.is_null(item) {
                        out.extend_from_slice(b"null")
                    } else {
                        items.print(item, digits, out)
                    }
                });
            }
        }
    }
}

fn list(
    places: impl Iterator<Item = usize>,
    out: &mut Vec<u8>,
    print: impl Fn(usize, &mut Vec<u8>),
) {
    out.push(b'[');
    for (nth, place) in places.enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        print(place, out);
    }
    out.push(b']');
}

#[inline]
fn integer(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Beyond this, not every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A fraction as C's `%.<digits>f` prints it.
fn fraction(value: f64, digits: usize, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(if value.is_sign_negative() { b"-nan" } else { b"nan" });
    } else if value.fract() == 0.0
        && value.abs() < EXACT
        && !(value == 0.0 && value.is_sign_negative())
    {
        // Times are mostly whole.
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        integer(value as i64, out);
        out.push(b'.');
        out.resize(out.len() + digits, b'0');
    } else {
        // Writing to memory cannot fail.
        let _ = write!(out, "{value:.digits$}");
    }
}

/// Text with IREE's escapes: controls and quotes are escaped, all else is as it was recorded.
fn text(value: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = schemas::escape::bytes_of(value);
    let mut rest: &[u8] = &bytes;
    while let Some(at) = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        escape(*byte, out);
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        other => {
            // Writing to memory cannot fail.
            let _ = write!(out, "\\u{other:04x}");
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(print: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        print(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fractions_are_rounded_as_c_rounds_them() {
        for (value, digits, shown) in [
            (0.0, 3, "0.000"),
            (-0.0, 3, "-0.000"),
            (2.0, 3, "2.000"),
            (0.0625, 3, "0.062"),
            (0.1875, 3, "0.188"),
            (
                1e300,
                0,
                "1000000000000000052504760255204420248704468581108159154915854115111802457988908195786371375080447854045104",
            ),
            (1.0 / 3.0, 9, "0.333333333"),
            (f64::INFINITY, 3, "inf"),
            (f64::NAN, 3, "nan"),
        ] {
            assert!(printed(|out| fraction(value, digits, out)).starts_with(shown), "{value}");
        }
    }

    #[test]
    fn text_is_escaped_as_iree_does() {
        assert_eq!(
            printed(|out| text("a\"b\\c\u{8}\u{c}\n\r\t\u{1}\u{7f}é", out)),
            "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\u{7f}é\""
        );
        let mut out = Vec::new();
        text("caf\u{10ffe9}", &mut out);
        assert_eq!(out, b"\"caf\xe9\"");
    }
}
