//! Parses file headers and record headers. Their layouts are those of `iree/hal/utils/profile_file.h`.

use super::cursor::{Cursor, u32_at, u64_at, word};
use super::error::Fault;
use super::limits::{FILE_HEADER_BYTES, RECORD_HEADER_BYTES};

const MAGIC: u32 = u32::from_le_bytes(*b"IRPF");

/// A finished bundle without records: magic, version 1.0, header length 24, no flags, file length 24.
pub(crate) const NO_RECORDS: [u8; 24] = *b"IRPF\x01\0\0\0\x18\0\0\0\0\0\0\0\x18\0\0\0\0\0\0\0";

/// The header of a bundle file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHeader {
    pub version_major: u16,
    pub version_minor: u16,
    /// Offset of the first record.
    pub header_length: u32,
    /// Logical length of the file; 0 until the capture finishes.
    pub file_length: u64,
}

impl FileHeader {
    /// Parses and validates the header. `bytes` is the whole file.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor::new(bytes, 0);
        let magic = cursor.u32("magic")?;
        if magic != MAGIC {
            let what = format!(
                "0x{magic:08x} is not the magic number of an IREE profile bundle (0x{MAGIC:08x}, `IRPF`)"
            );
            return Err(Fault::new(0, "magic", what));
        }
        let version_major = cursor.u16("version_major")?;
        let version_minor = cursor.u16("version_minor")?;
        if version_major != 1 {
            let age = if version_major > 1 { "newer" } else { "older" };
            let what = format!(
                "format {version_major}.{version_minor} is {age} than format 1.x, which this version reads"
            );
            return Err(Fault::new(4, "version_major", what));
        }
        let header_length = cursor.u32("header_length")?;
        let flags = cursor.u32("flags")?;
        let file_length = cursor.u64("file_length")?;
        if (header_length as usize) < FILE_HEADER_BYTES || header_length as usize > bytes.len() {
            let what = format!(
                "{header_length} is not between {FILE_HEADER_BYTES} and the file size of {} bytes",
                bytes.len()
            );
            return Err(Fault::new(8, "header_length", what));
        }
        check_flags(flags, 12)?;
        if file_length != 0 && file_length < u64::from(header_length) {
            let what = format!(
                "{file_length} is less than the offset of the first record, {header_length}"
            );
            return Err(Fault::new(16, "file_length", what));
        }
        Ok(Self { version_major, version_minor, header_length, file_length })
    }
}

/// The header of a file record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordHeader {
    pub record_length: u64,
    pub payload_length: u64,
    pub session_id: u64,
    pub header_length: u32,
    pub content_type_length: u32,
    pub name_length: u32,
    pub chunk_flags: u64,
    pub dropped_record_count: u64,
    pub session_status_code: u32,
    pub record_type: u16,
}

impl RecordHeader {
    /// Parses the header at the start of `bytes` and checks that its lengths add up. The caller checks that the record
    /// fits into the file.
    pub fn parse(bytes: &[u8], offset: u64) -> Result<Self, Fault> {
        let head = Cursor::new(bytes, offset).take(RECORD_HEADER_BYTES as u64, "header")?;
        let header = Self {
            record_length: u64_at(head, 0),
            payload_length: u64_at(head, 8),
            session_id: u64_at(head, 16),
            header_length: u32_at(head, 56),
            content_type_length: u32_at(head, 60),
            name_length: u32_at(head, 64),
            chunk_flags: u64_at(head, 80),
            dropped_record_count: u64_at(head, 88),
            session_status_code: u32_at(head, 96),
            record_type: u16::from_le_bytes(word(head, 100)),
        };
        check_flags(u16::from_le_bytes(word(head, 102)).into(), offset.saturating_add(102))?;
        header.check(offset)?;
        Ok(header)
    }

    fn check(&self, offset: u64) -> Result<(), Fault> {
        if (self.header_length as usize) < RECORD_HEADER_BYTES {
            let what = format!("{} is less than {RECORD_HEADER_BYTES}", self.header_length);
            return Err(Fault::new(offset.saturating_add(56), "header_length", what));
        }
        // The lengths of a damaged file can overflow a u64.
        let parts = u128::from(self.payload_start()) + u128::from(self.payload_length);
        if parts != u128::from(self.record_length) {
            let what = format!(
                "{} is not header_length {} + content_type_length {} + name_length {} + payload_length {}",
                self.record_length,
                self.header_length,
                self.content_type_length,
                self.name_length,
                self.payload_length
            );
            return Err(Fault::new(offset, "record_length", what));
        }
        Ok(())
    }

    /// Returns the offset of the payload within the record.
    pub(crate) fn payload_start(&self) -> u64 {
        u64::from(self.header_length)
            + u64::from(self.content_type_length)
            + u64::from(self.name_length)
    }

    /// Whether the producer dropped records of this chunk.
    pub(crate) const fn has_lost_records(&self) -> bool {
        self.is_truncated() || self.dropped_record_count > 0
    }

    /// Whether the producer dropped data of this chunk (the TRUNCATED flag).
    pub const fn is_truncated(&self) -> bool {
        self.chunk_flags & 1 != 0
    }
}

fn check_flags(flags: u32, offset: u64) -> Result<(), Fault> {
    if flags == 0 {
        return Ok(());
    }
    let what = format!("0x{flags:x} is not zero, as the format requires");
    Err(Fault::new(offset, "flags", what))
}
