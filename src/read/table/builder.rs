//! Builds Arrow arrays, one column at a time.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryViewBuilder, BooleanBufferBuilder, BooleanBuilder, PrimitiveArray,
    StringViewArray, StringViewBuilder,
};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::take;
use arrow::datatypes::{
    ArrowPrimitiveType, Float64Type, Int32Type, Int64Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use schemas::spec::{Column, Kind, Read};

/// A column under construction, to which values are appended segment by segment.
pub enum Builder {
    U16(Numbers<u16>),
    U32(Numbers<u32>),
    I32(Numbers<i32>),
    U64(Numbers<u64>),
    I64(Numbers<i64>),
    F64(Numbers<f64>),
    Bool(BooleanBuilder),
    /// Strings with few distinct values.
    Picked(Picked),
    Text(StringViewBuilder),
    Binary(BinaryViewBuilder),
}

impl Builder {
    /// Creates an empty column. Texts that are not in the records have few distinct values and are interned.
    pub fn new(column: &Column) -> Self {
        match column.kind {
            Kind::U16 => Self::U16(Numbers::default()),
            Kind::U32 | Kind::U32OrOnes => Self::U32(Numbers::default()),
            Kind::I32 => Self::I32(Numbers::default()),
            Kind::U64 | Kind::U64OrZero => Self::U64(Numbers::default()),
            Kind::I64 | Kind::I64OrZero => Self::I64(Numbers::default()),
            Kind::F64 => Self::F64(Numbers::default()),
            Kind::Bool | Kind::Bit(_) => Self::Bool(BooleanBuilder::new()),
            Kind::Name(_) | Kind::Name16(_) => Self::Picked(Picked::default()),
            Kind::Text if !matches!(column.read, Read::Text(_)) => Self::Picked(Picked::default()),
            Kind::Text | Kind::Hash { .. } | Kind::Uuid { .. } => {
                Self::Text(StringViewBuilder::new())
            }
            Kind::Binary => Self::Binary(BinaryViewBuilder::new()),
        }
    }

    /// Returns the finished column.
    pub fn finish(self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::U16(numbers) => primitive::<UInt16Type>(numbers),
            Self::U32(numbers) => primitive::<UInt32Type>(numbers),
            Self::I32(numbers) => primitive::<Int32Type>(numbers),
            Self::U64(numbers) => primitive::<UInt64Type>(numbers),
            Self::I64(numbers) => primitive::<Int64Type>(numbers),
            Self::F64(numbers) => primitive::<Float64Type>(numbers),
            Self::Bool(mut builder) => Arc::new(builder.finish()),
            Self::Picked(picked) => picked.finish()?,
            Self::Text(mut builder) => Arc::new(builder.finish()),
            Self::Binary(mut builder) => Arc::new(builder.finish()),
        })
    }
}

/// Builds an array. Most columns have no NULL and need no validity bitmap.
fn primitive<T: ArrowPrimitiveType>(numbers: Numbers<T::Native>) -> ArrayRef {
    let Numbers { values, absent } = numbers;
    let nulls = (!absent.is_empty()).then(|| {
        let mut valid = BooleanBufferBuilder::new(values.len());
        valid.append_n(values.len(), true);
        for row in absent {
            valid.set_bit(row, false);
        }
        NullBuffer::new(valid.finish())
    });
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), nulls))
}

/// Numbers, and the indices of the rows that are NULL, in ascending order.
#[derive(Default)]
pub struct Numbers<T> {
    pub values: Vec<T>,
    absent: Vec<usize>,
}

impl<T: Copy + PartialEq + Default> Numbers<T> {
    /// Appends a value or NULL.
    pub fn push(&mut self, value: Option<T>) {
        if value.is_none() {
            self.absent.push(self.values.len());
        }
        self.values.push(value.unwrap_or_default());
    }

    /// Makes the values equal to `sentinel` from row `from` on NULL.
    pub fn mark(&mut self, from: usize, sentinel: T) {
        // Usually no value is the sentinel, and a plain search is faster than collecting the rows.
        if !self.values.get(from..).unwrap_or_default().contains(&sentinel) {
            return;
        }
        let rows = self.values.iter().enumerate().skip(from);
        self.absent.extend(rows.filter(|(_, value)| **value == sentinel).map(|(row, _)| row));
    }
}

/// A dictionary of interned strings and, for each row, the index of its string.
#[derive(Default)]
pub struct Picked {
    strings: Vec<String>,
    known: HashMap<String, u32>,
    picks: Numbers<u32>,
}

impl Picked {
    /// Returns the index of `string` in the dictionary. A new string is added.
    pub fn intern(&mut self, string: &str) -> u32 {
        if let Some(known) = self.known.get(string) {
            return *known;
        }
        let number = u32::try_from(self.strings.len()).unwrap_or(u32::MAX);
        self.strings.push(string.to_owned());
        self.known.insert(string.to_owned(), number);
        number
    }

    /// Appends a row: the index of a string, or NULL.
    #[inline]
    pub fn push(&mut self, pick: Option<u32>) {
        self.picks.push(pick);
    }

    /// Appends a row: a string, or NULL.
    pub(crate) fn push_text(&mut self, text: Option<&str>) {
        let pick = text.map(|text| self.intern(text));
        self.push(pick);
    }

    /// Appends `count` rows with the same string.
    pub fn repeat(&mut self, string: &str, count: usize) {
        let pick = self.intern(string);
        self.picks.values.extend(std::iter::repeat_n(pick, count));
    }

    fn finish(self) -> Result<ArrayRef, ArrowError> {
        // `take` copies the views only, so that all rows share the bytes of a string.
        let strings = StringViewArray::from_iter_values(&self.strings);
        take(&strings, &primitive::<UInt32Type>(self.picks), None)
    }
}
