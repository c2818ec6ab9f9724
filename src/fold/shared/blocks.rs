//! Raw columns of typed records in file order, a cache-sized block at a time.
//!
//! Values are the file's own numbers, widened to 64 bits: no NULL, no names. A fold that needs the same chunks' bytes
//! for anything else (names, trailing values) asks the block for a row's bytes.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use schemas::place::Places;
use schemas::spec::{Family, Kind, Read, Tail};

use crate::bundle::cursor::{u32_at, u64_at, word};
use crate::bundle::{Bundle, BundleError, Fault};
use crate::record::{Rows, Stepper, is_family, text_spans};

/// Rows of a block: few enough that the records, which every column walks through again, stay in the first-level cache.
pub const ROWS: usize = 192;

/// A table and the columns of it that a fold reads.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub table: &'static str,
    pub columns: &'static [&'static str],
    /// Which of the columns are left empty, as bits.
    skipped: u32,
}

impl Wanted {
    /// These columns of `table`.
    pub const fn of(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, skipped: 0 }
    }

    /// The same, with columns that are not needed left empty.
    #[must_use]
    pub fn only(mut self, needs: impl Fn(usize) -> bool) -> Self {
        let unneeded = (0..self.columns.len().min(32)).filter(|nth| !needs(*nth));
        self.skipped = unneeded.fold(0, |bits, nth| bits | 1 << nth);
        self
    }
}

/// What the header of a chunk says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Header {
    pub session_id: u64,
    pub stream_id: u64,
    pub physical_device_ordinal: u32,
    pub queue_ordinal: u32,
    pub is_truncated: bool,
    pub dropped_record_count: u64,
    /// Index of the chunk among the file's records.
    pub record: u32,
}

/// Some rows of one chunk. The first block of a chunk may be empty, so that every chunk is seen.
#[derive(Debug)]
pub struct Block<'a> {
    /// Which of the wanted tables.
    pub wanted: usize,
    pub header: Header,
    pub starts_chunk: bool,
    family: &'a Family,
    columns: &'a [Vec<u64>],
    payload: &'a [u8],
    /// Absolute offset of the payload.
    offset: u64,
    rows: &'a Rows,
    /// Bytes of rows that have been read, where reading checks them.
    pub read: Cell<usize>,
}

/// A row that is read where its numbers are declared to be.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The absolute offset.
    pub byte_offset: u64,
    bytes: &'a [u8],
}

impl Row<'_> {
    /// Some numbers of it, which are best read where they are used: there are more than the processor has registers.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a few loads")]
    pub fn numbers<const N: usize>(self, places: &Places<N>) -> [u64; N] {
        debug_assert_eq!(self.bytes.len(), places.layout, "a record of {}", places.table);
        let mut values = [0; N];
        for (value, place) in values.iter_mut().zip(&places.places) {
            *value = u64_at(self.bytes, place.at) >> place.shift & place.mask;
        }
        values
    }
}

impl<'a> Block<'a> {
    /// How many rows there are.
    #[inline]
    pub const fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Calls `each` with every row, of which it reads what it wants: numbers of the table that has this layout. Rows from
    /// one of another length on are left for the next block.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "loops over millions of rows, of a layout that each knows"
    )]
    pub fn each_row(
        &self,
        layout: usize,
        mut each: impl FnMut(Row<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // Nothing trails records that have places, so that they stand back to back.
        let Rows::Strided { first, stride, count } = *self.rows else { return Ok(()) };
        if stride < layout {
            return Ok(());
        }
        let records = self.payload.get(first..first + stride * count).unwrap_or_default();
        let start = self.offset.saturating_add(first as u64);
        let mut byte_offset = start;
        for bytes in records.chunks_exact(stride.max(1)) {
            // Mostly of a length that is known while compiling, so that the places in it need no checks.
            let Some(bytes) = bytes.get(..layout) else { break };
            if stride != u32_at(bytes, 0) as usize {
                break;
            }
            each(Row { byte_offset, bytes })?;
            byte_offset += stride as u64;
        }
        self.read.set(usize::try_from(byte_offset - start).unwrap_or_default());
        Ok(())
    }

    /// The values of the n-th wanted column.
    pub fn column(&self, nth: usize) -> &'a [u64] {
        self.columns.get(nth).map_or(&[], Vec::as_slice)
    }

    /// One value, for tables of few rows.
    pub fn value(&self, nth: usize, row: usize) -> u64 {
        self.column(nth).get(row).copied().unwrap_or_default()
    }

    /// The bytes of a row, from its start to the end of the payload.
    #[inline]
    pub fn bytes(&self, row: usize) -> &'a [u8] {
        self.payload.get(self.start(row)..).unwrap_or_default()
    }

    /// The n-th trailing string of a row.
    pub fn text(&self, row: usize, nth: usize) -> Cow<'a, str> {
        let bytes = self.bytes(row);
        schemas::escape::escaped(bytes.get(text_spans(self.family, bytes, nth)).unwrap_or_default())
    }

    /// Whether what the record's lengths promise is all that trails it.
    pub fn has_exact_tail(&self, row: usize) -> bool {
        is_exact(self.family, self.bytes(row))
    }

    /// The absolute offset of the chunk's payload.
    pub const fn payload_offset(&self) -> u64 {
        self.offset
    }

    /// What follows a row's layout, to the end of its record.
    pub fn trailing(&self, row: usize) -> &'a [u8] {
        let bytes = self.bytes(row);
        bytes.get(self.family.layout..u32_at(bytes, 0) as usize).unwrap_or_default()
    }

    /// Whether the trailing strings of a row, `count` of them, end where its record ends.
    pub fn texts_fill(&self, row: usize, count: usize) -> bool {
        let texts = (0..count).map(|nth| text_spans(self.family, self.bytes(row), nth).len());
        texts.sum::<usize>() == self.trailing(row).len()
    }

    /// The absolute offset of a row.
    pub fn byte_offset(&self, row: usize) -> u64 {
        self.offset.saturating_add(self.start(row) as u64)
    }

    /// What is wrong with a row.
    pub fn fault(&self, row: usize, field: &'static str, what: String) -> Fault {
        self.fault_at(self.byte_offset(row), field, what)
    }

    /// What is wrong with the row at an absolute offset.
    pub fn fault_at(&self, byte_offset: u64, field: &'static str, what: String) -> Fault {
        Fault::new(byte_offset, field, what).in_record(u64::from(self.header.record))
    }

    #[inline]
    fn start(&self, row: usize) -> usize {
        match self.rows {
            Rows::Strided { first, stride, .. } => first + row * stride,
            Rows::At(starts) => starts.get(row).copied().unwrap_or_default(),
        }
    }
}

/// Whether the record at the start of `bytes` ends where the tail of its family does.
pub fn is_exact(family: &Family, bytes: &[u8]) -> bool {
    let trailing = u64::from(u32_at(bytes, 0)).checked_sub(family.layout as u64);
    let promised = match family.tail {
        Tail::None | Tail::Following(_) => return true,
        Tail::Texts(lengths) => lengths.iter().map(|at| u64::from(u32_at(bytes, *at))).sum(),
        Tail::Data(at) => u64_at(bytes, at),
        Tail::Entries { count, entry } => u64::from(u32_at(bytes, count)) * entry as u64,
    };
    trailing == Some(promised)
}

/// Where a column is read and how wide it is.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: usize,
    width: usize,
}

#[inline]
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    match width {
        8 => u64_at(bytes, at),
        4 => u64::from(u32_at(bytes, at)),
        _ => u64::from(u16::from_le_bytes(word(bytes, at))),
    }
}

/// Where the columns of a wanted table stand in its records.
pub struct Source {
    family: Family,
    places: Vec<Option<Place>>,
}

impl Source {
    pub fn of(wanted: &Wanted) -> Option<Self> {
        let table = schemas::find(wanted.table)?;

        let declared = table.columns();
        let place = |name: &&str| {
            let column = declared.iter().find(|column| column.name == **name)?;
            let Read::Record(at) = column.read else { return None };
            let width = match column.kind {
                Kind::U64 | Kind::U64OrZero | Kind::I64 | Kind::I64OrZero => 8,
                Kind::U16 | Kind::Name16(_) => 2,
                Kind::Hash { .. } | Kind::Uuid { .. } | Kind::Text | Kind::Binary => return None,
                _ => 4,
            };
            Some(Place { at, width })
        };
        let is_skipped = |nth: usize| nth < 32 && wanted.skipped >> nth & 1 == 1;
        let places: Vec<Option<Place>> = wanted
            .columns
            .iter()
            .enumerate()
            .map(|(nth, name)| place(name).filter(|_| !is_skipped(nth)))
            .collect();
        debug_assert!(
            places.iter().enumerate().all(|(nth, place)| place.is_some() || is_skipped(nth)),
            "{} has the columns {:?}",
            wanted.table,
            wanted.columns
        );
        Some(Self { family: *table.reads()?, places })
    }

    /// The same without what trails the records, and without the family's older names.
    fn plain(mut self) -> Self {
        self.family.tail = Tail::None;
        self.family.suffixes = self.family.suffixes.get(..1).unwrap_or_default();
        self
    }
}

/// Where a column of `table` stands in a record.
pub fn place(table: &str, column: &str) -> Option<usize> {
    let declared = schemas::find(table)?.columns();
    let column = declared.iter().find(|declared| declared.name == column)?;
    if let Read::Record(at) = column.read { Some(at) } else { None }
}

/// Calls `each` with all blocks of the wanted tables, in file order.
pub fn blocks(
    bundle: &Arc<Bundle>,
    wanted: &[Wanted],
    each: impl FnMut(&Block<'_>) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    run(bundle, &wanted.iter().filter_map(Source::of).collect::<Vec<_>>(), each)
}

/// The same for whoever only counts records, or checks for itself what trails them. Families that had another name once
/// are found under today's, as `iree-profile` counts them.
pub fn plain_blocks(
    bundle: &Arc<Bundle>,
    wanted: &[Wanted],
    each: impl FnMut(&Block<'_>) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    let sources = wanted.iter().filter_map(Source::of).map(Source::plain);
    run(bundle, &sources.collect::<Vec<_>>(), each)
}

fn run(
    bundle: &Arc<Bundle>,
    sources: &[Source],
    mut each: impl FnMut(&Block<'_>) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    let mut columns: Vec<Vec<u64>> = Vec::new();
    for (record, wanted) in chunks(bundle, sources) {
        let Some(chunk) = Chunk::of(bundle, sources, record, wanted)? else { continue };
        columns.resize_with(chunk.source.places.len(), Vec::new);
        let mut stepper = chunk.stepper();
        let mut starts_chunk = true;
        while starts_chunk || !stepper.is_done() {
            let rows = stepper.take(ROWS).map_err(|fault| chunk.damaged(fault))?;
            for (place, column) in chunk.source.places.iter().zip(&mut columns) {
                column.clear();
                if let Some(place) = place {
                    fill(*place, chunk.payload, &rows, column);
                }
            }
            each(&chunk.block(&rows, &columns, starts_chunk))?;
            starts_chunk = false;
        }
    }
    Ok(())
}

/// One chunk of a wanted table.
pub struct Chunk<'a> {
    bundle: &'a Bundle,
    source: &'a Source,
    wanted: usize,
    header: Header,
    payload: &'a [u8],
    offset: u64,
}

impl<'a> Chunk<'a> {
    pub fn of(
        bundle: &'a Bundle,
        sources: &'a [Source],
        record: u32,
        wanted: usize,
    ) -> Result<Option<Self>, BundleError> {
        let entry = bundle.directory.entries.get(record as usize);
        let (Some(source), Some(entry)) = (sources.get(wanted), entry) else { return Ok(None) };
        let (payload, offset) = bundle.payload(entry)?;
        let header = header(bundle.record(entry), record);
        Ok(Some(Self { bundle, source, wanted, header, payload, offset }))
    }

    pub const fn stepper(&self) -> Stepper<'a> {
        Stepper::new(self.source.family, self.payload, self.offset, 0)
    }

    pub fn damaged(&self, fault: Fault) -> BundleError {
        self.bundle.damaged(fault.in_record(u64::from(self.header.record)))
    }

    pub const fn block<'b>(
        &'b self,
        rows: &'b Rows,
        columns: &'b [Vec<u64>],
        starts_chunk: bool,
    ) -> Block<'b> {
        Block {
            wanted: self.wanted,
            header: self.header,
            starts_chunk,
            family: &self.source.family,
            columns,
            payload: self.payload,
            offset: self.offset,
            rows,
            read: Cell::new(0),
        }
    }
}

/// The chunks of all sources in file order, each with the number of its source.
pub fn chunks(bundle: &Bundle, sources: &[Source]) -> Vec<(u32, usize)> {
    let directory = &bundle.directory;
    let mut chunks: Vec<(u32, usize)> = Vec::new();
    for (content_type, records) in directory.content_types.iter().zip(&directory.chunks) {
        let source = sources.iter().position(|source| is_family(content_type, &source.family));
        chunks.extend(
            source
                .into_iter()
                .flat_map(|source| records.iter().map(move |record| (*record, source))),
        );
    }
    chunks.sort_unstable();
    chunks
}

fn header(bytes: &[u8], record: u32) -> Header {
    Header {
        session_id: u64_at(bytes, 16),
        stream_id: u64_at(bytes, 24),
        physical_device_ordinal: u32_at(bytes, 68),
        queue_ordinal: u32_at(bytes, 72),
        is_truncated: u64_at(bytes, 80) & 1 != 0,
        dropped_record_count: u64_at(bytes, 88),
        record,
    }
}

fn fill(place: Place, payload: &[u8], rows: &Rows, column: &mut Vec<u64>) {
    let Place { at, width } = place;
    match width {
        8 => gather(payload, rows, column, |row| number(row, at, 8)),
        4 => gather(payload, rows, column, |row| number(row, at, 4)),
        _ => gather(payload, rows, column, |row| number(row, at, 2)),
    }
}

/// One value of every row. The loop over rows of one length knows how often it runs, so that it stores without asking
/// for room each time.
#[inline]
fn gather(payload: &[u8], rows: &Rows, column: &mut Vec<u64>, value: impl Fn(&[u8]) -> u64) {
    column.clear();
    match rows {
        Rows::Strided { first, stride, count } => {
            let rows = payload.get(*first..).unwrap_or_default();
            column.extend(rows.chunks_exact((*stride).max(1)).take(*count).map(value));
        }
        Rows::At(starts) => {
            let row = |start: &usize| payload.get(*start..).unwrap_or_default();
            column.extend(starts.iter().map(|start| value(row(start))));
        }
    }
}
