//! `numeric`: decimal numbers as text, and as digits of base 10,000.

use bytes::{BufMut, BytesMut};
use datafusion::arrow::datatypes::i256;
use datafusion::common::ScalarValue;

/// The sign of a binary value that is below zero, and those of values that are no number.
const NEGATIVE: u16 = 0x4000;
const NOT_A_NUMBER: u16 = 0xC000;
const INFINITY: u16 = 0xD000;
const MINUS_INFINITY: u16 = 0xF000;

/// The most digits of decimals of 128 and of 256 bits.
const DIGITS: [usize; 2] = [38, 76];

/// Returns the text of a decimal number.
pub fn text(unscaled: i256, scale: i8) -> String {
    // The division of 256 bits takes many times as long.
    let digits = unscaled.to_i128().map_or_else(|| unscaled.to_string(), |it| it.to_string());
    let (sign, digits) = digits.strip_prefix('-').map_or(("", &*digits), |rest| ("-", rest));
    let Ok(scale @ 1..) = usize::try_from(scale) else {
        let zeros = usize::from(scale.unsigned_abs());
        return if digits == "0" {
            "0".to_owned()
        } else {
            format!("{sign}{digits}{}", "0".repeat(zeros))
        };
    };
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

/// Writes a decimal number as binary: the count of digits of base 10,000, the place of the first, the sign, the count of decimal
/// places, and the digits without zeros at both ends.
pub(crate) fn write_binary(unscaled: i256, scale: i8, out: &mut BytesMut) {
    let places = usize::try_from(scale).unwrap_or_default();
    let mut digits = base_10_000(unscaled, scale);
    // The digits behind the point.
    let behind = places.div_ceil(4);
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let short = |number: usize| i16::try_from(number).unwrap_or(i16::MAX);
    let weight = if digits.is_empty() { 0 } else { short(digits.len()) - 1 - short(behind) };
    digits.drain(..zeros);
    out.put_i16(short(digits.len()));
    out.put_i16(weight);
    out.put_u16(if unscaled.is_negative() { NEGATIVE } else { 0 });
    out.put_i16(short(places));
    for digit in digits.into_iter().rev() {
        out.put_u16(digit);
    }
}

/// Returns the digits of base 10,000 of a number, the last one first. Some are behind the point, and none before the first that is
/// not 0.
fn base_10_000(unscaled: i256, scale: i8) -> Vec<u16> {
    let mut digits = Vec::with_capacity(5);
    // A digit is not divided by the point.
    let padding = u32::from((4 - scale.rem_euclid(4).unsigned_abs()) % 4);
    let small = unscaled.to_i128().filter(|_| scale >= 0).and_then(|number| {
        let number = number.unsigned_abs().checked_mul(10_u128.pow(padding))?;
        u64::try_from(number).ok()
    });
    if let Some(mut left) = small {
        while left > 0 {
            digits.push(u16::try_from(left % 10_000).unwrap_or_default());
            left /= 10_000;
        }
        return digits;
    }
    let text = text(unscaled, scale).replace(['-', '.'], "");
    let padded = if scale > 0 {
        format!("{text:0<width$}", width = text.len() + padding as usize)
    } else {
        text
    };
    let value = |four: &[u8]| four.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    digits.extend(padded.as_bytes().rchunks(4).map(value));
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

/// Reads a number: a decimal, or a float if it is not finite.
pub(crate) fn read_text(text: &str) -> Result<ScalarValue, String> {
    let wrong = || format!("invalid input syntax for type numeric: \"{text}\"");
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    match rest.to_ascii_lowercase().as_str() {
        "nan" if sign.is_empty() => return Ok(ScalarValue::from(f64::NAN)),
        "infinity" | "inf" => {
            let infinity = if sign.is_empty() { f64::INFINITY } else { f64::NEG_INFINITY };
            return Ok(ScalarValue::from(infinity));
        }
        _ => {}
    }
    let (digits, exponent) = match rest.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().map_err(|_| wrong())?),
        None => (rest, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(wrong());
    }
    let places = i32::try_from(fraction.len()).map_err(|_| wrong())?.saturating_sub(exponent);
    decimal(sign, &all, places)
}

/// Returns a decimal number with these digits, of which so many are behind the point.
fn decimal(sign: &str, digits: &str, places: i32) -> Result<ScalarValue, String> {
    let too_long = || "a number of more than 76 digits".to_owned();
    let zeros = usize::try_from(places.saturating_neg()).unwrap_or_default();
    if zeros > DIGITS[1] {
        return Err(too_long());
    }
    let digits = format!("{}{}", digits.trim_start_matches('0'), "0".repeat(zeros));
    let scale = usize::try_from(places).unwrap_or_default();
    let count = digits.len().max(scale).max(1);
    let (Ok(precision), Ok(scale)) = (u8::try_from(count), i8::try_from(scale)) else {
        return Err(too_long());
    };
    let number = if digits.is_empty() { "0" } else { &digits };
    let number = i256::from_string(&format!("{sign}{number}")).ok_or_else(too_long)?;
    match number.to_i128() {
        Some(number) if count <= DIGITS[0] => {
            Ok(ScalarValue::Decimal128(Some(number), precision, scale))
        }
        _ if count <= DIGITS[1] => Ok(ScalarValue::Decimal256(Some(number), precision, scale)),
        _ => Err(too_long()),
    }
}

/// Reads a binary number.
pub(crate) fn read_binary(bytes: &[u8]) -> Result<ScalarValue, String> {
    let words: Vec<u16> =
        bytes.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    let [count, weight, sign, places, digits @ ..] = words.as_slice() else {
        return Err("a numeric of fewer than 8 bytes".into());
    };
    let infinity = f64::INFINITY;
    match *sign {
        0 | NEGATIVE => {}
        NOT_A_NUMBER => return Ok(ScalarValue::from(f64::NAN)),
        INFINITY => return Ok(ScalarValue::from(infinity)),
        MINUS_INFINITY => return Ok(ScalarValue::from(-infinity)),
        other => return Err(format!("a numeric with the sign {other:#06x}")),
    }
    if usize::from(*count) != digits.len() || digits.iter().any(|digit| *digit > 9999) {
        return Err("a numeric with wrong digits".into());
    }
    let weight = i32::from(weight.cast_signed());
    let all: String = digits.iter().map(|digit| format!("{digit:04}")).collect();
    let length = i32::try_from(all.len()).unwrap_or(i32::MAX);
    // The decimal places of the last digit that is sent, and those that the number has.
    let last = length - 4 * (weight + 1);
    let wanted = i32::from(*places);
    let sign = if *sign == NEGATIVE { "-" } else { "" };
    if last <= wanted {
        let zeros = usize::try_from(wanted - last).unwrap_or_default().min(DIGITS[1] + 1);
        return decimal(sign, &format!("{all}{}", "0".repeat(zeros)), wanted);
    }
    // The last digit of base 10,000 has more places than the number.
    let more = usize::try_from(last - wanted).unwrap_or_default();
    let kept = all.get(..all.len().saturating_sub(more)).unwrap_or_default();
    decimal(sign, if kept.is_empty() { "0" } else { kept }, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: &ScalarValue) -> (i256, i8) {
        match value {
            ScalarValue::Decimal128(Some(number), _, scale) => (i256::from_i128(*number), *scale),
            ScalarValue::Decimal256(Some(number), _, scale) => (*number, *scale),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let texts = [
            "0",
            "0.00",
            "1",
            "-1",
            "10000",
            "9999",
            "0.0001",
            "-0.00001",
            "12345.6789",
            "100000000",
            "18446744073709551615",
            "99999999999999999999999999999999999999",
            "1234567890123456789012345678901234567890123456789.0123456789",
            "0.5000",
        ];
        for written in texts {
            let (number, scale) = decimal(&read_text(written).unwrap());
            assert_eq!(text(number, scale), written);
            let mut bytes = BytesMut::new();
            write_binary(number, scale, &mut bytes);
            assert_eq!(decimal(&read_binary(&bytes).unwrap()), (number, scale), "{written}");
        }
        for (written, wanted) in
            [("1e3", "1000"), ("1.5E-3", "0.0015"), (" +7 ", "7"), (".5", "0.5")]
        {
            let (number, scale) = decimal(&read_text(written).unwrap());
            assert_eq!(text(number, scale), wanted);
        }
        for wrong in ["", "1.2.3", "abc", "1e", "--1", "1e99", "-NaN"] {
            assert!(read_text(wrong).is_err(), "{wrong}");
        }
        assert_eq!(text(i256::from_i128(15), -2), "1500");
    }
}
