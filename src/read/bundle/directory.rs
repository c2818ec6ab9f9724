//! The directory of a bundle: its records, content types, sessions and problems. [`walk`](super::walk) builds it.
//!
//! Only a 16-byte [`Entry`] per record stays in memory. It tells where the payload is; the other fields of headers are
//! read from the memory map when needed.

use super::problem::Problem;

/// The type of a file record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordType {
    SessionBegin,
    Chunk,
    SessionEnd,
    Unknown,
}

impl RecordType {
    pub(super) const fn of(value: u16) -> Self {
        match value {
            1 => Self::SessionBegin,
            2 => Self::Chunk,
            3 => Self::SessionEnd,
            _ => Self::Unknown,
        }
    }
}

/// The offset and the type of a record.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub offset: u64,
    /// Number of bytes from `offset` to the payload. The payload extends to the next record.
    pub(crate) before_payload: u32,
    /// Index into [`Directory::content_types`].
    pub content_type: u16,
    pub record_type: RecordType,
    /// Whether it is a chunk of which the producer dropped records.
    pub is_lossy: bool,
}

/// A profiling session, assembled from its begin and end records and from the chunks with its id. Several devices that are profiled
/// together have one: each begins and ends it.
#[derive(Debug, Clone, Default)]
pub struct Session {
    pub session_id: u64,
    /// The name that it began with; of several devices with different ones, all, separated by commas.
    pub name: Vec<u8>,
    /// How often it began and has not ended.
    pub(crate) open: u64,
    pub(crate) begin_record: Option<u64>,
    pub end_record: Option<u64>,
    /// The status of its end, or the first failure.
    pub status_code: Option<u32>,
    pub chunks: u64,
    pub truncated_chunks: u64,
    pub dropped_records: u64,
}

impl Session {
    /// Begins the session, or lets another device begin it.
    pub(crate) fn begin(&mut self, record: u64, name: &[u8]) {
        if self.open == 0 {
            self.begin_record = Some(record);
            self.name = name.to_vec();
        } else if self.name.split(|byte| *byte == b',').all(|known| known.trim_ascii() != name) {
            self.name.extend_from_slice(b", ");
            self.name.extend_from_slice(name);
        }
        self.open += 1;
    }

    /// Ends it for one device.
    pub(crate) fn end(&mut self, record: u64, status: u32) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.end_record = Some(record);
        }
        self.status_code = self.failure().or(Some(status));
    }

    /// Returns the end status if it is a failure; `None` for OK or if the session has no end record.
    pub fn failure(&self) -> Option<u32> {
        self.status_code.filter(|code| *code != 0)
    }
}

/// The index of a bundle: its records, content types, sessions and problems.
#[derive(Debug, Default)]
pub struct Directory {
    pub entries: Vec<Entry>,
    pub content_types: Vec<Vec<u8>>,
    /// For each content type, the indices into `entries` of its chunks.
    pub chunks: Vec<Vec<u32>>,
    /// Number of damaged chunks that were removed from `chunks`.
    pub(crate) set_aside: usize,
    pub sessions: Vec<Session>,
    pub problems: Vec<Problem>,
    /// Offset of the end of the last whole record.
    pub end: u64,
    /// Whether the header declares a file length and the file has at least as many bytes.
    pub finished: bool,
    pub unknown_records: u64,
}

impl Directory {
    /// Returns the offset and the length of the payload of a record; both are 0 if there is no such record.
    #[inline]
    pub fn payload(&self, record: u32) -> (u64, u64) {
        let Some(entry) = self.entries.get(record as usize) else { return (0, 0) };
        let next = self.entries.get(record as usize + 1).map_or(self.end, |next| next.offset);
        let start = entry.offset.saturating_add(entry.before_payload.into());
        (start, next.saturating_sub(start))
    }
}
