//! Formats values as JSON bytes, with the number formats of C's `printf` and the string escapes of `iree-profile`.

use std::io::Write as _;

/// Maximum length of a piece that is copied as an array.
const SHORT: usize = 64;

/// Bytes that are printed in every row. Short ones are padded to an array, copied whole and then truncated, because a
/// copy of a length known at compile time compiles to a few moves instead of a call.
#[derive(Debug)]
pub struct Piece {
    bytes: Vec<u8>,
    short: Option<[u8; SHORT]>,
}

impl Default for Piece {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Piece {
    /// Creates a piece of these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut short = [0; SHORT];
        let short =
            short.get_mut(..bytes.len()).map(|start| start.copy_from_slice(&bytes)).map(|()| short);
        Self { bytes, short }
    }

    /// Appends the bytes to `out`.
    #[inline]
    pub fn print(&self, out: &mut Vec<u8>) {
        if let Some(short) = &self.short {
            let end = out.len() + self.bytes.len();
            out.extend_from_slice(short);
            out.truncate(end);
        } else {
            out.extend_from_slice(&self.bytes);
        }
    }
}

/// Prints a JSON array; `print` prints the item at each of `places`.
pub fn list(
    places: impl Iterator<Item = usize>,
    out: &mut Vec<u8>,
    mut print: impl FnMut(usize, &mut Vec<u8>),
) {
    out.push(b'[');
    for (nth, place) in places.enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        print(place, out);
    }
    out.push(b']');
}

/// Prints an integer.
#[inline]
pub fn integer(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Prints a floating-point number as C's `%.<digits>f` does.
pub fn fraction(value: f64, digits: usize, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(if value.is_sign_negative() { b"-nan" } else { b"nan" });
    } else if let Some((whole, mut behind)) = rounded(value.abs(), digits) {
        if value.is_sign_negative() {
            out.push(b'-');
        }
        integer(whole, out);
        // The decimal point and the digits after it, filled from the last to the first.
        let mut places = [b'.'; DIGITS + 1];
        let places = places.get_mut(..=digits).unwrap_or_default();
        for place in places.iter_mut().skip(1).rev() {
            *place = b'0' + (behind % 10) as u8;
            behind /= 10;
        }
        out.extend_from_slice(places);
    } else {
        // Writing to memory cannot fail.
        let _ = write!(out, "{value:.digits$}");
    }
}

/// Maximum number of digits after the decimal point that `rounded` supports. The standard library supports any number,
/// but takes ten times as long.
const DIGITS: usize = 9;

/// Stored mantissa bits of a double, without the implicit leading one.
const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;

/// Returns the whole part of a non-negative number and its `digits` decimal digits. Rounds the exact value of the
/// double to nearest, ties to even, as C does. Returns `None` for large numbers and unsupported numbers of digits.
#[expect(clippy::cast_precision_loss, reason = "a power of two")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the checks above bound the values"
)]
fn rounded(value: f64, digits: usize) -> Option<(u64, u64)> {
    // Larger doubles are integers, and without decimal digits the whole part would be rounded.
    if value >= (1_u64 << MANTISSA) as f64 || !(1..=DIGITS).contains(&digits) {
        return None;
    }
    let whole = value.trunc();
    let rest = value - whole;
    let one = (0..digits).fold(1, |power: u64, _| power * 10);
    // The rest is exactly `mantissa / 2^shift` (IEEE 754), so its digits are `mantissa * 10^digits / 2^shift`, computed
    // in 128 bits. A `shift` of 128 or more means that the rest is 0, or too small to round up.
    let bits = rest.to_bits();
    let mantissa = bits & ((1 << MANTISSA) - 1) | 1 << MANTISSA;
    let shift = (f64::MAX_EXP - 1) as u32 + MANTISSA - (bits >> MANTISSA) as u32;
    let scaled = u128::from(mantissa) * u128::from(one);
    let behind = match scaled.checked_shr(shift) {
        Some(below) => {
            let (half, more) = (1 << (shift - 1), scaled & ((1 << shift) - 1));
            below + u128::from(more > half || more == half && below & 1 == 1)
        }
        None => 0,
    };
    let (whole, behind) = (whole as u64, behind as u64);
    Some(if behind == one { (whole + 1, 0) } else { (whole, behind) })
}

/// Prints a JSON string. Escapes quotes, backslashes and control characters below U+0020 (RFC 8259, section 7); all
/// other bytes are written as recorded, even if they are not UTF-8.
pub fn text(value: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = schemas::escape::bytes_of(value);
    let mut rest: &[u8] = &bytes;
    while let Some(at) = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        escape(*byte, out);
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        other => {
            // Writing to memory cannot fail.
            let _ = write!(out, "\\u{other:04x}");
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(print: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        print(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn pieces_of_any_length_are_printed_whole() {
        for length in [0, 1, SHORT - 1, SHORT, SHORT + 1, 1000] {
            let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(length).collect();
            let mut out = b"before".to_vec();
            Piece::new(bytes.clone()).print(&mut out);
            Piece::new(b"after".to_vec()).print(&mut out);
            assert_eq!(out, [b"before".as_slice(), &bytes, b"after"].concat(), "{length}");
        }
    }

    #[test]
    fn fractions_are_rounded_as_c_rounds_them() {
        for (value, digits, shown) in [
            (0.0, 3, "0.000"),
            (-0.0, 3, "-0.000"),
            (2.0, 3, "2.000"),
            (0.0625, 3, "0.062"),
            (0.1875, 3, "0.188"),
            (
                1e300,
                0,
                "1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704",
            ),
            (7.0, 0, "7"),
            (1.0 / 3.0, 9, "0.333333333"),
            (f64::INFINITY, 3, "inf"),
            (f64::NAN, 3, "nan"),
        ] {
            let printed = printed(|out| fraction(value, digits, out));
            assert!(printed.starts_with(shown), "{value} is printed {printed}");
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "any fraction will do")]
    fn fractions_are_those_of_the_standard_library() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ state >> 29
        };
        let check = |value: f64, digits: usize| {
            let library = format!("{value:.digits$}");
            assert_eq!(printed(|out| fraction(value, digits, out)), library, "{value:e}");
        };
        for digits in 0..=DIGITS + 1 {
            for _ in 0..2_000 {
                let bits = random();
                check(f64::from_bits(bits & !(1 << 62)), digits);
                // Numbers of the magnitude of timestamps, with rounding ties among them.
                check((bits >> 20) as f64 / 1024.0, digits);
                check(-((bits >> 40) as f64) / 1000.0, digits);
                check((bits >> 11) as f64 / (1_u64 << (bits % 64)) as f64, digits);
            }
            for whole in [0.0, 1.0, 9.0, 4_503_599_627_370_495.0, 4_503_599_627_370_496.0] {
                for value in [whole, whole + 0.5, whole + 1.0 - f64::EPSILON, -whole] {
                    check(value, digits);
                }
            }
            for value in [f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.999_999_999_5, 0.1 + 0.2] {
                check(value, digits);
            }
        }
    }

    #[test]
    fn text_is_escaped_as_iree_does() {
        assert_eq!(
            printed(|out| text("a\"b\\c\u{8}\u{c}\n\r\t\u{1}\u{7f}é", out)),
            "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\u{7f}é\""
        );
        let mut out = Vec::new();
        text("caf\u{10ffe9}", &mut out);
        assert_eq!(out, b"\"caf\xe9\"");
    }
}
