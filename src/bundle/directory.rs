//! Builds the directory of a bundle in one pass over its records. Payloads are not read.
//!
//! Only a 16-byte [`Entry`] per record stays in memory. Headers are parsed again from the memory map when needed.

use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};

use super::cursor::Cursor;
use super::error::Fault;
use super::header::{FileHeader, RecordHeader};
use super::limits::{CONTENT_TYPE_BYTES, CONTENT_TYPES, RECORD_HEADER_BYTES};
use super::problem::{Problem, Problems, Severity};

/// The type of a file record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordType {
    SessionBegin,
    Chunk,
    SessionEnd,
    Unknown,
}

impl RecordType {
    const fn of(value: u16) -> Self {
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
    /// Index into [`Directory::content_types`].
    pub content_type: u32,
    pub record_type: RecordType,
}

/// A profiling session, assembled from its begin and end records and from the chunks with its id.
#[derive(Debug, Clone, Default)]
pub struct Session {
    pub session_id: u64,
    pub name: Vec<u8>,
    pub begin_record: Option<u64>,
    pub end_record: Option<u64>,
    pub status_code: Option<u32>,
    pub chunks: u64,
    pub truncated_chunks: u64,
    pub dropped_records: u64,
}

impl Session {
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
    pub set_aside: usize,
    pub sessions: Vec<Session>,
    pub problems: Vec<Problem>,
    /// Offset of the end of the last whole record.
    pub end: u64,
    /// Whether the header declares a file length and the file has at least as many bytes.
    pub finished: bool,
    pub unknown_records: u64,
}

/// Builds the directory of `bytes`, the whole mapped file. Fails at a malformed record. In an unfinished file, an
/// incomplete record at the end is a problem and not an error.
pub fn walk(bytes: &[u8], header: &FileHeader) -> Result<Directory, Fault> {
    let mut walker = Walker::default();
    walker.run(bytes, header)?;
    Ok(walker.finish())
}

#[derive(Default)]
struct Walker {
    directory: Directory,
    types: HashMap<Vec<u8>, u32>,
    sessions: HashMap<u64, usize>,
    problems: Problems,
}

impl Walker {
    fn run(&mut self, bytes: &[u8], header: &FileHeader) -> Result<(), Fault> {
        let present = bytes.len() as u64;
        let declared = header.file_length;
        // A capture that did not finish leaves a file length of 0, and a file that was cut is shorter than its length.
        // Both are salvaged up to the last whole record. Bytes after the length of a finished file are stale.
        self.directory.finished = declared != 0 && declared <= present;
        let limit = if self.directory.finished { declared } else { present };
        let logical = usize::try_from(limit).ok().and_then(|end| bytes.get(..end)).unwrap_or(bytes);

        let mut offset = u64::from(header.header_length);
        while offset < limit {
            let index = self.directory.entries.len() as u64;
            let rest = tail(logical, offset);
            match self.step(rest, offset).map_err(|fault| fault.in_record(index))? {
                Continue(record) => {
                    self.add(rest, offset, index, &record)
                        .map_err(|fault| fault.in_record(index))?;
                    offset = offset.saturating_add(record.record_length);
                }
                Break(why) => {
                    let lost = limit.saturating_sub(offset);
                    let what = format!(
                        "the last {lost} bytes are an incomplete record ({why}) and were skipped"
                    );
                    let problem = Problem::new(Severity::Error, "cut_record", offset, index, what);
                    self.problems.push(problem);
                    break;
                }
            }
        }
        self.directory.end = offset.min(limit);
        if !self.directory.finished {
            self.unfinished(declared, present);
        }
        Ok(())
    }

    /// Parses the record header at the start of `rest`. In an unfinished file, an incomplete record ends the pass, with
    /// the reason why it is not whole.
    fn step(&self, rest: &[u8], offset: u64) -> Result<ControlFlow<String, RecordHeader>, Fault> {
        let left = rest.len() as u64;
        let may_be_cut = !self.directory.finished;
        if may_be_cut && rest.len() < RECORD_HEADER_BYTES {
            return Ok(Break(format!("{left} bytes remain, less than a record header")));
        }
        if may_be_cut && rest.iter().take(RECORD_HEADER_BYTES).all(|byte| *byte == 0) {
            return Ok(Break("the record header consists of zeros".into()));
        }
        let record = RecordHeader::parse(rest, offset)?;
        if record.record_length > left {
            let why = format!("{} exceeds the remaining {left} bytes", record.record_length);
            return if may_be_cut {
                Ok(Break(format!("record_length {why}")))
            } else {
                Err(Fault::new(offset, "record_length", why))
            };
        }
        Ok(Continue(record))
    }

    fn add(
        &mut self,
        rest: &[u8],
        offset: u64,
        index: u64,
        record: &RecordHeader,
    ) -> Result<(), Fault> {
        let mut cursor = Cursor::new(rest, offset);
        cursor.take(record.header_length.into(), "header")?;
        let content_type = self.intern(&mut cursor, record)?;
        let record_type = RecordType::of(record.record_type);
        let slot = u32::try_from(index).map_err(|_| {
            Fault::new(offset, "record", "more than 2^32 records are not supported".into())
        })?;
        self.directory.entries.push(Entry { offset, content_type, record_type });
        match record_type {
            RecordType::SessionBegin => {
                let name = cursor.take(record.name_length.into(), "name")?.to_vec();
                self.begin_session(offset, index, record.session_id);
                self.session(record.session_id, |session| {
                    session.name = name;
                    session.begin_record = Some(index);
                });
            }
            RecordType::SessionEnd => {
                self.session(record.session_id, |session| {
                    session.end_record = Some(index);
                    session.status_code = Some(record.session_status_code);
                });
                if record.session_status_code != 0 {
                    self.failed_session(offset, index, record);
                }
            }
            RecordType::Chunk => {
                if let Some(list) = self.directory.chunks.get_mut(content_type as usize) {
                    list.push(slot);
                }
                self.count_chunk(offset, index, record);
            }
            RecordType::Unknown => {
                self.directory.unknown_records += 1;
                let what = format!(
                    "record type {} is unknown to this version; only `records` lists it",
                    record.record_type
                );
                let problem = Problem::new(Severity::Info, "unknown_record", offset, index, what);
                self.problems.push(problem);
            }
        }
        Ok(())
    }

    /// Returns the index of the record's content type. A new content type is added.
    fn intern(&mut self, cursor: &mut Cursor<'_>, record: &RecordHeader) -> Result<u32, Fault> {
        let at = cursor.offset();
        if record.content_type_length > CONTENT_TYPE_BYTES {
            let what = format!("{} exceeds {CONTENT_TYPE_BYTES}", record.content_type_length);
            return Err(Fault::new(at, "content_type_length", what));
        }
        let content_type = cursor.take(record.content_type_length.into(), "content_type")?;
        if let Some(known) = self.types.get(content_type) {
            return Ok(*known);
        }
        let count = self.directory.content_types.len();
        if count >= CONTENT_TYPES {
            return Err(Fault::new(
                at,
                "content_type",
                format!("the file has more than {CONTENT_TYPES} different content types"),
            ));
        }
        #[expect(clippy::cast_possible_truncation, reason = "count is below CONTENT_TYPES")]
        let id = count as u32;
        self.types.insert(content_type.to_vec(), id);
        self.directory.content_types.push(content_type.to_vec());
        self.directory.chunks.push(Vec::new());
        Ok(id)
    }

    /// Starts another session if the id has begun before. Rows carry the session id only, so that ids of the two
    /// sessions cannot be distinguished.
    fn begin_session(&mut self, offset: u64, index: u64, session_id: u64) {
        let sessions = &self.directory.sessions;
        let known = self.sessions.get(&session_id).and_then(|slot| sessions.get(*slot));
        if known.is_some_and(|session| session.begin_record.is_some()) {
            self.sessions.remove(&session_id);
            let what = format!(
                "session {session_id} begins twice; ids of the two sessions cannot be distinguished"
            );
            let problem = Problem::new(Severity::Warning, "repeated_session", offset, index, what);
            self.problems.push(problem);
        }
    }

    fn count_chunk(&mut self, offset: u64, index: u64, record: &RecordHeader) {
        self.session(record.session_id, |session| {
            session.chunks += 1;
            session.truncated_chunks += u64::from(record.is_truncated());
            session.dropped_records =
                session.dropped_records.saturating_add(record.dropped_record_count);
        });
        if record.is_truncated() || record.dropped_record_count > 0 {
            let what = format!(
                "the producer dropped {} records of this chunk",
                record.dropped_record_count
            );
            let problem = Problem::new(Severity::Warning, "truncated_chunk", offset, index, what);
            self.problems.push(problem);
        }
    }

    fn failed_session(&mut self, offset: u64, index: u64, record: &RecordHeader) {
        let status = schemas::enums::STATUS_CODE.name_of(record.session_status_code);
        let what = format!(
            "session {} ended with status {} ({status})",
            record.session_id, record.session_status_code
        );
        self.problems.push(Problem::new(Severity::Warning, "failed_session", offset, index, what));
    }

    fn unfinished(&mut self, declared: u64, present: u64) {
        let kept = self.directory.entries.len();
        let what = if declared == 0 {
            format!(
                "the capture did not finish (file_length is 0); its {kept} complete records are read"
            )
        } else {
            format!(
                "the file is truncated: file_length is {declared}, but it has {present} bytes; its {kept} complete records are read"
            )
        };
        self.problems.push(Problem::new(Severity::Error, "unfinished", 16, None, what));
    }

    fn session(&mut self, session_id: u64, change: impl FnOnce(&mut Session)) {
        let sessions = &mut self.directory.sessions;
        let slot = *self.sessions.entry(session_id).or_insert(sessions.len());
        if slot == sessions.len() {
            sessions.push(Session { session_id, ..Session::default() });
        }
        if let Some(session) = sessions.get_mut(slot) {
            change(session);
        }
    }

    fn finish(mut self) -> Directory {
        let directory = &self.directory;
        let is_open = |session: &&Session| directory.finished && session.end_record.is_none();
        for session in directory.sessions.iter().filter(is_open) {
            let what = format!("session {} has no end record", session.session_id);
            let begin = session.begin_record;
            self.problems.push(Problem::new(Severity::Warning, "open_session", None, begin, what));
        }
        self.directory.problems = self.problems.finish();
        self.directory
    }
}

fn tail(bytes: &[u8], offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default()
}
