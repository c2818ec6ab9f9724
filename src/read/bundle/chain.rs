//! Follows the records of a part of a file: the length of each leads to the next.
//!
//! With small records, this waits for memory: a length must arrive before the next one can be asked for. [`follow`]
//! therefore follows several chains at once, whose accesses overlap.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::cursor::{load, u64_at};
use super::directory::{Entry, RecordType};
use super::error::Fault;
use super::header::RecordHeader;
use super::limits::{CONTENT_TYPE_BYTES, CONTENT_TYPES, RECORD_HEADER_BYTES};

/// Number of records of a chain that are stepped over before their headers are parsed. The lines of the headers of
/// eight chains stay in the L2 cache until then.
const AHEAD: usize = 64;

/// Bytes of the header and the content type of usual records.
const RECORD_BYTES: usize = 192;

/// The bytes up to the logical end of a file.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    pub bytes: &'a [u8],
    /// Whether the last record may be incomplete.
    pub(crate) may_be_cut: bool,
}

/// Why a chain ended early.
#[derive(Debug)]
pub enum Stop {
    Fault(Fault),
    /// The rest of the file is an incomplete record, for this reason.
    Cut(String),
}

/// The records from `first` up to the first one at or after `until`.
#[derive(Debug)]
pub struct Chain<'a> {
    contents: Contents<'a>,
    pub first: u64,
    until: u64,
    /// Records that were stepped over, but not parsed, and the offset of the next one.
    ahead: Vec<u64>,
    next: u64,
    /// Offset of the end of the last parsed record.
    pub end: u64,
    pub stop: Option<Stop>,
    /// The content types are those of `types`.
    pub entries: Vec<Entry>,
    pub types: ContentTypes,
    /// Indices of the entries that are more than one more chunk of the session of the record before. The first is one.
    pub(crate) notable: Vec<usize>,
    session: Option<u64>,
}

/// Follows the chains to their ends.
pub fn follow(chains: &mut [Chain<'_>]) {
    let mut has_more = true;
    while has_more {
        for _ in 0..AHEAD {
            chains.iter_mut().for_each(Chain::step);
        }
        has_more = false;
        for chain in chains.iter_mut() {
            chain.parse();
            has_more |= !chain.is_done();
        }
    }
}

impl<'a> Chain<'a> {
    /// Creates a chain that begins with the record at `first`.
    pub fn new(contents: Contents<'a>, first: u64, until: u64) -> Self {
        Self {
            contents,
            first,
            until,
            ahead: Vec::with_capacity(AHEAD),
            next: first,
            end: first,
            stop: None,
            entries: Vec::new(),
            types: ContentTypes::default(),
            notable: Vec::new(),
            session: None,
        }
    }

    /// Whether the chain was followed to its end.
    pub const fn is_done(&self) -> bool {
        self.stop.is_some() || (self.end >= self.until && self.next >= self.until)
    }

    /// Steps over a record. Only the length is read; [`Self::parse`] finds what is wrong with it.
    #[inline]
    fn step(&mut self) {
        if self.next < self.until {
            self.ahead.push(self.next);
            let record = tail(self.contents.bytes, self.next);
            load::<RECORD_BYTES>(record);
            let length = u64_at(record, 0);
            self.next = self.next.saturating_add(length.max(RECORD_HEADER_BYTES as u64));
        }
    }

    /// Parses the records that were stepped over.
    fn parse(&mut self) {
        let mut ahead = std::mem::take(&mut self.ahead);
        for offset in ahead.drain(..) {
            match self.add(offset) {
                Ok(length) => self.end = offset.saturating_add(length),
                Err(stop) => {
                    self.stop = Some(stop);
                    self.next = self.until;
                    break;
                }
            }
        }
        self.ahead = ahead;
    }

    /// Adds the record at `offset`, and returns its length.
    fn add(&mut self, offset: u64) -> Result<u64, Stop> {
        let rest = tail(self.contents.bytes, offset);
        let header = self.contents.header(rest, offset)?;
        let content_type = self.types.of_record(rest, offset, &header).map_err(Stop::Fault)?;
        let before_payload = u32::try_from(header.payload_start()).map_err(|_| {
            let what = "more than 4 GiB before the payload are not supported".to_owned();
            Stop::Fault(Fault::new(offset, "name_length", what))
        })?;
        let record_type = RecordType::of(header.record_type);
        let is_chunk = record_type == RecordType::Chunk;
        let is_lossy = is_chunk && header.has_lost_records();
        if !is_chunk || is_lossy || self.session != Some(header.session_id) {
            self.notable.push(self.entries.len());
            self.session = Some(header.session_id);
        }
        self.entries.push(Entry { offset, before_payload, content_type, record_type, is_lossy });
        Ok(header.record_length)
    }
}

impl Contents<'_> {
    /// Parses the record header at the start of `rest`.
    fn header(self, rest: &[u8], offset: u64) -> Result<RecordHeader, Stop> {
        let left = rest.len() as u64;
        if self.may_be_cut {
            if rest.len() < RECORD_HEADER_BYTES {
                let why = format!("{left} bytes remain, less than a record header");
                return Err(Stop::Cut(why));
            }
            if rest.iter().take(RECORD_HEADER_BYTES).all(|byte| *byte == 0) {
                return Err(Stop::Cut("the record header consists of zeros".into()));
            }
        }
        let header = RecordHeader::parse(rest, offset).map_err(Stop::Fault)?;
        if header.record_length <= left {
            return Ok(header);
        }
        let why = format!("{} exceeds the remaining {left} bytes", header.record_length);
        Err(if self.may_be_cut {
            Stop::Cut(format!("record_length {why}"))
        } else {
            Stop::Fault(Fault::new(offset, "record_length", why))
        })
    }
}

/// Content types, numbered in order of first appearance.
#[derive(Debug, Default)]
pub struct ContentTypes {
    numbers: HashMap<Vec<u8>, u16, FixedState>,
    pub names: Vec<Vec<u8>>,
    /// For each content type, the one that followed it last. Drivers write families in turns, so it is often right.
    next: Vec<u16>,
    last: u16,
}

impl ContentTypes {
    /// Returns the number of the content type of the record at the start of `rest`.
    fn of_record(&mut self, rest: &[u8], offset: u64, header: &RecordHeader) -> Result<u16, Fault> {
        let at = offset.saturating_add(header.header_length.into());
        if header.content_type_length > CONTENT_TYPE_BYTES {
            let what = format!("{} exceeds {CONTENT_TYPE_BYTES}", header.content_type_length);
            return Err(Fault::new(at, "content_type_length", what));
        }
        let start = header.header_length as usize;
        let end = start.saturating_add(header.content_type_length as usize);
        self.number(rest.get(start..end).unwrap_or_default(), at)
    }

    /// Returns the number of a content type, which a record names at offset `at`. A new one is added.
    pub fn number(&mut self, content_type: &[u8], at: u64) -> Result<u16, Fault> {
        let expected = self.next.get(usize::from(self.last)).copied().unwrap_or_default();
        if self.names.get(usize::from(expected)).is_some_and(|name| name == content_type) {
            self.last = expected;
            return Ok(expected);
        }
        let number = match self.numbers.get(content_type) {
            Some(known) => *known,
            None => self.add(content_type, at)?,
        };
        if let Some(next) = self.next.get_mut(usize::from(self.last)) {
            *next = number;
        }
        self.last = number;
        Ok(number)
    }

    fn add(&mut self, content_type: &[u8], at: u64) -> Result<u16, Fault> {
        let number = u16::try_from(self.names.len()).ok().filter(|id| *id < CONTENT_TYPES);
        let number = number.ok_or_else(|| {
            let what = format!("the file has more than {CONTENT_TYPES} different content types");
            Fault::new(at, "content_type", what)
        })?;
        self.numbers.insert(content_type.to_vec(), number);
        self.names.push(content_type.to_vec());
        self.next.push(number);
        Ok(number)
    }
}

/// Returns the bytes from an offset on.
pub fn tail(bytes: &[u8], offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default()
}
