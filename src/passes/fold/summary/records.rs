//! Counts file records from their headers: sessions, chunks, and dropped records.

use read::bundle::cursor::{u32_at, u64_at};
use read::bundle::{Bundle, RecordType};
use schemas::CONTENT_TYPE_PREFIX;
use schemas::enums::STATUS_CODE;

use crate::fold::shared::Columns;

/// A session that ended with an error.
#[derive(Debug, Clone, Copy)]
pub struct FailedEnd {
    pub session_id: u64,
    pub stream_id: u64,
    pub event_id: u64,
    pub status_code: u32,
}

impl FailedEnd {
    /// Returns the name of the status code.
    pub fn status(&self) -> &'static str {
        STATUS_CODE.name_of(self.status_code)
    }
}

/// Counts of file records.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileRecords {
    pub total: u64,
    pub(crate) session_begins: u64,
    pub(crate) session_ends: u64,
    pub(crate) failed_ends: u64,
    pub(crate) first_failed: Option<FailedEnd>,
    pub unknown: u64,
    pub chunks: u64,
    /// Chunks with an unknown content type.
    pub unknown_chunks: u64,
    pub truncated_chunks: u64,
    /// Records that the producer dropped, according to the headers of truncated chunks.
    pub dropped: u64,
}

impl FileRecords {
    /// Counts the file records of a bundle. `known_chunks` is the number of chunks of known families.
    pub fn of(bundle: &Bundle, known_chunks: u64) -> Self {
        let mut records = Self::default();
        for (record, entry) in (0..).zip(&bundle.directory.entries) {
            records.total += 1;
            match entry.record_type {
                RecordType::SessionBegin => records.session_begins += 1,
                RecordType::SessionEnd => records.add_end(bundle.record(record)),
                RecordType::Unknown => records.unknown += 1,
                RecordType::Chunk => {
                    records.chunks += 1;
                    if entry.is_lossy {
                        records.add_losses(bundle.record(record));
                    }
                }
            }
        }
        records.unknown_chunks = records.chunks.saturating_sub(known_chunks);
        records
    }

    fn add_losses(&mut self, header: &[u8]) {
        if u64_at(header, 80) & 1 != 0 {
            self.truncated_chunks += 1;
            // Wraps as in `iree-profile`; only a damaged file claims that many.
            self.dropped = self.dropped.wrapping_add(u64_at(header, 88));
        }
    }

    fn add_end(&mut self, header: &[u8]) {
        self.session_ends += 1;
        let status_code = u32_at(header, 96);
        if status_code == 0 {
            return;
        }
        self.failed_ends += 1;
        self.first_failed.get_or_insert(FailedEnd {
            session_id: u64_at(header, 16),
            stream_id: u64_at(header, 24),
            event_id: u64_at(header, 32),
            status_code,
        });
    }
}

/// The columns of file records, with which relations of totals begin.
pub(crate) fn record_columns() -> Columns<FileRecords> {
    Columns::new()
        .number("file_records", |records: &FileRecords| records.total)
        .number("session_begin_records", |records| records.session_begins)
        .number("chunk_records", |records| records.chunks)
        .number("session_end_records", |records| records.session_ends)
        .number("non_ok_session_end_records", |records| records.failed_ends)
        .number("unknown_records", |records| records.unknown)
        .number("unknown_chunks", |records| records.unknown_chunks)
        .number("truncated_chunks", |records| records.truncated_chunks)
        .number("dropped_records", |records| records.dropped)
        .part(failed_columns(), |records| &records.first_failed)
}

/// The columns of the first failed session.
pub(crate) fn failed_columns() -> Columns<Option<FailedEnd>> {
    Columns::<Option<FailedEnd>>::new()
        .optional_number("first_non_ok_session_id", |failed| Some(failed.as_ref()?.session_id))
        .optional_number("first_non_ok_stream_id", |failed| Some(failed.as_ref()?.stream_id))
        .optional_number("first_non_ok_event_id", |failed| Some(failed.as_ref()?.event_id))
        .optional_number("first_non_ok_status_code", |failed| {
            Some(failed.as_ref()?.status_code.into())
        })
        .optional_text("first_non_ok_status", |failed| Some(failed.as_ref()?.status()))
}

/// Returns the number of chunks of a family that have its current content type.
pub fn chunks(bundle: &Bundle, table: &str) -> u64 {
    let family = schemas::find(table).and_then(schemas::spec::Table::reads);
    let Some(name) = family.and_then(|family| family.suffixes.first()) else { return 0 };
    let directory = &bundle.directory;
    let is_named = |content_type: &[u8]| {
        content_type.strip_prefix(CONTENT_TYPE_PREFIX.as_bytes()) == Some(name.as_bytes())
    };
    let found = directory.content_types.iter().zip(&directory.chunks);
    found
        .filter(|(content_type, _)| is_named(content_type))
        .map(|(_, records)| records.len() as u64)
        .sum()
}
