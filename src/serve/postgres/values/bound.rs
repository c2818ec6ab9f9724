//! The types of values that clients bind, and lists of them.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, new_empty_array};
use datafusion::arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::ScalarValue;
use pgwire::api::Type;

/// The types of arrays and of their elements.
const ARRAYS: &[(Type, Type)] = &[
    (Type::BOOL_ARRAY, Type::BOOL),
    (Type::INT2_ARRAY, Type::INT2),
    (Type::INT4_ARRAY, Type::INT4),
    (Type::INT8_ARRAY, Type::INT8),
    (Type::OID_ARRAY, Type::OID),
    (Type::FLOAT4_ARRAY, Type::FLOAT4),
    (Type::FLOAT8_ARRAY, Type::FLOAT8),
    (Type::NUMERIC_ARRAY, Type::NUMERIC),
    (Type::TEXT_ARRAY, Type::TEXT),
    (Type::VARCHAR_ARRAY, Type::VARCHAR),
    (Type::BPCHAR_ARRAY, Type::BPCHAR),
    (Type::NAME_ARRAY, Type::NAME),
    (Type::UUID_ARRAY, Type::UUID),
    (Type::JSON_ARRAY, Type::JSON),
    (Type::JSONB_ARRAY, Type::JSONB),
    (Type::BYTEA_ARRAY, Type::BYTEA),
    (Type::DATE_ARRAY, Type::DATE),
    (Type::TIME_ARRAY, Type::TIME),
    (Type::TIMESTAMP_ARRAY, Type::TIMESTAMP),
    (Type::TIMESTAMPTZ_ARRAY, Type::TIMESTAMPTZ),
    (Type::INTERVAL_ARRAY, Type::INTERVAL),
];

/// Returns the type of the elements of arrays of a type.
pub(super) fn element_of(kind: &Type) -> Option<Type> {
    ARRAYS.iter().find(|(array, _)| array == kind).map(|(_, element)| element.clone())
}

/// Returns the type of Arrow of values that are bound with a type; `None` if such values are not taken. Integers have 64 bits, as
/// those in a statement have. The scale of numbers is that of each value.
pub(crate) fn natural(kind: &Type) -> Option<DataType> {
    Some(match *kind {
        Type::BOOL => DataType::Boolean,
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => DataType::Int64,
        Type::FLOAT4 => DataType::Float32,
        Type::FLOAT8 => DataType::Float64,
        Type::NUMERIC => DataType::Decimal128(38, 0),
        Type::TEXT
        | Type::VARCHAR
        | Type::BPCHAR
        | Type::NAME
        | Type::CHAR
        | Type::UNKNOWN
        | Type::UUID
        | Type::JSON
        | Type::JSONB
        | Type::XML => DataType::Utf8,
        Type::BYTEA => DataType::Binary,
        Type::DATE => DataType::Date32,
        Type::TIME => DataType::Time64(TimeUnit::Microsecond),
        Type::TIMESTAMP => DataType::Timestamp(TimeUnit::Microsecond, None),
        Type::TIMESTAMPTZ => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        Type::INTERVAL => DataType::Interval(IntervalUnit::MonthDayNano),
        _ => DataType::new_list(natural(&element_of(kind)?)?, true),
    })
}

/// Returns a list of values of a type, where `None` is NULL.
pub(super) fn listed(
    element: &Type,
    values: Vec<Option<ScalarValue>>,
) -> Result<ScalarValue, String> {
    let known = || values.iter().flatten().map(ScalarValue::data_type);
    let first = known().next().or_else(|| natural(element)).ok_or("an array of another type")?;
    let common = known().fold(first, |one, other| wider(&one, &other));
    let cast = |value: Option<ScalarValue>| match value {
        Some(value) => value.cast_to(&common),
        None => ScalarValue::try_new_null(&common),
    };
    let values = values.into_iter().map(cast).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|error| error.to_string())?;
    let made: ArrayRef = if values.is_empty() {
        new_empty_array(&common)
    } else {
        ScalarValue::iter_to_array(values).map_err(|error| error.to_string())?
    };
    let list = datafusion::common::utils::SingleRowListArrayBuilder::new(made);
    Ok(ScalarValue::List(Arc::new(list.build_list_array())))
}

/// Returns a type for values of both: decimals of one array have one scale.
fn wider(one: &DataType, other: &DataType) -> DataType {
    let parts = |it: &DataType| match it {
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            Some((i16::from(*precision), i16::from(*scale)))
        }
        _ => None,
    };
    match (one, other) {
        (DataType::List(one), DataType::List(other)) => {
            DataType::new_list(wider(one.data_type(), other.data_type()), true)
        }
        // Numbers that are not finite are floats.
        (DataType::Float64, _) | (_, DataType::Float64) => DataType::Float64,
        _ => match (parts(one), parts(other)) {
            (Some((one_precision, one_scale)), Some((other_precision, other_scale))) => {
                let scale = one_scale.max(other_scale);
                let whole = (one_precision - one_scale).max(other_precision - other_scale);
                let small = |number: i16| i8::try_from(number).unwrap_or(i8::MAX);
                let precision = (whole + scale).clamp(1, 76).to_le_bytes()[0];
                if precision <= 38 {
                    DataType::Decimal128(precision, small(scale))
                } else {
                    DataType::Decimal256(precision, small(scale))
                }
            }
            _ => one.clone(),
        },
    }
}
