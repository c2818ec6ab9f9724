//! Formats hashes and UUIDs.

use std::fmt::Write as _;

use crate::bundle::cursor::{u64_at, word};

/// Formats two u64 words as 32 hexadecimal digits, as `iree-profile` does.
pub fn hash(record: &[u8], at: usize) -> String {
    format!("{:016x}{:016x}", u64_at(record, at), u64_at(record, at + 8))
}

/// Formats sixteen bytes as a UUID (RFC 9562).
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
