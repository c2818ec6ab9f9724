//! Bytes of a file as text: names, hashes and UUIDs.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::bundle::cursor::{u64_at, word};

/// The code point that stands for byte 0 of what is not UTF-8; only bytes from 0x80 on can be.
///
/// They become the last 128 code points of the private planes, so that text stays UTF-8 and no byte is lost: whoever
/// must print the bytes as they were can tell them.
const ESCAPE: u32 = 0x10_ff00;

/// UTF-8 as it is; a byte that is not becomes `U+10FF00` plus the byte.
pub fn escaped(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(is_escape) => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.utf8_chunks().fold(String::new(), |mut text, chunk| {
            for letter in chunk.valid().chars() {
                if is_escape(letter) {
                    // One of the code points that stand for bytes, in its own right.
                    text.extend(letter.encode_utf8(&mut [0; 4]).bytes().filter_map(escape));
                } else {
                    text.push(letter);
                }
            }
            text.extend(chunk.invalid().iter().copied().filter_map(escape));
            text
        })),
    }
}

const fn is_escape(letter: char) -> bool {
    letter as u32 >= ESCAPE + 0x80
}

fn escape(byte: u8) -> Option<char> {
    char::from_u32(ESCAPE + u32::from(byte))
}

/// Two u64 words as 32 hexadecimal digits, as `iree-profile` prints them.
pub fn hash(record: &[u8], at: usize) -> String {
    format!("{:016x}{:016x}", u64_at(record, at), u64_at(record, at + 8))
}

/// Sixteen bytes in the 8-4-4-4-12 form of a UUID.
pub fn uuid(record: &[u8], at: usize) -> String {
    let bytes: [u8; 16] = word(record, at);
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes behind escaped text.
    fn bytes(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for letter in text.chars() {
            match u8::try_from((letter as u32).wrapping_sub(ESCAPE)) {
                Ok(byte) if is_escape(letter) => bytes.push(byte),
                _ => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        bytes
    }

    #[test]
    fn no_byte_is_lost() {
        assert_eq!(escaped("plain é".as_bytes()), "plain é");
        assert_eq!(escaped(b"caf\xe9"), "caf\u{10ffe9}");
        for original in [
            &b"\xff\xfe ok \xc3"[..],
            "own: \u{10ffe9} \u{10fffd}".as_bytes(),
            &[0x80, 0xf4, 0x8f, 0xbf],
        ] {
            assert_eq!(bytes(&escaped(original)), original);
        }
    }
}
