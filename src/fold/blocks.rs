//! Raw columns of typed records in file order, a cache-sized block at a time.
//!
//! Values are the file's own numbers, widened to 64 bits: no NULL, no names. A fold that needs the same chunks' bytes
//! for anything else (names, trailing values) asks the block for a row's bytes.

use std::borrow::Cow;
use std::sync::Arc;

use schemas::spec::{Family, Kind, Read, Tail};

use crate::bundle::cursor::{u32_at, u64_at, word};
use crate::bundle::{Bundle, BundleError, Fault};
use crate::record::{Rows, Stepper, is_family, text_spans};

/// Rows of a block: a dozen columns of them stay in the first-level cache's neighbour.
const ROWS: usize = 1024;

/// Rows of a block whose bytes are read again where they are: these stay in the first-level cache.
const PLAIN_ROWS: usize = 192;

/// A table and the columns of it that a fold reads.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub table: &'static str,
    pub columns: &'static [&'static str],
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
}

impl<'a> Block<'a> {
    /// How many rows there are.
    pub const fn len(&self) -> usize {
        self.rows.len()
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

    /// The absolute offset of a row.
    pub fn byte_offset(&self, row: usize) -> u64 {
        self.offset.saturating_add(self.start(row) as u64)
    }

    /// What is wrong with a row.
    pub fn fault(&self, row: usize, field: &'static str, what: String) -> Fault {
        Fault::new(self.byte_offset(row), field, what).in_record(u64::from(self.header.record))
    }

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

struct Source {
    family: Family,
    places: Vec<Place>,
}

impl Source {
    fn of(wanted: &Wanted) -> Option<Self> {
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
        let places: Option<Vec<Place>> = wanted.columns.iter().map(place).collect();
        debug_assert!(places.is_some(), "{} has the columns {:?}", wanted.table, wanted.columns);
        Some(Self { family: *table.reads()?, places: places? })
    }

    /// The same without what trails the records, and without the family's older names.
    fn plain(mut self) -> Self {
        self.family.tail = Tail::None;
        self.family.suffixes = self.family.suffixes.get(..1).unwrap_or_default();
        self
    }
}

/// Calls `each` with all blocks of the wanted tables, in file order.
pub fn blocks(
    bundle: &Arc<Bundle>,
    wanted: &[Wanted],
    each: impl FnMut(&Block<'_>) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    run(bundle, &wanted.iter().filter_map(Source::of).collect::<Vec<_>>(), ROWS, each)
}

/// The same for whoever only counts records, or checks for itself what trails them. Families that had another name once
/// are found under today's, as `iree-profile` counts them.
pub fn plain_blocks(
    bundle: &Arc<Bundle>,
    wanted: &[Wanted],
    each: impl FnMut(&Block<'_>) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    let sources = wanted.iter().filter_map(Source::of).map(Source::plain);
    run(bundle, &sources.collect::<Vec<_>>(), PLAIN_ROWS, each)
}

fn run(
    bundle: &Arc<Bundle>,
    sources: &[Source],
    limit: usize,
    mut each: impl FnMut(&Block<'_>) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    let mut columns: Vec<Vec<u64>> = Vec::new();
    for (record, wanted) in chunks(bundle, sources) {
        let Some(source) = sources.get(wanted) else { continue };
        let Some(entry) = bundle.directory.entries.get(record as usize) else { continue };
        let (payload, offset) = bundle.payload(entry)?;
        let header = header(bundle.record(entry), record);
        columns.resize_with(source.places.len(), Vec::new);
        let mut stepper = Stepper::new(source.family, payload, offset, 0);
        let mut starts_chunk = true;
        while starts_chunk || !stepper.is_done() {
            let rows = stepper
                .take(limit)
                .map_err(|fault| bundle.damaged(fault.in_record(u64::from(record))))?;
            for (place, column) in source.places.iter().zip(&mut columns) {
                fill(*place, payload, &rows, column);
            }
            each(&Block {
                wanted,
                header,
                starts_chunk,
                family: &source.family,
                columns: &columns,
                payload,
                offset,
                rows: &rows,
            })?;
            starts_chunk = false;
        }
    }
    Ok(())
}

/// The chunks of all sources in file order, each with the number of its source.
fn chunks(bundle: &Bundle, sources: &[Source]) -> Vec<(u32, usize)> {
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
    column.clear();
    column.reserve(rows.len());
    let at = place.at;
    match place.width {
        8 => rows.for_each(payload, |row| column.push(u64_at(row, at))),
        4 => rows.for_each(payload, |row| column.push(u64::from(u32_at(row, at)))),
        _ => {
            rows.for_each(payload, |row| column.push(u64::from(u16::from_le_bytes(word(row, at)))))
        }
    }
}
