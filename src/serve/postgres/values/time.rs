//! Dates, times and intervals.

use bytes::{BufMut, BytesMut};
use datafusion::arrow::compute::kernels::cast_utils::parse_interval_month_day_nano;
use datafusion::arrow::datatypes::IntervalMonthDayNano;
use datafusion::arrow::temporal_conversions::{
    date32_to_datetime, time64us_to_time, timestamp_us_to_datetime,
};
use pg_interval::Interval;
use pgwire::api::Type;
use pgwire::types::ToSqlText;
use pgwire::types::format::FormatOptions;

/// The days and microseconds from 1970, from which Arrow counts, to 2000, from which PostgreSQL does.
pub(super) const DAYS: i32 = 10_957;
pub(super) const MICROSECONDS: i64 = 946_684_800_000_000;

const NANOSECONDS: i64 = 1_000;

/// Writes the text of a date, in days.
pub(super) fn date(days: i32, options: &FormatOptions, out: &mut BytesMut) -> Result<(), String> {
    let date = date32_to_datetime(days).ok_or("a date out of range")?.date();
    in_years(date.to_string().starts_with(['-', '+']), || as_text(&date, &Type::DATE, options, out))
}

/// Writes the text of a time of day, in microseconds.
pub(super) fn time(
    microseconds: i64,
    options: &FormatOptions,
    out: &mut BytesMut,
) -> Result<(), String> {
    let time = time64us_to_time(microseconds).ok_or("a time out of range")?;
    as_text(&time, &Type::TIME, options, out)
}

/// Writes the text of a timestamp, in microseconds; in UTC if it has a zone.
pub(super) fn timestamp(
    microseconds: i64,
    has_zone: bool,
    options: &FormatOptions,
    out: &mut BytesMut,
) -> Result<(), String> {
    let time = timestamp_us_to_datetime(microseconds).ok_or("a timestamp out of range")?;
    in_years(time.to_string().starts_with(['-', '+']), || {
        if has_zone {
            as_text(&time.and_utc(), &Type::TIMESTAMPTZ, options, out)
        } else {
            as_text(&time, &Type::TIMESTAMP, options, out)
        }
    })
}

/// Refuses years of other than four digits, which are written with a sign.
fn in_years(is_other: bool, write: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    if is_other {
        return Err("only years from 1 to 9999 have a text here; ask for it as binary".into());
    }
    write()
}

/// Writes what has a fraction of a second as PostgreSQL does: without zeros at its end.
fn as_text(
    value: &impl ToSqlText,
    kind: &Type,
    options: &FormatOptions,
    out: &mut BytesMut,
) -> Result<(), String> {
    let mut written = BytesMut::new();
    value.to_sql_text(kind, &mut written, options).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&written);
    let fraction = text.rfind('.').filter(|_| *kind != Type::DATE);
    let Some((whole, rest)) = fraction.and_then(|at| text.split_at_checked(at)) else {
        out.put_slice(text.as_bytes());
        return Ok(());
    };
    let digits = rest.get(1..).unwrap_or_default();
    let end = digits.find(|it: char| !it.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    let digits = digits.trim_end_matches('0');
    out.put_slice(whole.as_bytes());
    if !digits.is_empty() {
        out.put_u8(b'.');
        out.put_slice(digits.as_bytes());
    }
    out.put_slice(rest.as_bytes());
    Ok(())
}

/// Writes the text of an interval.
pub(super) fn interval(
    value: IntervalMonthDayNano,
    options: &FormatOptions,
    out: &mut BytesMut,
) -> Result<(), String> {
    let IntervalMonthDayNano { months, days, nanoseconds } = value;
    let interval = Interval::new(months, days, nanoseconds / NANOSECONDS);
    as_text(&interval, &Type::INTERVAL, options, out)
}

/// Writes an interval as binary.
pub(super) fn binary_interval(value: IntervalMonthDayNano, out: &mut BytesMut) {
    out.put_i64(value.nanoseconds / NANOSECONDS);
    out.put_i32(value.days);
    out.put_i32(value.months);
}

/// Reads the text of an interval, as PostgreSQL writes it or with units that it also takes, such as microseconds.
pub(crate) fn read_interval(text: &str) -> Result<IntervalMonthDayNano, String> {
    let wrong = || format!("invalid input syntax for type interval: \"{text}\"");
    let read = Interval::from_postgres(text).or_else(|_| Interval::from_iso(text));
    let Ok(Interval { months, days, microseconds, .. }) = read else {
        let in_units = parse_interval_month_day_nano(text).map_err(|_| wrong())?;
        let whole = in_units.nanoseconds - in_units.nanoseconds % NANOSECONDS;
        return Ok(IntervalMonthDayNano { nanoseconds: whole, ..in_units });
    };
    let nanoseconds = microseconds.checked_mul(NANOSECONDS).ok_or_else(wrong)?;
    Ok(IntervalMonthDayNano::new(months, days, nanoseconds))
}
