//! Reads values that clients send as text.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use pgwire::api::Type;

use super::array::{self, Item};
use super::bound::{element_of, listed};
use super::{numeric, time};

/// Reads the text of a value of a type.
pub(super) fn read(kind: &Type, text: &str) -> Result<ScalarValue, String> {
    if let Some(element) = element_of(kind) {
        return list(&element, array::read(text)?);
    }
    let wrong = || format!("invalid input syntax for type {}: \"{text}\"", kind.name());
    let as_type = |data_type: DataType| {
        let text = text.trim();
        ScalarValue::try_from_string(text.to_owned(), &data_type).map_err(|_| wrong())
    };
    let whole = |least: i64, most: i64| {
        let number: i64 = text.trim().parse().map_err(|_| wrong())?;
        if (least..=most).contains(&number) {
            Ok(ScalarValue::from(number))
        } else {
            Err(format!("value \"{text}\" is out of range for type {}", kind.name()))
        }
    };
    match *kind {
        Type::BOOL => boolean(text.trim()).map(ScalarValue::from).ok_or_else(wrong),
        Type::INT2 => whole(i16::MIN.into(), i16::MAX.into()),
        Type::INT4 => whole(i32::MIN.into(), i32::MAX.into()),
        Type::OID => whole(0, u32::MAX.into()),
        Type::INT8 => whole(i64::MIN, i64::MAX),
        Type::FLOAT4 => text.trim().parse::<f32>().map(ScalarValue::from).map_err(|_| wrong()),
        Type::FLOAT8 => text.trim().parse::<f64>().map(ScalarValue::from).map_err(|_| wrong()),
        Type::NUMERIC => numeric::read_text(text),
        Type::BYTEA => bytes(text).map(|it| ScalarValue::Binary(Some(it))).ok_or_else(wrong),
        Type::DATE => as_type(DataType::Date32),
        Type::TIME => as_type(DataType::Time64(TimeUnit::Microsecond)),
        Type::TIMESTAMP => as_type(DataType::Timestamp(TimeUnit::Microsecond, None)),
        Type::TIMESTAMPTZ => {
            as_type(DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())))
        }
        Type::INTERVAL => {
            time::read_interval(text).map(|it| ScalarValue::IntervalMonthDayNano(Some(it)))
        }
        _ => Ok(ScalarValue::from(text)),
    }
}

fn list(element: &Type, items: Vec<Item>) -> Result<ScalarValue, String> {
    let value = |item: Item| match item {
        Item::Null => Ok(None),
        Item::Text(text) => read(element, &text).map(Some),
        Item::List(items) => list(element, items).map(Some),
    };
    listed(element, items.into_iter().map(value).collect::<Result<_, _>>()?)
}

/// Reads a boolean: the beginning of a word, or a digit.
fn boolean(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if begins("true", 1) || begins("yes", 1) || begins("on", 2) || text == "1" {
        Some(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

/// Reads bytes: `\x` and hexadecimal digits, or letters with `\\` and octal numbers such as `\001`.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    if let Some(digits) = text.strip_prefix("\\x") {
        let digits: Vec<u8> = digits.bytes().filter(|it| !it.is_ascii_whitespace()).collect();
        let (pairs, rest) = digits.as_chunks::<2>();
        let byte = |pair: &[u8; 2]| {
            let digits = pair.iter().all(u8::is_ascii_hexdigit);
            let text = std::str::from_utf8(pair).ok().filter(|_| digits)?;
            u8::from_str_radix(text, 16).ok()
        };
        return pairs.iter().map(byte).collect::<Option<_>>().filter(|_| rest.is_empty());
    }
    let mut all = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'\\', [b'\\', after @ ..]) => {
                all.push(b'\\');
                rest = after;
            }
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                all.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = after;
            }
            (b'\\', _) => return None,
            (byte, _) => all.push(*byte),
        }
    }
    Some(all)
}
