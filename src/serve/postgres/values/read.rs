//! Reads the values that clients bind.

use bytes::Buf;
use datafusion::arrow::datatypes::IntervalMonthDayNano;
use datafusion::common::ScalarValue;
use pgwire::api::Type;
use pgwire::api::results::FieldFormat;
use pgwire::error::PgWireResult;

use super::bound::{element_of, listed, natural};
use super::{numeric, read_text, time};
use crate::postgres::errors::refused;

/// Reads a value that a client has bound as the `nth` parameter.
pub fn value(
    kind: &Type,
    format: FieldFormat,
    bytes: Option<&[u8]>,
    nth: usize,
) -> PgWireResult<ScalarValue> {
    let Some(data_type) = natural(kind) else {
        return Err(refused(
            "0A000",
            format!("parameters of type {} are not supported", kind.name()),
        ));
    };
    let read = match (bytes, format) {
        (None, _) => ScalarValue::try_new_null(&data_type).map_err(|error| error.to_string()),
        (Some(bytes), FieldFormat::Text) => match std::str::from_utf8(bytes) {
            Ok(text) => read_text::read(kind, text),
            Err(error) => Err(error.to_string()),
        },
        (Some(bytes), FieldFormat::Binary) => binary(kind, bytes),
    };
    let code = if format == FieldFormat::Text { "22P02" } else { "22P03" };
    read.map_err(|what| refused(code, format!("parameter ${nth}: {what}")))
}

fn binary(kind: &Type, mut bytes: &[u8]) -> Result<ScalarValue, String> {
    if let Some(element) = element_of(kind) {
        return array(&element, bytes);
    }
    let given = bytes.len();
    let is_wrong = |wanted: usize| given != wanted;
    let wrong = || Err(format!("a value of type {} with {given} bytes", kind.name()));
    Ok(match *kind {
        Type::BOOL if is_wrong(1) => return wrong(),
        Type::INT2 if is_wrong(2) => return wrong(),
        Type::INT4 | Type::OID | Type::FLOAT4 | Type::DATE if is_wrong(4) => return wrong(),
        Type::INT8 | Type::FLOAT8 | Type::TIME | Type::TIMESTAMP | Type::TIMESTAMPTZ
            if is_wrong(8) =>
        {
            return wrong();
        }
        Type::INTERVAL if is_wrong(16) => return wrong(),
        Type::BOOL => ScalarValue::from(bytes.get_u8() != 0),
        Type::INT2 => ScalarValue::from(i64::from(bytes.get_i16())),
        Type::INT4 => ScalarValue::from(i64::from(bytes.get_i32())),
        Type::OID => ScalarValue::from(i64::from(bytes.get_u32())),
        Type::INT8 => ScalarValue::from(bytes.get_i64()),
        Type::FLOAT4 => ScalarValue::from(bytes.get_f32()),
        Type::FLOAT8 => ScalarValue::from(bytes.get_f64()),
        Type::NUMERIC => numeric::read_binary(bytes)?,
        Type::BYTEA => ScalarValue::Binary(Some(bytes.to_vec())),
        Type::DATE => {
            let days = bytes.get_i32().checked_add(time::DAYS).ok_or("a date out of range")?;
            ScalarValue::Date32(Some(days))
        }
        Type::TIME => ScalarValue::Time64Microsecond(Some(bytes.get_i64())),
        Type::TIMESTAMP => ScalarValue::TimestampMicrosecond(Some(timestamp(bytes)?), None),
        Type::TIMESTAMPTZ => {
            ScalarValue::TimestampMicrosecond(Some(timestamp(bytes)?), Some("UTC".into()))
        }
        Type::INTERVAL => {
            let (microseconds, days, months) = (bytes.get_i64(), bytes.get_i32(), bytes.get_i32());
            let nanoseconds = microseconds.checked_mul(1_000).ok_or("an interval out of range")?;
            let interval = IntervalMonthDayNano::new(months, days, nanoseconds);
            ScalarValue::IntervalMonthDayNano(Some(interval))
        }
        Type::UUID => match <[u8; 16]>::try_from(bytes) {
            Ok(bytes) => ScalarValue::from(uuid(&bytes)),
            Err(_) => return wrong(),
        },
        // A version comes first.
        Type::JSONB => text(bytes.strip_prefix(&[1]).unwrap_or(bytes))?,
        _ => text(bytes)?,
    })
}

fn timestamp(mut bytes: &[u8]) -> Result<i64, String> {
    let since = bytes.get_i64().checked_add(time::MICROSECONDS);
    Ok(since.ok_or("a timestamp out of range")?)
}

fn text(bytes: &[u8]) -> Result<ScalarValue, String> {
    std::str::from_utf8(bytes).map(ScalarValue::from).map_err(|error| error.to_string())
}

fn uuid(bytes: &[u8; 16]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

/// Reads a binary array: its dimensions, the type of its elements, and each with its length.
fn array(element: &Type, mut bytes: &[u8]) -> Result<ScalarValue, String> {
    let wrong = || "an array that is cut".to_owned();
    let next = |bytes: &mut &[u8]| bytes.try_get_i32().map_err(|_| wrong());
    let dimensions = next(&mut bytes)?;
    let (_has_null, kind) = (next(&mut bytes)?, next(&mut bytes)?);
    let element =
        u32::try_from(kind).ok().and_then(Type::from_oid).unwrap_or_else(|| element.clone());
    let mut extents = Vec::new();
    for _ in 0..dimensions.clamp(0, 7) {
        let extent = next(&mut bytes)?;
        next(&mut bytes)?;
        extents.push(usize::try_from(extent).map_err(|_| wrong())?);
    }
    if extents.len() > 6 {
        return Err("an array of more than 6 dimensions".into());
    }
    // Each element has a length.
    let count = extents.iter().try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    if count.is_none_or(|count| !extents.is_empty() && count > bytes.len() / 4) {
        return Err(wrong());
    }
    elements(&element, &extents, &mut bytes)
}

fn elements(element: &Type, extents: &[usize], bytes: &mut &[u8]) -> Result<ScalarValue, String> {
    let (count, below) = match extents {
        [] => return listed(element, Vec::new()),
        [count, below @ ..] => (*count, below),
    };
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        if !below.is_empty() {
            values.push(Some(elements(element, below, bytes)?));
            continue;
        }
        let length = bytes.try_get_i32().map_err(|_| "an array that is cut")?;
        values.push(match usize::try_from(length) {
            Ok(length) => {
                let (value, rest) = bytes.split_at_checked(length).ok_or("an array that is cut")?;
                *bytes = rest;
                Some(binary(element, value)?)
            }
            Err(_) => None,
        });
    }
    listed(element, values)
}
