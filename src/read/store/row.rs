//! Reads the rows of batches as structs, by serde.
//!
//! A field is read from the column of its name. A NULL is a field that is absent: `None`, or its default where serde is told
//! one, or else an error. A column that is missing is an error always, so that a renamed column is noticed.

use std::slice;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type, UInt64Type};
use serde::Deserialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
    value::StrDeserializer,
};
use serde::forward_to_deserialize_any;

/// Why a row cannot be read as a struct.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RowError(String);

impl Error for RowError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Reads all rows of a batch.
pub fn rows<Row: DeserializeOwned>(batch: &RecordBatch) -> Result<Vec<Row>, RowError> {
    (0..batch.num_rows()).map(|row| Row::deserialize(RowOf { batch, row })).collect()
}

/// A row of a batch.
struct RowOf<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

impl<'de> Deserializer<'de> for RowOf<'_> {
    type Error = RowError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_map(Cells { row: self, fields: fields.iter(), next: None })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, RowError> {
        Err(RowError::custom("a row is read as a struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The cells of a row that have a field and are not NULL.
struct Cells<'a> {
    row: RowOf<'a>,
    fields: slice::Iter<'static, &'static str>,
    next: Option<(&'static str, Cell<'a>)>,
}

impl<'de> MapAccess<'de> for Cells<'_> {
    type Error = RowError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, RowError> {
        let RowOf { batch, row } = self.row;
        for name in self.fields.by_ref() {
            let missing = || RowError(format!("there is no column `{name}`"));
            let column = batch.column_by_name(name).ok_or_else(missing)?.as_ref();
            if column.is_valid(row) && !column.data_type().is_null() {
                self.next = Some((name, Cell { column, row }));
                let name: StrDeserializer<'_, RowError> = (*name).into_deserializer();
                return seed.deserialize(name).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, RowError> {
        let (name, cell) = self.next.take().ok_or_else(|| RowError::custom("no value is next"))?;
        seed.deserialize(cell).map_err(|error| RowError(format!("column `{name}`: {error}")))
    }
}

/// A value that is not NULL.
struct Cell<'a> {
    column: &'a dyn Array,
    row: usize,
}

impl<'de> Deserializer<'de> for Cell<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let Self { column, row } = self;
        let plain = match column.data_type() {
            DataType::Boolean => return visitor.visit_bool(column.as_boolean().value(row)),
            DataType::UInt32 => {
                return visitor.visit_u32(column.as_primitive::<UInt32Type>().value(row));
            }
            DataType::UInt64 => {
                return visitor.visit_u64(column.as_primitive::<UInt64Type>().value(row));
            }
            DataType::Int64 => {
                return visitor.visit_i64(column.as_primitive::<Int64Type>().value(row));
            }
            DataType::Float64 => {
                return visitor.visit_f64(column.as_primitive::<Float64Type>().value(row));
            }
            DataType::Utf8 => return visitor.visit_str(column.as_string::<i32>().value(row)),
            DataType::Utf8View => return visitor.visit_str(column.as_string_view().value(row)),
            other if other.is_unsigned_integer() => DataType::UInt64,
            other if other.is_integer() => DataType::Int64,
            other if other.is_numeric() => DataType::Float64,
            _ => DataType::Utf8View,
        };
        let cell = cast(&column.slice(row, 1), &plain).map_err(RowError::custom)?;
        Cell { column: &cell, row: 0 }.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_enum(String::deserialize(self)?.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct identifier ignored_any
    }
}
