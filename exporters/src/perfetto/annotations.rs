//! Encodes columns as debug annotations, or as the extra data of render stages: one for each value that is not NULL, named
//! after its column.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StringViewArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type, UInt64Type};

use super::intern::{Interner, Kind};
use super::wire::{self, Tag, annotation, event, stage};
use crate::encoder::EncodeError;
use crate::plain;
use crate::repeats::{Remembered, are_same};

/// The message that holds an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A debug annotation of a track event.
    Debug,
    /// Extra data of a render stage, whose values are texts.
    Extra,
}

/// The annotation columns of a batch.
#[derive(Debug)]
pub struct Annotations {
    /// The encoded annotations of constant columns.
    same: Vec<u8>,
    /// The columns whose values vary.
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    form: Form,
    /// The encoded name of the annotation: an interned id or the text.
    key: Vec<u8>,
    values: Values,
    nulls: Option<NullBuffer>,
    /// A cache of the encoded annotations of texts.
    texts: Remembered<Vec<u8>>,
}

#[derive(Debug)]
enum Values {
    Unsigned(ScalarBuffer<u64>),
    Signed(ScalarBuffer<i64>),
    Double(ScalarBuffer<f64>),
    Bool(BooleanArray),
    Text(StringViewArray),
    /// Three numbers per row, back to back.
    Triple(ScalarBuffer<u32>),
}

impl Annotations {
    /// Prepares the columns, given with their names. Omits columns of NULLs, and encodes constant ones once.
    pub fn new(
        columns: &[(&str, &ArrayRef)],
        form: Form,
        interner: &mut Interner,
    ) -> Result<Self, EncodeError> {
        let mut annotations = Self { same: Vec::new(), columns: Vec::new() };
        for (name, array) in columns {
            if array.is_empty() || array.logical_null_count() == array.len() {
                continue;
            }
            let mut column = Column::new(name, array, form, interner)?;
            if column.is_constant(array.len()) {
                column.encode(0, interner, &mut annotations.same);
            } else {
                annotations.columns.push(column);
            }
        }
        Ok(annotations)
    }

    /// Appends the annotations of a row.
    pub fn encode(&mut self, row: usize, interner: &mut Interner, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(&self.same);
        for column in &mut self.columns {
            column.encode(row, interner, buffer);
        }
    }
}

impl Column {
    fn new(
        name: &str,
        array: &ArrayRef,
        form: Form,
        interner: &mut Interner,
    ) -> Result<Self, EncodeError> {
        let mut key = Vec::new();
        match form {
            Form::Extra => wire::bytes(&mut key, stage::EXTRA_NAME, name.as_bytes()),
            Form::Debug => match interner.number(Kind::Key, name) {
                Some(number) => wire::number(&mut key, annotation::KEY_ID, number),
                None => wire::bytes(&mut key, annotation::KEY, name.as_bytes()),
            },
        }
        let array = simple(array)?;
        Ok(Self {
            form,
            key,
            values: Values::of(&array),
            nulls: array.logical_nulls(),
            texts: Remembered::default(),
        })
    }

    /// True if all rows have the same value, and none is NULL.
    fn is_constant(&self, rows: usize) -> bool {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0) {
            return false;
        }
        match &self.values {
            Values::Unsigned(values) => are_same(values.iter()),
            Values::Signed(values) => are_same(values.iter()),
            Values::Double(values) => are_same(values.iter().map(|value| value.to_bits())),
            Values::Bool(values) => [0, rows].contains(&values.values().count_set_bits()),
            // Equal views of one array are equal texts.
            Values::Text(values) => are_same(values.views().iter()),
            Values::Triple(values) => are_same(values.chunks_exact(3)),
        }
    }

    /// Appends the annotation of a row, unless it is NULL.
    #[inline]
    fn encode(&mut self, row: usize, interner: &mut Interner, buffer: &mut Vec<u8>) {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return;
        }
        if self.form == Form::Extra {
            return extra(&self.key, &self.values.text(row), buffer);
        }
        match &self.values {
            Values::Unsigned(values) => {
                self.number(annotation::UNSIGNED, values.get(row).copied().unwrap_or(0), buffer);
            }
            Values::Signed(values) => {
                let value = values.get(row).copied().unwrap_or(0);
                let tag = if value < 0 { annotation::SIGNED } else { annotation::UNSIGNED };
                self.number(tag, value.cast_unsigned(), buffer);
            }
            Values::Bool(values) => {
                self.number(annotation::BOOL, values.value(row).into(), buffer);
            }
            Values::Double(values) => {
                wire::open(buffer, event::ANNOTATION, self.key.len() + 9);
                buffer.extend_from_slice(&self.key);
                let value = values.get(row).copied().unwrap_or(0.0);
                wire::eight(buffer, annotation::DOUBLE, value.to_bits());
            }
            Values::Text(values) => {
                let view = values.views().get(row).copied().unwrap_or(0);
                let made = || text(&self.key, values.value(row), interner);
                buffer.extend_from_slice(self.texts.of(view, made));
            }
            Values::Triple(values) => {
                let numbers = values.get(row * 3..row * 3 + 3).unwrap_or_default();
                let place = numbers.iter().fold(0, |sum, number| sum << 32 | u128::from(*number));
                let made = || text(&self.key, &format!("{numbers:?}"), interner);
                buffer.extend_from_slice(self.texts.of(place, made));
            }
        }
    }

    #[inline]
    fn number(&self, tag: Tag, value: u64, buffer: &mut Vec<u8>) {
        wire::open(buffer, event::ANNOTATION, self.key.len() + wire::number_length(tag, value));
        buffer.extend_from_slice(&self.key);
        wire::number(buffer, tag, value);
    }
}

/// Appends extra data of a render stage: an encoded name, and a text.
pub fn extra(key: &[u8], text: &str, buffer: &mut Vec<u8>) {
    let length = key.len() + wire::bytes_length(stage::EXTRA_VALUE, text.len());
    wire::open(buffer, stage::EXTRA, length);
    buffer.extend_from_slice(key);
    wire::bytes(buffer, stage::EXTRA_VALUE, text.as_bytes());
}

/// Encodes a complete annotation with a text value.
fn text(key: &[u8], text: &str, interner: &mut Interner) -> Vec<u8> {
    let mut value = Vec::from(key);
    match interner.number(Kind::Text, text) {
        Some(number) => wire::number(&mut value, annotation::TEXT_ID, number),
        None => wire::bytes(&mut value, annotation::TEXT, text.as_bytes()),
    }
    let mut annotation = Vec::with_capacity(value.len() + 4);
    wire::bytes(&mut annotation, event::ANNOTATION, &value);
    annotation
}

/// Casts a column to one of the types of [`Values`]; other types are formatted as text.
fn simple(array: &ArrayRef) -> Result<ArrayRef, EncodeError> {
    use DataType as D;
    let wanted = match array.data_type() {
        D::UInt64 | D::Int64 | D::Float64 | D::Boolean | D::Utf8View => {
            return Ok(Arc::clone(array));
        }
        D::FixedSizeList(item, 3) if *item.data_type() == D::UInt32 && array.null_count() == 0 => {
            return Ok(Arc::clone(array));
        }
        D::UInt8 | D::UInt16 | D::UInt32 => D::UInt64,
        D::Int8 | D::Int16 | D::Int32 => D::Int64,
        D::Float16 | D::Float32 | D::Decimal128(..) | D::Decimal256(..) => D::Float64,
        D::Utf8 | D::LargeUtf8 | D::Dictionary(..) => D::Utf8View,
        _ => return Ok(plain::printed::<StringViewArray>(array)?),
    };
    Ok(cast(array, &wanted)?)
}

impl Values {
    fn of(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::UInt64 => Self::Unsigned(array.as_primitive::<UInt64Type>().values().clone()),
            DataType::Int64 => Self::Signed(array.as_primitive::<Int64Type>().values().clone()),
            DataType::Float64 => Self::Double(array.as_primitive::<Float64Type>().values().clone()),
            DataType::Boolean => Self::Bool(array.as_boolean().clone()),
            DataType::FixedSizeList(..) => {
                let items = array.as_fixed_size_list();
                Self::Triple(items.values().as_primitive::<UInt32Type>().values().clone())
            }
            _ => Self::Text(array.as_string_view().clone()),
        }
    }

    /// Returns the value of a row as text.
    fn text(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Unsigned(values) => values.get(row).copied().unwrap_or(0).to_string().into(),
            Self::Signed(values) => values.get(row).copied().unwrap_or(0).to_string().into(),
            Self::Double(values) => values.get(row).copied().unwrap_or(0.0).to_string().into(),
            Self::Bool(values) => values.value(row).to_string().into(),
            Self::Text(values) => values.value(row).into(),
            Self::Triple(values) => {
                format!("{:?}", values.get(row * 3..row * 3 + 3).unwrap_or_default()).into()
            }
        }
    }
}
