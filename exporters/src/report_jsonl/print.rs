//! Values as bytes: C's number formats and IREE's escapes.

use std::io::Write as _;

/// Bytes that a piece can have to be printed at once.
const SHORT: usize = 64;

/// Bytes that are printed in every row. A copy whose length is known while compiling is a few moves instead of a call, so
/// short ones are copied with what is not theirs, which is then cut off.
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
    /// These bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut short = [0; SHORT];
        let short =
            short.get_mut(..bytes.len()).map(|start| start.copy_from_slice(&bytes)).map(|()| short);
        Self { bytes, short }
    }

    /// Prints them.
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

/// A list of what `print` prints.
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

/// A whole number.
#[inline]
pub fn integer(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Beyond this, not every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A fraction as C's `%.<digits>f` prints it.
pub fn fraction(value: f64, digits: usize, out: &mut Vec<u8>) {
    if value.is_nan() {
        out.extend_from_slice(if value.is_sign_negative() { b"-nan" } else { b"nan" });
    } else if value.fract() == 0.0
        && value.abs() < EXACT
        && !(value == 0.0 && value.is_sign_negative())
    {
        // Times are mostly whole.
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        integer(value as i64, out);
        if digits > 0 {
            out.push(b'.');
            out.resize(out.len() + digits, b'0');
        }
    } else {
        // Writing to memory cannot fail.
        let _ = write!(out, "{value:.digits$}");
    }
}

/// Text with IREE's escapes: controls and quotes are escaped, all else is as it was recorded.
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
