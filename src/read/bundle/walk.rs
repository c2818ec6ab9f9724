//! Builds the directory of a bundle in one pass over its records. Payloads are not read.
//!
//! The file is divided into parts, which several chains follow at once ([`chain`](super::chain)). Where a part begins is
//! a guess: the first place after its boundary that looks like a record. It is right if the chain before ends exactly
//! there; if not, the part is followed again from where that chain ends. So the result is that of one chain.

use std::collections::HashMap;
use std::thread;

use memchr::memmem;
use schemas::CONTENT_TYPE_PREFIX;

use super::chain::{Chain, ContentTypes, Contents, Stop, follow, tail};
use super::cursor::u64_at;
use super::directory::{Directory, Entry, RecordType, Session};
use super::error::Fault;
use super::header::{FileHeader, RecordHeader};
use super::limits::{PARALLEL_BYTES, RECORD_HEADER_BYTES, RECORD_SEARCH_BYTES};
use super::problem::{Problem, Problems, Severity};

/// Chains that a thread follows at once.
const CHAINS: usize = 8;

/// Number of records of a file from which on it is divided.
const MANY_RECORDS: usize = 1024;

/// Builds the directory of `bytes`, the whole mapped file. Fails at a malformed record. In an unfinished file, an
/// incomplete record at the end is a problem and not an error.
pub fn walk(bytes: &[u8], header: &FileHeader, threads: usize) -> Result<Directory, Fault> {
    let is_large = (bytes.len() as u64) >= PARALLEL_BYTES && has_many_records(bytes, header);
    walk_parts(bytes, header, if is_large { threads * CHAINS } else { 1 })
}

/// Whether there are enough records to divide them. If not, looking for records in large payloads would only read pages.
fn has_many_records(bytes: &[u8], header: &FileHeader) -> bool {
    let mut offset = u64::from(header.header_length);
    for _ in 0..MANY_RECORDS {
        let length = u64_at(tail(bytes, offset), 0);
        offset = offset.saturating_add(length.max(RECORD_HEADER_BYTES as u64));
    }
    offset < bytes.len() as u64
}

fn walk_parts(bytes: &[u8], header: &FileHeader, count: usize) -> Result<Directory, Fault> {
    let present = bytes.len() as u64;
    let declared = header.file_length;
    // A capture that did not finish leaves a file length of 0, and a file that was cut is shorter than its length.
    // Both are salvaged up to the last whole record. Bytes after the length of a finished file are stale.
    let finished = declared != 0 && declared <= present;
    let limit = if finished { declared } else { present };
    let logical = usize::try_from(limit).ok().and_then(|end| bytes.get(..end)).unwrap_or(bytes);
    let contents = Contents { bytes: logical, may_be_cut: !finished };

    let mut walker = Walker::default();
    walker.directory.finished = finished;
    let mut offset = u64::from(header.header_length);
    let mut chains = parts(contents, offset, limit, count as u64);
    follow_all(&mut chains);
    let until: Vec<u64> = chains.iter().skip(1).map(|chain| chain.first).chain([limit]).collect();
    for (mut chain, until) in chains.into_iter().zip(until) {
        if offset >= until {
            continue;
        }
        if chain.first != offset {
            chain = Chain::new(contents, offset, until);
        }
        if !chain.is_done() {
            follow(std::slice::from_mut(&mut chain));
        }
        offset = chain.end;
        walker.append(logical, &chain)?;
        let index = walker.directory.entries.len() as u64;
        match chain.stop {
            Some(Stop::Fault(fault)) => return Err(fault.in_record(index)),
            Some(Stop::Cut(why)) => {
                let lost = limit.saturating_sub(offset);
                let what = format!(
                    "the last {lost} bytes are an incomplete record ({why}) and were skipped"
                );
                walker.problem(Severity::Error, "cut_record", offset, index, what);
                break;
            }
            None => {}
        }
    }
    walker.directory.end = offset.min(limit);
    if !finished {
        walker.unfinished(declared, present);
    }
    Ok(walker.finish())
}

/// Divides the records into parts, each with a chain that was not yet followed.
fn parts(contents: Contents<'_>, first: u64, limit: u64, count: u64) -> Vec<Chain<'_>> {
    let boundaries = (1..count).map(|nth| limit / count * nth);
    let guesses = boundaries.filter_map(|boundary| record_near(contents.bytes, boundary));
    let guesses = guesses.filter(|guess| *guess > first);
    let mut starts: Vec<u64> = [first].into_iter().chain(guesses).collect();
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([limit]);
    starts.iter().zip(ends).map(|(start, end)| Chain::new(contents, *start, end)).collect()
}

/// Returns the offset of the first place after `boundary` that looks like a record; `None` if none is near.
fn record_near(bytes: &[u8], boundary: u64) -> Option<u64> {
    let searched = tail(bytes, boundary);
    let searched = searched.get(..RECORD_SEARCH_BYTES).unwrap_or(searched);
    let found = memmem::find(searched, CONTENT_TYPE_PREFIX.as_bytes())?;
    let start = (boundary + found as u64).checked_sub(RECORD_HEADER_BYTES as u64)?;
    let header = RecordHeader::parse(tail(bytes, start), start).ok()?;
    (header.header_length as usize == RECORD_HEADER_BYTES).then_some(start)
}

/// Follows all chains, some on each thread.
fn follow_all(chains: &mut [Chain<'_>]) {
    thread::scope(|scope| {
        let mut groups = chains.chunks_mut(CHAINS);
        let own = groups.next();
        for group in groups {
            // If no thread can be started, the chains are followed later.
            let _ = thread::Builder::new().spawn_scoped(scope, || follow(group));
        }
        own.map(follow);
    });
}

#[derive(Default)]
struct Walker {
    directory: Directory,
    types: ContentTypes,
    sessions: HashMap<u64, usize>,
    problems: Problems,
}

impl Walker {
    /// Appends the records of a chain.
    fn append(&mut self, bytes: &[u8], chain: &Chain<'_>) -> Result<(), Fault> {
        let base = self.directory.entries.len();
        let numbers = self.numbers(chain)?;
        self.directory.entries.reserve(chain.entries.len());
        for (nth, entry) in chain.entries.iter().enumerate() {
            let index = u32::try_from(base + nth).map_err(|_| {
                let what = "more than 2^32 records are not supported".into();
                Fault::new(entry.offset, "record", what).in_record((base + nth) as u64)
            })?;
            let number = numbers.get(usize::from(entry.content_type)).copied().unwrap_or_default();
            self.directory.entries.push(Entry { content_type: number, ..*entry });
            if entry.record_type == RecordType::Chunk
                && let Some(list) = self.directory.chunks.get_mut(usize::from(number))
            {
                list.push(index);
            }
        }
        let next = chain.notable.iter().skip(1).copied().chain([chain.entries.len()]);
        for (notable, next) in chain.notable.iter().zip(next) {
            let Some(entry) = chain.entries.get(*notable) else { continue };
            let record = RecordHeader::parse(tail(bytes, entry.offset), entry.offset)?;
            let name =
                entry.offset + u64::from(entry.before_payload) - u64::from(record.name_length);
            let name = tail(bytes, name).get(..record.name_length as usize).unwrap_or_default();
            self.add(entry, (base + notable) as u64, &record, name);
            let others = (next - notable - 1) as u64;
            if others > 0 {
                self.session(record.session_id, |session| session.chunks += others);
            }
        }
        Ok(())
    }

    /// Numbers the content types of a chain among those of the file.
    fn numbers(&mut self, chain: &Chain<'_>) -> Result<Vec<u16>, Fault> {
        let mut numbers = Vec::new();
        for (local, name) in (0..).zip(&chain.types.names) {
            let first = chain.entries.iter().find(|entry| entry.content_type == local);
            let offset = first.map_or(chain.first, |entry| entry.offset);
            numbers.push(self.types.number(name, offset)?);
        }
        self.directory.chunks.resize_with(self.types.names.len(), Vec::new);
        Ok(numbers)
    }

    /// Adds a notable record to its session and to the problems.
    fn add(&mut self, entry: &Entry, index: u64, record: &RecordHeader, name: &[u8]) {
        let offset = entry.offset;
        match entry.record_type {
            RecordType::SessionBegin => {
                self.begin_session(offset, index, record.session_id);
                self.session(record.session_id, |session| session.begin(index, name));
            }
            RecordType::SessionEnd => {
                let status = record.session_status_code;
                self.session(record.session_id, |session| session.end(index, status));
                if record.session_status_code != 0 {
                    self.failed_session(offset, index, record);
                }
            }
            RecordType::Chunk => self.count_chunk(offset, index, record),
            RecordType::Unknown => {
                self.directory.unknown_records += 1;
                let what = format!(
                    "record type {} is unknown to this version; only `records` lists it",
                    record.record_type
                );
                self.problem(Severity::Info, "unknown_record", offset, index, what);
            }
        }
    }

    /// Starts another session if one with the id has ended before. Rows carry the session id only, so that ids of the two
    /// sessions cannot be distinguished.
    fn begin_session(&mut self, offset: u64, index: u64, session_id: u64) {
        let sessions = &self.directory.sessions;
        let known = self.sessions.get(&session_id).and_then(|slot| sessions.get(*slot));
        if known.is_some_and(|session| session.begin_record.is_some() && session.open == 0) {
            self.sessions.remove(&session_id);
            let what = format!(
                "session {session_id} begins twice; ids of the two sessions cannot be distinguished"
            );
            self.problem(Severity::Warning, "repeated_session", offset, index, what);
        }
    }

    fn count_chunk(&mut self, offset: u64, index: u64, record: &RecordHeader) {
        self.session(record.session_id, |session| {
            session.chunks += 1;
            session.truncated_chunks += u64::from(record.is_truncated());
            session.dropped_records =
                session.dropped_records.saturating_add(record.dropped_record_count);
        });
        if record.has_lost_records() {
            let lost = match record.dropped_record_count {
                1 => "1 record".to_owned(),
                many => format!("{many} records"),
            };
            let what = format!("the producer dropped {lost} of this chunk");
            self.problem(Severity::Warning, "truncated_chunk", offset, index, what);
        }
    }

    fn failed_session(&mut self, offset: u64, index: u64, record: &RecordHeader) {
        let status = schemas::enums::STATUS_CODE.name_of(record.session_status_code);
        let what = format!(
            "session {} ended with status {} ({status})",
            record.session_id, record.session_status_code
        );
        self.problem(Severity::Warning, "failed_session", offset, index, what);
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
        self.problem(Severity::Error, "unfinished", 16, None, what);
    }

    fn problem(
        &mut self,
        severity: Severity,
        kind: &'static str,
        offset: u64,
        record: impl Into<Option<u64>>,
        what: String,
    ) {
        self.problems.push(Problem::new(severity, kind, offset, record, what));
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
        self.directory.content_types = self.types.names;
        self.directory.problems = self.problems.finish();
        self.directory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a record with consistent lengths.
    fn record(kind: u16, session: u64, family: &str, lost: u64, payload: &[u8]) -> Vec<u8> {
        let content_type = format!("{CONTENT_TYPE_PREFIX}{family}");
        let length = RECORD_HEADER_BYTES + content_type.len() + payload.len();
        let mut bytes = vec![0; RECORD_HEADER_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &(length as u64).to_le_bytes());
        put(8, &(payload.len() as u64).to_le_bytes());
        put(16, &session.to_le_bytes());
        put(56, &u32::try_from(RECORD_HEADER_BYTES).unwrap().to_le_bytes());
        put(60, &u32::try_from(content_type.len()).unwrap().to_le_bytes());
        put(88, &lost.to_le_bytes());
        put(100, &kind.to_le_bytes());
        [bytes.as_slice(), content_type.as_bytes(), payload].concat()
    }

    /// Returns records of several sessions and kinds, some of whose payloads look like records.
    fn records(seed: u64, count: usize) -> Vec<Vec<u8>> {
        let mut state = seed;
        let mut random = |limit: u16| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            u16::try_from((state >> 33) % u64::from(limit)).unwrap()
        };
        let inner = record(2, 9, "inner", 0, b"payload");
        let one = |_| {
            let kind = if random(12) == 0 { random(5) } else { 2 };
            let family = ["a", "bb", "a-longer-one"][usize::from(random(3))];
            let lost = if random(20) == 0 { u64::from(random(3)) } else { 0 };
            let payload = match random(4) {
                0 => inner.repeat(random(4).into()),
                _ => vec![7; random(300).into()],
            };
            record(kind, 1 + u64::from(random(40) / 39), family, lost, &payload)
        };
        (0..count).map(one).collect()
    }

    fn told(bytes: &[u8], length: u64, parts: usize) -> String {
        let header = FileHeader {
            version_major: 1,
            version_minor: 6,
            header_length: 24,
            file_length: length,
        };
        format!("{:?}", walk_parts(bytes, &header, parts))
    }

    #[test]
    fn parts_have_the_directory_of_the_whole() {
        for nth in 0..60 {
            let seed = nth as u64;
            let mut bytes = vec![0; 24];
            bytes.extend(records(seed, 50 + 7 * nth).concat());
            // A finished file, an unfinished one that is cut somewhere, and a damaged one.
            let cut = bytes.len() - (nth * 37) % (bytes.len() / 3);
            let mut damaged = bytes.clone();
            let at = bytes.len() / 60 * nth;
            damaged[at] ^= 0xff;
            let length = bytes.len() as u64;
            for (bytes, length) in
                [(&bytes[..], length), (&bytes[..cut], 0), (&damaged[..], length)]
            {
                let whole = told(bytes, length, 1);
                for parts in [2, 5, 16, 64] {
                    assert_eq!(told(bytes, length, parts), whole, "seed {seed}, {parts} parts");
                }
            }
        }
    }
}
