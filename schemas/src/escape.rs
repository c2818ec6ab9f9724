//! A reversible encoding of bytes that are not UTF-8 as code points in UTF-8 text.
//!
//! An invalid byte `b` becomes the code point `U+10FF00 + b`: one of the last 128 of the private-use planes, because
//! only bytes from 0x80 on can be invalid. The text stays UTF-8, and the bytes can be restored. Python's
//! `surrogateescape` works in the same way.

use std::borrow::Cow;

/// The code point that would stand for byte 0.
const ESCAPE: u32 = 0x10_ff00;

/// Encodes bytes as text: keeps valid UTF-8 and replaces each invalid byte by its code point. Borrows text that needs
/// no change.
pub fn escaped(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !is_escaped(text) => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.utf8_chunks().fold(String::new(), |mut text, chunk| {
            for letter in chunk.valid().chars() {
                if is_escape(letter) {
                    // The input itself holds a code point that stands for a byte: its bytes are encoded, too, so that
                    // decoding restores it.
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

/// Decodes text to the bytes that it was encoded from.
pub fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    if !is_escaped(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match u8::try_from((letter as u32).wrapping_sub(ESCAPE)) {
            Ok(byte) if is_escape(letter) => bytes.push(byte),
            _ => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Whether the text holds a code point that stands for a byte. All of these begin with 0xf4 in UTF-8, a rare byte that
/// is searched first.
fn is_escaped(text: &str) -> bool {
    text.as_bytes().contains(&0xf4) && text.contains(is_escape)
}

/// Whether a code point stands for a byte.
const fn is_escape(letter: char) -> bool {
    letter as u32 >= ESCAPE + 0x80
}

/// Returns the code point that stands for a byte.
fn escape(byte: u8) -> Option<char> {
    char::from_u32(ESCAPE + u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_lost() {
        assert_eq!(escaped("plain é".as_bytes()), "plain é");
        assert_eq!(escaped(b"caf\xe9"), "caf\u{10ffe9}");
        for original in [
            &b"\xff\xfe ok \xc3"[..],
            "own: \u{10ffe9} \u{10fffd}".as_bytes(),
            &[0x80, 0xf4, 0x8f, 0xbf],
        ] {
            assert_eq!(bytes_of(&escaped(original)), original);
        }
    }
}
