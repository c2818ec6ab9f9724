//! Casts the columns of a batch to the types that can be printed, and prints their values.

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, FixedSizeListArray, ListArray, StringViewArray,
};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Field, Float64Type, Int32Type, Int64Type, UInt16Type, UInt32Type, UInt64Type,
};

use super::print::{fraction, integer, list, text};
use crate::encoder::EncodeError;
use crate::repeats::{Remembered, are_same};

/// Metadata key that marks a text field of a struct as a number too wide for any column type; it is printed without
/// quotes.
pub const VERBATIM: &str = "verbatim";

/// A column in one of the types that can be printed.
pub struct Values {
    nulls: Option<NullBuffer>,
    items: Items,
}

enum Items {
    Bool(BooleanArray),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    I32(ScalarBuffer<i32>),
    U64(ScalarBuffer<u64>),
    I64(ScalarBuffer<i64>),
    F64(ScalarBuffer<f64>),
    /// The cache holds escaped texts, because names repeat and escaping them is expensive.
    Text(StringViewArray, Remembered<Vec<u8>>),
    Triples(FixedSizeListArray, ScalarBuffer<u32>),
    List(ListArray, Box<Values>),
    Object(Vec<Member>),
    Verbatim(StringViewArray),
}

impl Values {
    /// Casts a column. Fails for types that no report uses.
    pub fn of(array: &ArrayRef) -> Result<Self, EncodeError> {
        let items = match array.data_type() {
            DataType::Boolean => Items::Bool(array.as_boolean().clone()),
            DataType::UInt16 => Items::U16(array.as_primitive::<UInt16Type>().values().clone()),
            DataType::UInt32 => Items::U32(array.as_primitive::<UInt32Type>().values().clone()),
            DataType::Int32 => Items::I32(array.as_primitive::<Int32Type>().values().clone()),
            DataType::UInt64 => Items::U64(array.as_primitive::<UInt64Type>().values().clone()),
            DataType::Int64 => Items::I64(array.as_primitive::<Int64Type>().values().clone()),
            DataType::Float64 => Items::F64(array.as_primitive::<Float64Type>().values().clone()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                Items::Text(viewed(array)?, Remembered::default())
            }
            DataType::FixedSizeList(item, _) if item.data_type() == &DataType::UInt32 => {
                let list = array.as_fixed_size_list().clone();
                let items = list.values().as_primitive::<UInt32Type>().values().clone();
                Items::Triples(list, items)
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>().clone();
                let items = Box::new(Self::of(list.values())?);
                Items::List(list, items)
            }
            DataType::Struct(fields) => {
                let members = fields.iter().zip(array.as_struct().columns()).enumerate();
                let members = members.map(|(nth, (field, array))| Member::of(nth, field, array));
                Items::Object(members.collect::<Result<_, _>>()?)
            }
            other => {
                return Err(EncodeError::Unsupported(format!("unsupported column type {other}")));
            }
        };
        Ok(Self { nulls: array.logical_nulls(), items })
    }

    /// True if the value of a row is NULL.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Prints the value of a row, which must not be NULL.
    #[inline]
    pub fn print(&mut self, row: usize, digits: usize, out: &mut Vec<u8>) {
        match &mut self.items {
            Items::Bool(array) => {
                out.extend_from_slice(if array.value(row) { b"true" } else { b"false" });
            }
            Items::U16(values) => integer(value(values, row), out),
            Items::U32(values) => integer(value(values, row), out),
            Items::I32(values) => integer(value(values, row), out),
            Items::U64(values) => integer(value(values, row), out),
            Items::I64(values) => integer(value(values, row), out),
            Items::F64(values) => fraction(value(values, row), digits, out),
            Items::Text(array, printed) => {
                let printed = printed.of(value(array.views(), row), || {
                    let mut printed = Vec::new();
                    text(array.value(row), &mut printed);
                    printed
                });
                out.extend_from_slice(printed);
            }
            Items::Triples(array, items) => {
                let (start, size) = (array.value_offset(row), array.value_length());
                let places = (start..start + size).filter_map(|place| usize::try_from(place).ok());
                list(places, out, |place, out| integer(value(items, place), out));
            }
            Items::List(array, items) => {
                let offsets = array.value_offsets();
                let places = value(offsets, row)..value(offsets, row + 1);
                let places = places.filter_map(|place| usize::try_from(place).ok());
                list(places, out, |place, out| items.print_any(place, digits, out));
            }
            Items::Object(members) => {
                for member in members {
                    out.extend_from_slice(&member.prefix);
                    member.values.print_any(row, digits, out);
                }
                out.push(b'}');
            }
            Items::Verbatim(array) => out.extend_from_slice(array.value(row).as_bytes()),
        }
    }

    /// Prints the value of a row, or `null`.
    fn print_any(&mut self, row: usize, digits: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            out.extend_from_slice(b"null");
        } else {
            self.print(row, digits, out);
        }
    }

    /// True if all rows have the same value, and none is NULL. May miss equal values of nested and long text columns.
    pub fn is_constant(&self) -> bool {
        let has_nulls = self.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0);
        !has_nulls
            && match &self.items {
                Items::Bool(array) => are_same(array.values()),
                Items::U16(values) => are_same(values.iter()),
                Items::U32(values) => are_same(values.iter()),
                Items::I32(values) => are_same(values.iter()),
                Items::U64(values) => are_same(values.iter()),
                Items::I64(values) => are_same(values.iter()),
                // Compares bits, because 0 and -0 are equal but printed differently.
                Items::F64(values) => are_same(values.iter().map(|value| value.to_bits())),
                Items::Text(array, _) => are_same(array.views().iter()),
                Items::Triples(array, items) => {
                    let (start, size) = (array.value_offset(0), array.value_length());
                    let bounds = (usize::try_from(start), usize::try_from(size));
                    let (Ok(start), Ok(size)) = bounds else { return false };
                    let items = items.get(start..start + size * array.len()).unwrap_or_default();
                    are_same(items.chunks_exact(size.max(1)))
                }
                Items::Object(members) => members.iter().all(|member| member.values.is_constant()),
                Items::List(..) | Items::Verbatim(_) => false,
            }
    }
}

#[inline]
fn value<T: Copy + Default>(values: &[T], row: usize) -> T {
    values.get(row).copied().unwrap_or_default()
}

fn viewed(array: &ArrayRef) -> Result<StringViewArray, EncodeError> {
    Ok(cast(array, &DataType::Utf8View)?.as_string_view().clone())
}

/// A key of an object with its values.
pub struct Member {
    /// The opening brace or comma, and the key with its colon.
    prefix: Vec<u8>,
    values: Values,
}

impl Member {
    fn of(nth: usize, field: &Field, array: &ArrayRef) -> Result<Self, EncodeError> {
        let open = if nth == 0 { '{' } else { ',' };
        let values = if field.metadata().contains_key(VERBATIM) {
            Values { nulls: array.logical_nulls(), items: Items::Verbatim(viewed(array)?) }
        } else {
            Values::of(array)?
        };
        Ok(Self { prefix: format!("{open}\"{}\":", field.name()).into_bytes(), values })
    }
}
