//! Bounds-checked reads of bytes and little-endian integers.
//!
//! A [`Cursor`] keeps the absolute offset of its first byte, so that each [`Fault`] reports a position in the file.
//! [`word`] reads a field of a record whose length the caller has checked.

use std::hint::black_box;

use super::error::Fault;

/// A read position in a slice of the file that starts at the absolute offset `base`.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    base: u64,
    position: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of `bytes`, whose first byte is at absolute offset `base`.
    pub const fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, base, position: 0 }
    }

    /// Returns the absolute offset of the next byte.
    pub const fn offset(&self) -> u64 {
        self.base.saturating_add(self.position as u64)
    }

    /// Returns the unread bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Returns the next `length` bytes and advances past them. If fewer are left, the error names `field`.
    pub fn take(&mut self, length: u64, field: &'static str) -> Result<&'a [u8], Fault> {
        let rest = self.rest();
        let taken = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let Some(taken) = taken else {
            return Err(Fault::new(
                self.offset(),
                field,
                format!("needs {length} bytes, but only {} remain", rest.len()),
            ));
        };
        self.position = self.position.saturating_add(taken.len());
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Fault> {
        let taken = self.take(N as u64, field)?;
        Ok(word(taken, 0))
    }

    /// Reads a little-endian u16.
    pub fn u16(&mut self, field: &'static str) -> Result<u16, Fault> {
        self.array(field).map(u16::from_le_bytes)
    }

    /// Reads a little-endian u32.
    pub fn u32(&mut self, field: &'static str) -> Result<u32, Fault> {
        self.array(field).map(u32::from_le_bytes)
    }

    /// Reads a little-endian u64.
    pub fn u64(&mut self, field: &'static str) -> Result<u64, Fault> {
        self.array(field).map(u64::from_le_bytes)
    }
}

/// Returns the `N` bytes at offset `at` of a record, whose length the caller has checked. A record that is too short
/// yields zeros.
#[inline]
pub fn word<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    record.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().unwrap_or([0; N])
}

/// Returns the u32 at offset `at` of a record.
#[inline]
pub fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(word(record, at))
}

/// Returns the u64 at offset `at` of a record.
#[inline]
pub fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(word(record, at))
}

/// Loads the cache lines of the first `N` bytes, if there are as many. To load those of several places before any of them
/// is read takes little longer than one, as a processor waits for all of them at once.
#[inline]
pub fn load<const N: usize>(bytes: &[u8]) {
    if let Some(bytes) = bytes.first_chunk::<N>() {
        let (lines, _) = bytes.as_chunks::<CACHE_LINE>();
        black_box(lines.iter().fold(0, |all, [first, ..]| all | first));
    }
}

const CACHE_LINE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_read_says_where_and_which_field() {
        let mut cursor = Cursor::new(&[1, 0, 2], 40);
        assert_eq!(cursor.u16("first"), Ok(1));
        let fault = cursor.u32("second").expect_err("one byte is left");
        assert_eq!(fault.offset, 42);
        assert_eq!(
            fault.to_string(),
            "at byte 42 (0x2a), second: needs 4 bytes, but only 1 remain"
        );
    }

    #[test]
    fn a_length_beyond_the_address_space_is_a_fault() {
        assert!(Cursor::new(&[0; 8], 0).take(u64::MAX, "payload").is_err());
    }
}
