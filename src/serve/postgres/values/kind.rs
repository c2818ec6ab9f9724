//! The types of PostgreSQL that columns of Arrow have.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Fields, IntervalUnit, TimeUnit};
use datafusion::arrow::error::ArrowError;
use pgwire::api::Type;

/// A type of PostgreSQL, of which columns of Arrow have values.
///
/// Unsigned integers of 64 bits are `numeric`, as they have no smaller type that holds them all; smaller ones are the next
/// larger signed type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    /// With its precision and scale, as a decimal of 256 bits if `is_wide`.
    Numeric {
        precision: u8,
        scale: i8,
        is_wide: bool,
    },
    Text,
    Bytea,
    Date,
    Time,
    Timestamp,
    Timestamptz,
    Interval,
    Array(Box<Kind>),
    Record(Vec<Kind>),
}

/// The most digits of a 64-bit integer.
const DIGITS: u8 = 20;

impl Kind {
    /// Returns the type of a column; `None` if PostgreSQL has none for it.
    pub fn of(data_type: &DataType) -> Option<Self> {
        let numeric =
            |precision: u8, scale: i8, is_wide| Self::Numeric { precision, scale, is_wide };
        Some(match data_type {
            DataType::Boolean => Self::Bool,
            DataType::Int8 | DataType::Int16 | DataType::UInt8 => Self::Int2,
            DataType::Int32 | DataType::UInt16 => Self::Int4,
            DataType::Int64 | DataType::UInt32 => Self::Int8,
            DataType::UInt64 => numeric(DIGITS, 0, false),
            DataType::Float16 | DataType::Float32 => Self::Float4,
            DataType::Float64 => Self::Float8,
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale) => numeric(*precision, *scale, false),
            DataType::Decimal256(precision, scale) => numeric(*precision, *scale, true),
            DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Self::Text
            }
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Bytea,
            DataType::Date32 | DataType::Date64 => Self::Date,
            DataType::Time32(_) | DataType::Time64(_) => Self::Time,
            DataType::Timestamp(_, None) => Self::Timestamp,
            DataType::Timestamp(_, Some(_)) => Self::Timestamptz,
            DataType::Interval(_) | DataType::Duration(_) => Self::Interval,
            DataType::Dictionary(_, values) => Self::of(values)?,
            DataType::RunEndEncoded(_, values) => Self::of(values.data_type())?,
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _)
            | DataType::ListView(field)
            | DataType::LargeListView(field)
            | DataType::Map(field, _) => Self::Array(Box::new(Self::of(field.data_type())?)),
            DataType::Struct(fields) => {
                let kinds = fields.iter().map(|field| Self::of(field.data_type()));
                Self::Record(kinds.collect::<Option<_>>()?)
            }
            DataType::Union(..) => return None,
        })
    }

    /// Returns what the protocol calls it.
    pub(crate) fn pg(&self) -> Type {
        match self {
            Self::Bool => Type::BOOL,
            Self::Int2 => Type::INT2,
            Self::Int4 => Type::INT4,
            Self::Int8 => Type::INT8,
            Self::Float4 => Type::FLOAT4,
            Self::Float8 => Type::FLOAT8,
            Self::Numeric { .. } => Type::NUMERIC,
            Self::Text => Type::TEXT,
            Self::Bytea => Type::BYTEA,
            Self::Date => Type::DATE,
            Self::Time => Type::TIME,
            Self::Timestamp => Type::TIMESTAMP,
            Self::Timestamptz => Type::TIMESTAMPTZ,
            Self::Interval => Type::INTERVAL,
            Self::Record(_) => Type::RECORD,
            Self::Array(element) => match element.element() {
                Self::Bool => Type::BOOL_ARRAY,
                Self::Int2 => Type::INT2_ARRAY,
                Self::Int4 => Type::INT4_ARRAY,
                Self::Int8 => Type::INT8_ARRAY,
                Self::Float4 => Type::FLOAT4_ARRAY,
                Self::Float8 => Type::FLOAT8_ARRAY,
                Self::Numeric { .. } => Type::NUMERIC_ARRAY,
                Self::Text => Type::TEXT_ARRAY,
                Self::Bytea => Type::BYTEA_ARRAY,
                Self::Date => Type::DATE_ARRAY,
                Self::Time => Type::TIME_ARRAY,
                Self::Timestamp => Type::TIMESTAMP_ARRAY,
                Self::Timestamptz => Type::TIMESTAMPTZ_ARRAY,
                Self::Interval => Type::INTERVAL_ARRAY,
                Self::Record(_) | Self::Array(_) => Type::RECORD_ARRAY,
            },
        }
    }

    /// Returns the type of the elements of an array, which may have several dimensions; itself if it is none.
    pub(super) fn element(&self) -> &Self {
        match self {
            Self::Array(element) => element.element(),
            other => other,
        }
    }

    /// Returns the width of a value in bytes; -1 if values differ in it.
    pub(super) const fn width(&self) -> i16 {
        match self {
            Self::Bool => 1,
            Self::Int2 => 2,
            Self::Int4 | Self::Float4 | Self::Date => 4,
            Self::Int8 | Self::Float8 | Self::Time | Self::Timestamp | Self::Timestamptz => 8,
            Self::Interval => 16,
            _ => -1,
        }
    }

    /// Returns the modifier of the type, which has the precision and scale of a `numeric`; -1 without.
    pub(crate) fn modifier(&self) -> i32 {
        match self.element() {
            Self::Numeric { precision, scale, .. } if *scale >= 0 => {
                ((i32::from(*precision) << 16) | i32::from(*scale)) + 4
            }
            _ => -1,
        }
    }

    /// Returns the type of Arrow in which values are written.
    pub(super) fn arrow(&self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int2 => DataType::Int16,
            Self::Int4 => DataType::Int32,
            Self::Int8 => DataType::Int64,
            Self::Float4 => DataType::Float32,
            Self::Float8 => DataType::Float64,
            Self::Numeric { precision, scale, is_wide: false } => {
                DataType::Decimal128(*precision, *scale)
            }
            Self::Numeric { precision, scale, is_wide: true } => {
                DataType::Decimal256(*precision, *scale)
            }
            Self::Text => DataType::Utf8,
            Self::Bytea => DataType::Binary,
            Self::Date => DataType::Date32,
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Interval => DataType::Interval(IntervalUnit::MonthDayNano),
            Self::Array(element) => DataType::new_list(element.arrow(), true),
            Self::Record(parts) => {
                let field =
                    |(nth, kind): (usize, &Self)| Field::new(format!("f{nth}"), kind.arrow(), true);
                DataType::Struct((1..).zip(parts).map(field).collect::<Fields>())
            }
        }
    }

    /// Casts a column to the type in which its values are written.
    pub(super) fn cast(&self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let column = match column.data_type() {
            DataType::Map(..) => Arc::new(ListArray::from(column.as_map().clone())),
            known if *known == self.arrow() => return Ok(Arc::clone(column)),
            _ => Arc::clone(column),
        };
        match (column.data_type(), self) {
            // Casts of structs go by the names of their fields.
            (DataType::Struct(_), Self::Record(kinds)) => {
                let parts = column.as_struct();
                let all = kinds.iter().zip(parts.columns()).map(|(kind, part)| kind.cast(part));
                let DataType::Struct(fields) = self.arrow() else { return Ok(column) };
                let all = all.collect::<Result<Vec<_>, _>>()?;
                let (count, nulls) = (parts.len(), parts.nulls().cloned());
                let made = StructArray::try_new_with_length(fields, all, nulls, count)?;
                Ok(Arc::new(made))
            }
            (DataType::List(_), Self::Array(element)) => {
                let lists = column.as_list::<i32>();
                let values = element.cast(lists.values())?;
                let field = Arc::new(Field::new_list_field(element.arrow(), true));
                let (offsets, nulls) = (lists.offsets().clone(), lists.nulls().cloned());
                Ok(Arc::new(ListArray::try_new(field, offsets, values, nulls)?))
            }
            (
                DataType::LargeList(field)
                | DataType::FixedSizeList(field, _)
                | DataType::ListView(field)
                | DataType::LargeListView(field),
                Self::Array(_),
            ) => self.cast(&cast(&column, &DataType::List(Arc::clone(field)))?),
            // A cast would cut them.
            (from, Self::Int2 | Self::Int4 | Self::Int8)
                if from.is_floating() || from.is_decimal() =>
            {
                Err(ArrowError::CastError(format!("{from} is no {}", self.pg().name())))
            }
            _ => cast(&column, &self.arrow()),
        }
    }
}
