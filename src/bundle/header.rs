//! Parses file headers and record headers. Their layouts are those of `iree/hal/utils/profile_file.h`.

use super::cursor::Cursor;
use super::error::Fault;
use super::limits::{FILE_HEADER_BYTES, RECORD_HEADER_BYTES};

/// The magic bytes `IRPF` as a little-endian u32.
const MAGIC: u32 = u32::from_le_bytes(*b"IRPF");

/// A finished bundle without records: magic, version 1.0, header length 24, no flags, file length 24.
pub const NO_RECORDS: [u8; 24] = *b"IRPF\x01\0\0\0\x18\0\0\0\0\0\0\0\x18\0\0\0\0\0\0\0";

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
        if flags != 0 {
            return Err(Fault::new(
                12,
                "flags",
                format!("0x{flags:x} is not zero, as the format requires"),
            ));
        }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let mut cursor = Cursor::new(bytes, offset);
        let record_length = cursor.u64("record_length")?;
        let payload_length = cursor.u64("payload_length")?;
        let session_id = cursor.u64("session_id")?;
        cursor.take(32, "stream_id")?;
        let header_length = cursor.u32("header_length")?;
        let content_type_length = cursor.u32("content_type_length")?;
        let name_length = cursor.u32("name_length")?;
        cursor.take(12, "physical_device_ordinal")?;
        let chunk_flags = cursor.u64("chunk_flags")?;
        let dropped_record_count = cursor.u64("dropped_record_count")?;
        let session_status_code = cursor.u32("session_status_code")?;
        let record_type = cursor.u16("record_type")?;
        let flags = cursor.u16("flags")?;
        let header = Self {
            record_length,
            payload_length,
            session_id,
            header_length,
            content_type_length,
            name_length,
            chunk_flags,
            dropped_record_count,
            session_status_code,
            record_type,
        };
        header.check(offset, flags)?;
        Ok(header)
    }

    fn check(&self, offset: u64, flags: u16) -> Result<(), Fault> {
        let at = |field_at: u64| offset.saturating_add(field_at);
        if flags != 0 {
            return Err(Fault::new(
                at(102),
                "flags",
                format!("0x{flags:x} is not zero, as the format requires"),
            ));
        }
        if (self.header_length as usize) < RECORD_HEADER_BYTES {
            let what = format!("{} is less than {RECORD_HEADER_BYTES}", self.header_length);
            return Err(Fault::new(at(56), "header_length", what));
        }
        // The lengths of a damaged file can overflow a u64.
        let parts = u128::from(self.header_length)
            + u128::from(self.content_type_length)
            + u128::from(self.name_length)
            + u128::from(self.payload_length);
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
    pub fn payload_start(&self) -> u64 {
        u64::from(self.header_length)
            + u64::from(self.content_type_length)
            + u64::from(self.name_length)
    }

    /// Whether the producer dropped data of this chunk (the TRUNCATED flag).
    pub const fn is_truncated(&self) -> bool {
        self.chunk_flags & 1 != 0
    }
}
