//! Formats hashes and UUIDs.

use crate::bundle::cursor::{u64_at, word};

/// Formats two u64 words as 32 hexadecimal digits, as `iree-profile` does.
pub fn hash(record: &[u8], at: usize) -> String {
    format!("{:016x}{:016x}", u64_at(record, at), u64_at(record, at + 8))
}

/// Formats sixteen bytes as a UUID (RFC 9562).
pub fn uuid(record: &[u8], at: usize) -> String {
    let mut text = format!("{:032x}", u128::from_be_bytes(word(record, at)));
    for dash_at in [8, 13, 18, 23] {
        text.insert(dash_at, '-');
    }
    text
}
