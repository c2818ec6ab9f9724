//! Writes values, as text and as binary.

use std::fmt::{Display, LowerExp, Write as _};

use bytes::{BufMut, BytesMut};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, Time64MicrosecondType, TimestampMicrosecondType, i256,
};
use pgwire::types::ToSqlText;
use pgwire::types::format::FormatOptions;

use super::kind::Kind;
use super::{numeric, time};

/// How values are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'a> {
    Text(&'a FormatOptions),
    Binary,
}

/// Writes a value that is not NULL of a column, which has the type of its kind.
pub(super) fn write(
    kind: &Kind,
    column: &dyn Array,
    row: usize,
    form: Form<'_>,
    out: &mut BytesMut,
) -> Result<(), String> {
    match kind {
        Kind::Bool | Kind::Int2 | Kind::Int4 | Kind::Int8 => {
            write_whole(kind, column, row, form, out);
            Ok(())
        }
        Kind::Float4 | Kind::Float8 => write_float(kind, column, row, form, out),
        Kind::Numeric { scale, is_wide, .. } => {
            let number = if *is_wide {
                column.as_primitive::<Decimal256Type>().value(row)
            } else {
                i256::from_i128(column.as_primitive::<Decimal128Type>().value(row))
            };
            match form {
                Form::Text(_) => out.put_slice(numeric::text(number, *scale).as_bytes()),
                Form::Binary => numeric::write_binary(number, *scale, out),
            }
            Ok(())
        }
        Kind::Text => {
            out.put_slice(column.as_string::<i32>().value(row).as_bytes());
            Ok(())
        }
        Kind::Bytea => {
            let bytes = column.as_binary::<i32>().value(row);
            match form {
                Form::Text(options) => as_text(&bytes, options, out),
                Form::Binary => {
                    out.put_slice(bytes);
                    Ok(())
                }
            }
        }
        Kind::Date | Kind::Time | Kind::Timestamp | Kind::Timestamptz | Kind::Interval => {
            write_time(kind, column, row, form, out)
        }
        Kind::Array(element) => {
            let values = column.as_list::<i32>().value(row);
            match form {
                Form::Text(_) => write_array_text(element, &*values, form, out),
                Form::Binary => write_array_binary(element, &*values, out),
            }
        }
        Kind::Record(kinds) => match form {
            Form::Text(_) => write_record_text(kinds, column, row, form, out),
            Form::Binary => write_record_binary(kinds, column, row, out),
        },
    }
}

/// Writes a boolean or an integer.
fn write_whole(kind: &Kind, column: &dyn Array, row: usize, form: Form<'_>, out: &mut BytesMut) {
    let number = match kind {
        Kind::Bool => {
            let value = column.as_boolean().value(row);
            match form {
                Form::Text(_) => out.put_u8(if value { b't' } else { b'f' }),
                Form::Binary => out.put_u8(value.into()),
            }
            return;
        }
        Kind::Int2 => i64::from(column.as_primitive::<Int16Type>().value(row)),
        Kind::Int4 => i64::from(column.as_primitive::<Int32Type>().value(row)),
        _ => column.as_primitive::<Int64Type>().value(row),
    };
    match form {
        Form::Text(_) => drop(write!(out, "{number}")),
        Form::Binary => out.put_int(number, kind.width().unsigned_abs().into()),
    }
}

fn write_float(
    kind: &Kind,
    column: &dyn Array,
    row: usize,
    form: Form<'_>,
    out: &mut BytesMut,
) -> Result<(), String> {
    if *kind == Kind::Float4 {
        let value = column.as_primitive::<Float32Type>().value(row);
        match form {
            Form::Text(options) => return float_text(value, 6, options, out),
            Form::Binary => out.put_f32(value),
        }
    } else {
        let value = column.as_primitive::<Float64Type>().value(row);
        match form {
            Form::Text(options) => return float_text(value, 15, options, out),
            Form::Binary => out.put_f64(value),
        }
    }
    Ok(())
}

/// Writes a float as text, with an exponent of at least `most` as such.
fn float_text<T: ToSqlText + LowerExp + Display + Into<f64> + Copy>(
    value: T,
    most: i32,
    options: &FormatOptions,
    out: &mut BytesMut,
) -> Result<(), String> {
    if options.extra_float_digits <= 0 {
        return as_text(&value, options, out);
    }
    let size = value.into().abs();
    if (1e-4..10_f64.powi(most)).contains(&size) {
        // As most are: the shortest digits without an exponent.
        write!(out, "{value}").map_err(|error| error.to_string())?;
    } else {
        out.put_slice(shortest(&format!("{value:e}"), most).as_bytes());
    }
    Ok(())
}

/// Writes the shortest digits of a float, such as `1.5e-7`, as PostgreSQL does: with an exponent of at least two digits if it is
/// below -4 or at least `most`.
fn shortest(text: &str, most: i32) -> String {
    match text {
        "NaN" => return text.to_owned(),
        "inf" => return "Infinity".to_owned(),
        "-inf" => return "-Infinity".to_owned(),
        _ => {}
    }
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if exponent < -4 || exponent >= most {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let digits = digits.replace('.', "");
    let places = usize::try_from(exponent.unsigned_abs()).unwrap_or_default();
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(places - 1));
    }
    let padded = format!("{digits:0<width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(places + 1);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn write_time(
    kind: &Kind,
    column: &dyn Array,
    row: usize,
    form: Form<'_>,
    out: &mut BytesMut,
) -> Result<(), String> {
    let out_of_range = || format!("a {} out of range", kind.pg().name());
    match kind {
        Kind::Date => {
            let days = column.as_primitive::<Date32Type>().value(row);
            match form {
                Form::Text(options) => return time::date(days, options, out),
                Form::Binary => {
                    out.put_i32(days.checked_sub(time::DAYS).ok_or_else(out_of_range)?);
                }
            }
        }
        Kind::Time => {
            let microseconds = column.as_primitive::<Time64MicrosecondType>().value(row);
            match form {
                Form::Text(options) => return time::time(microseconds, options, out),
                Form::Binary => out.put_i64(microseconds),
            }
        }
        Kind::Interval => {
            let value = column.as_primitive::<IntervalMonthDayNanoType>().value(row);
            match form {
                Form::Text(options) => return time::interval(value, options, out),
                Form::Binary => time::binary_interval(value, out),
            }
        }
        _ => {
            let microseconds = column.as_primitive::<TimestampMicrosecondType>().value(row);
            let has_zone = *kind == Kind::Timestamptz;
            match form {
                Form::Text(options) => {
                    return time::timestamp(microseconds, has_zone, options, out);
                }
                Form::Binary => {
                    let since = microseconds.checked_sub(time::MICROSECONDS);
                    out.put_i64(since.ok_or_else(out_of_range)?);
                }
            }
        }
    }
    Ok(())
}

fn as_text(
    value: &impl ToSqlText,
    options: &FormatOptions,
    out: &mut BytesMut,
) -> Result<(), String> {
    let kind = pgwire::api::Type::UNKNOWN;
    value.to_sql_text(&kind, out, options).map(drop).map_err(|error| error.to_string())
}

/// Writes the elements of an array: `{1,NULL,"a b"}`.
fn write_array_text(
    element: &Kind,
    values: &dyn Array,
    form: Form<'_>,
    out: &mut BytesMut,
) -> Result<(), String> {
    let is_nested = matches!(element, Kind::Array(_));
    if is_nested {
        extents(element, values)?;
    }
    out.put_u8(b'{');
    for row in 0..values.len() {
        if row > 0 {
            out.put_u8(b',');
        }
        if values.is_null(row) {
            out.put_slice(b"NULL");
        } else if is_nested {
            write(element, values, row, form, out)?;
        } else {
            let mut text = BytesMut::new();
            write(element, values, row, form, &mut text)?;
            let is_special =
                |byte: &u8| matches!(byte, b'{' | b'}' | b',' | b'"' | b'\\') || is_blank(*byte);
            if text.is_empty() || text.iter().any(is_special) || text.eq_ignore_ascii_case(b"NULL")
            {
                quote(&text, b"\\\"", out);
            } else {
                out.put_slice(&text);
            }
        }
    }
    out.put_u8(b'}');
    Ok(())
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Writes a text in quotes; `quote` is what a quote in it is written as.
fn quote(text: &[u8], quote: &[u8], out: &mut BytesMut) {
    out.put_u8(b'"');
    for byte in text {
        match byte {
            b'"' => out.put_slice(quote),
            b'\\' => out.put_slice(b"\\\\"),
            byte => out.put_u8(*byte),
        }
    }
    out.put_u8(b'"');
}

/// Returns the numbers of elements of the dimensions of an array. Fails if parts of a dimension differ in it, as an array of
/// PostgreSQL has as many everywhere.
fn extents(element: &Kind, values: &dyn Array) -> Result<Vec<usize>, String> {
    let mut all = vec![values.len()];
    if let Kind::Array(inner) = element {
        let lists = values.as_list::<i32>();
        let mut below: Option<Vec<usize>> = None;
        for row in 0..lists.len() {
            let found =
                if lists.is_null(row) { vec![0] } else { extents(inner, &*lists.value(row))? };
            if below.get_or_insert_with(|| found.clone()) != &found {
                return Err("lists of different lengths are no array; use unnest()".into());
            }
        }
        all.extend(below.unwrap_or_default());
    }
    Ok(all)
}

/// Writes an array: its dimensions, whether an element is NULL, the type of elements, and the elements.
fn write_array_binary(
    element: &Kind,
    values: &dyn Array,
    out: &mut BytesMut,
) -> Result<(), String> {
    let mut extents = extents(element, values)?;
    // An array without elements has no dimensions.
    if extents.contains(&0) {
        extents.clear();
    }
    let int = |number: usize| i32::try_from(number).map_err(|_| "an array that is too long");
    out.put_i32(int(extents.len())?);
    let place = out.len();
    out.put_i32(0);
    out.put_u32(element.element().pg().oid());
    for extent in &extents {
        out.put_i32(int(*extent)?);
        out.put_i32(1);
    }
    let mut has_null = false;
    if !extents.is_empty() {
        write_elements(element, values, &mut has_null, out)?;
    }
    if has_null && let Some(flag) = out.get_mut(place + 3) {
        *flag = 1;
    }
    Ok(())
}

fn write_elements(
    element: &Kind,
    values: &dyn Array,
    has_null: &mut bool,
    out: &mut BytesMut,
) -> Result<(), String> {
    for row in 0..values.len() {
        if let Kind::Array(inner) = element {
            write_elements(inner, &*values.as_list::<i32>().value(row), has_null, out)?;
        } else {
            *has_null |= values.is_null(row);
            write_field(element, values, row, Form::Binary, out)?;
        }
    }
    Ok(())
}

/// Writes a value with its length, which is -1 for NULL.
pub(super) fn write_field(
    kind: &Kind,
    column: &dyn Array,
    row: usize,
    form: Form<'_>,
    out: &mut BytesMut,
) -> Result<(), String> {
    if column.is_null(row) {
        out.put_i32(-1);
        return Ok(());
    }
    let place = out.len();
    out.put_i32(0);
    write(kind, column, row, form, out)?;
    let length = i32::try_from(out.len() - place - 4).map_err(|_| "a value of over 2 GiB")?;
    if let Some(written) = out.get_mut(place..place + 4) {
        written.copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

/// Writes the parts of a record: `(1,,"a b")`.
fn write_record_text(
    kinds: &[Kind],
    column: &dyn Array,
    row: usize,
    form: Form<'_>,
    out: &mut BytesMut,
) -> Result<(), String> {
    out.put_u8(b'(');
    for (nth, (kind, part)) in kinds.iter().zip(column.as_struct().columns()).enumerate() {
        if nth > 0 {
            out.put_u8(b',');
        }
        if part.is_null(row) {
            continue;
        }
        let mut text = BytesMut::new();
        write(kind, &**part, row, form, &mut text)?;
        let is_special =
            |byte: &u8| matches!(byte, b'(' | b')' | b',' | b'"' | b'\\') || is_blank(*byte);
        if text.is_empty() || text.iter().any(is_special) {
            quote(&text, b"\"\"", out);
        } else {
            out.put_slice(&text);
        }
    }
    out.put_u8(b')');
    Ok(())
}

/// Writes a record: the number of its parts, and each with its type.
fn write_record_binary(
    kinds: &[Kind],
    column: &dyn Array,
    row: usize,
    out: &mut BytesMut,
) -> Result<(), String> {
    let parts = column.as_struct().columns();
    out.put_i32(i32::try_from(parts.len()).map_err(|_| "a record of too many parts")?);
    for (kind, part) in kinds.iter().zip(parts) {
        out.put_u32(kind.pg().oid());
        write_field(kind, &**part, row, Form::Binary, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_postgresql_does() {
        let of = |value: f64| shortest(&format!("{value:e}"), 15);
        for (value, wanted) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (100.0, "100"),
            (1e14, "100000000000000"),
            (1e15, "1e+15"),
            (123_456.789, "123456.789"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (1.1e300, "1.1e+300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
            (-0.25, "-0.25"),
        ] {
            assert_eq!(of(value), wanted);
        }
        assert_eq!(shortest(&format!("{:e}", 1_234_567_f32), 6), "1.234567e+06");
        // Both ways of writing are the same where both can write.
        for value in
            [1e-4_f64, 9.999_999_999_999_999e-5, 0.1, 123_456.789, 999_999_999_999_999.9, 1e15]
        {
            let mut out = BytesMut::new();
            float_text(value, 15, &FormatOptions::default(), &mut out).unwrap();
            assert_eq!(out, of(value).as_bytes(), "{value}");
        }
    }
}
