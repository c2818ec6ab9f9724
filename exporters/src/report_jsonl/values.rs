//! Casts the columns of a batch to the types that can be printed, and prints their values.

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, FixedSizeListArray, Float64Array,
    Int32Array, Int64Array, ListArray, PrimitiveArray, StringViewArray, StructArray, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Field, Float64Type, Int32Type, Int64Type, UInt16Type, UInt32Type, UInt64Type,
};

use super::print::{fraction, integer, list, text};
use crate::encoder::EncodeError;

/// Metadata key that marks a text field of a struct as a number too wide for any column type; it is printed without
/// quotes.
pub const VERBATIM: &str = "verbatim";

/// A column in one of the types that can be printed.
pub enum Values {
    Bool(BooleanArray),
    U16(UInt16Array),
    U32(UInt32Array),
    I32(Int32Array),
    U64(UInt64Array),
    I64(Int64Array),
    F64(Float64Array),
    Text(StringViewArray, Seen),
    Triples(FixedSizeListArray, UInt32Array),
    List(ListArray, Box<Values>),
    Object(StructArray, Vec<Member>),
    Verbatim(StringViewArray),
}

impl Values {
    /// Casts a column. Fails for types that no report uses.
    pub fn of(array: &ArrayRef) -> Result<Self, EncodeError> {
        Ok(match array.data_type() {
            DataType::Boolean => Self::Bool(array.as_boolean().clone()),
            DataType::UInt16 => Self::U16(array.as_primitive::<UInt16Type>().clone()),
            DataType::UInt32 => Self::U32(array.as_primitive::<UInt32Type>().clone()),
            DataType::Int32 => Self::I32(array.as_primitive::<Int32Type>().clone()),
            DataType::UInt64 => Self::U64(array.as_primitive::<UInt64Type>().clone()),
            DataType::Int64 => Self::I64(array.as_primitive::<Int64Type>().clone()),
            DataType::Float64 => Self::F64(array.as_primitive::<Float64Type>().clone()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                Self::Text(
                    cast(array, &DataType::Utf8View)?.as_string_view().clone(),
                    Seen::default(),
                )
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
            DataType::Struct(fields) => {
                let object = array.as_struct().clone();
                let members = fields.iter().zip(object.columns()).enumerate();
                let members = members.map(|(nth, (field, array))| Member::of(nth, field, array));
                Self::Object(object.clone(), members.collect::<Result<_, _>>()?)
            }
            other => {
                return Err(EncodeError::Unsupported(format!("unsupported column type {other}")));
            }
        })
    }

    /// True if the value of a row is NULL.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Bool(array) => array.is_null(row),
            Self::U16(array) => array.is_null(row),
            Self::U32(array) => array.is_null(row),
            Self::I32(array) => array.is_null(row),
            Self::U64(array) => array.is_null(row),
            Self::I64(array) => array.is_null(row),
            Self::F64(array) => array.is_null(row),
            Self::Text(array, _) | Self::Verbatim(array) => array.is_null(row),
            Self::Triples(array, _) => array.is_null(row),
            Self::List(array, _) => array.is_null(row),
            Self::Object(array, _) => array.is_null(row),
        }
    }

    /// Prints the value of a row, which must not be NULL.
    #[inline]
    pub fn print(&mut self, row: usize, digits: usize, out: &mut Vec<u8>) {
        match self {
            Self::Bool(array) => {
                out.extend_from_slice(if array.value(row) { b"true" } else { b"false" });
            }
            Self::U16(array) => integer(array.value(row), out),
            Self::U32(array) => integer(array.value(row), out),
            Self::I32(array) => integer(array.value(row), out),
            Self::U64(array) => integer(array.value(row), out),
            Self::I64(array) => integer(array.value(row), out),
            Self::F64(array) => fraction(array.value(row), digits, out),
            Self::Text(array, seen) => seen.print(array, row, out),
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
                    items.print_any(item, digits, out);
                });
            }
            Self::Object(_, members) => {
                for member in members {
                    out.extend_from_slice(&member.prefix);
                    member.values.print_any(row, digits, out);
                }
                out.push(b'}');
            }
            Self::Verbatim(array) => out.extend_from_slice(array.value(row).as_bytes()),
        }
    }
}

impl Values {
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
        match self {
            Self::Bool(array) => {
                array.null_count() == 0
                    && (array.true_count() == 0 || array.true_count() == array.len())
            }
            Self::U16(array) => same(array),
            Self::U32(array) => same(array),
            Self::I32(array) => same(array),
            Self::U64(array) => same(array),
            Self::I64(array) => same(array),
            // Compares bits, because 0 and -0 are equal but printed differently.
            Self::F64(array) => {
                let mut bits = array.values().iter().map(|value| value.to_bits());
                let first = bits.next();
                array.null_count() == 0 && bits.all(|bits| Some(bits) == first)
            }
            Self::Text(array, _) => array.null_count() == 0 && all_same(array.views()),
            Self::Triples(array, items) => {
                let (start, size) = (array.value_offset(0), array.value_length());
                let bounds = (usize::try_from(start), usize::try_from(size));
                let (Ok(start), Ok(size)) = bounds else { return false };
                let items =
                    items.values().get(start..start + size * array.len()).unwrap_or_default();
                let mut triples = items.chunks_exact(size.max(1));
                let first = triples.next();
                array.null_count() == 0 && triples.all(|triple| Some(triple) == first)
            }
            Self::Object(array, members) => {
                array.null_count() == 0 && members.iter().all(|member| member.values.is_constant())
            }
            Self::List(..) | Self::Verbatim(_) => false,
        }
    }
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
            Values::Verbatim(cast(array, &DataType::Utf8View)?.as_string_view().clone())
        } else {
            Values::of(array)?
        };
        Ok(Self { prefix: format!("{open}\"{}\":", field.name()).into_bytes(), values })
    }
}

fn same<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> bool {
    array.null_count() == 0 && all_same(array.values())
}

fn all_same<T: PartialEq>(values: &[T]) -> bool {
    values.first().is_some_and(|first| values.iter().all(|value| value == first))
}

/// A direct-mapped cache of the escaped texts of a column, because names repeat and escaping them is expensive. Each
/// slot holds the last text that hashed to it.
#[derive(Default)]
pub struct Seen {
    /// The concatenated escaped texts.
    printed: Vec<u8>,
    /// The slots of the cache; empty until the first text is printed.
    places: Vec<Option<Place>>,
}

/// The view of a text, and the start and end offsets of its escaped form in `printed`.
type Place = (u128, usize, usize);

/// Number of slots: many more than a typical capture has functions, because texts in one slot evict each other.
const PLACES: usize = 1024;

impl Seen {
    #[inline]
    fn print(&mut self, array: &StringViewArray, row: usize, out: &mut Vec<u8>) {
        let Some(view) = array.views().get(row).copied() else { return };
        // A view contains the location of a long text or the bytes of a short one, so equal views are equal texts.
        // Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4): the top bits of a product with 2^64 / φ select the slot.
        #[expect(clippy::cast_possible_truncation, reason = "any bits are valid")]
        let mixed = ((view >> 64) as u64 ^ view as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 54) as usize;
        if let Some(Some((known, start, end))) = self.places.get(place)
            && *known == view
        {
            out.extend_from_slice(self.printed.get(*start..*end).unwrap_or_default());
            return;
        }
        let start = self.printed.len();
        text(array.value(row), &mut self.printed);
        out.extend_from_slice(self.printed.get(start..).unwrap_or_default());
        self.places.resize(PLACES, None);
        if let Some(slot) = self.places.get_mut(place) {
            *slot = Some((view, start, self.printed.len()));
        }
    }
}
