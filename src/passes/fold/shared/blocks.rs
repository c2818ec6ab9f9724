//! Iterates over typed records in file order, in blocks of rows.
//!
//! A pass reads the numbers of a row at their declared [`Places`]: raw values, widened to 64 bits, without NULLs or
//! enum names. Strings and trailing values are read from the row as well.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use schemas::place::{Place, Places};
use schemas::spec::{Family, Kind, Read, Tail};

use read::bundle::cursor::{u32_at, u64_at};
use read::bundle::{Bundle, BundleError, Fault, load_ahead};
use read::record::{RowOffsets, Stepper, is_family, text_spans};

/// Raw value of an absent ordinal.
pub const ABSENT: u64 = u32::MAX as u64;

/// Maximum number of rows of a block. Its records stay in the L1 cache while a pass reads them.
pub const ROWS: usize = 192;

/// Fields of a chunk's record header.
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

/// Up to [`ROWS`] rows of one chunk. The first block of a chunk may be empty, so that a pass sees every chunk.
#[derive(Debug)]
pub struct Block<'a> {
    /// Index of the table among those that the pass reads.
    pub table: usize,
    pub header: Header,
    pub(crate) starts_chunk: bool,
    family: &'a Family,
    payload: &'a [u8],
    /// Absolute offset of the payload in the file.
    offset: u64,
    rows: &'a RowOffsets,
    /// Number of bytes that [`Self::each_row`] visited and checked.
    pub read: Cell<usize>,
}

/// One record.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Absolute offset in the file.
    pub byte_offset: u64,
    /// The bytes from the start of the record, at least to the end of its layout.
    bytes: &'a [u8],
    family: &'a Family,
}

/// Reads the number at a place.
#[inline]
pub fn number(bytes: &[u8], place: Place) -> u64 {
    u64_at(bytes, place.at) >> place.shift & place.mask
}

impl<'a> Row<'a> {
    /// Reads several numbers. Best called close to their use, as a record has more numbers than there are registers.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a few loads")]
    pub fn numbers<const N: usize>(self, places: &Places<N>) -> [u64; N] {
        debug_assert_eq!(self.family.layout, places.layout, "a record of {}", places.table);
        let mut values = [0; N];
        for (value, place) in values.iter_mut().zip(&places.places) {
            *value = number(self.bytes, *place);
        }
        values
    }

    /// Returns the bytes from the start of the record. They may extend beyond its end.
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the n-th trailing string; invalid UTF-8 is escaped.
    pub fn text(self, nth: usize) -> Cow<'a, str> {
        let span = text_spans(self.family, self.bytes, nth);
        schemas::escape::escaped(self.bytes.get(span).unwrap_or_default())
    }

    /// Returns the bytes between the layout and the end of the record.
    pub fn trailing(self) -> &'a [u8] {
        let end = u32_at(self.bytes, 0) as usize;
        self.bytes.get(self.family.layout..end).unwrap_or_default()
    }

    /// Whether the first `count` trailing strings are exactly as long as the trailing bytes.
    pub(crate) fn texts_fill(self, count: usize) -> bool {
        let texts = (0..count).map(|nth| text_spans(self.family, self.bytes, nth).len());
        texts.sum::<usize>() == self.trailing().len()
    }

    /// Whether the record is exactly as long as its layout and the tail of `family` together.
    pub fn is_exact(self, family: &Family) -> bool {
        let trailing = u64::from(u32_at(self.bytes, 0)).checked_sub(family.layout as u64);
        let promised = match family.tail {
            Tail::None | Tail::Following(_) => return true,
            Tail::Texts(lengths) => {
                lengths.iter().map(|at| u64::from(u32_at(self.bytes, *at))).sum()
            }
            Tail::Data(at) => u64_at(self.bytes, at),
            Tail::Entries { count, entry } => u64::from(u32_at(self.bytes, count)) * entry as u64,
        };
        trailing == Some(promised)
    }
}

impl<'a> Block<'a> {
    /// Returns the number of rows.
    #[inline]
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        let (payload, offset, family) = (self.payload, self.offset, self.family);
        let row = move |start: usize| Row {
            byte_offset: offset.saturating_add(start as u64),
            bytes: payload.get(start..).unwrap_or_default(),
            family,
        };
        (0..self.rows.len()).map(move |nth| row(self.start(nth)))
    }

    /// Calls `each` with every row of a table whose records have this layout and no tail. Checks the length of each
    /// row, so that it works on [`Stepper::presumed`] rows. Stops at a row of another length, which starts the next
    /// block.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "loops over millions of rows, of a layout that each knows"
    )]
    pub(crate) fn each_row(
        &self,
        layout: usize,
        mut each: impl FnMut(Row<'a>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let RowOffsets::Strided { first, stride, count } = *self.rows else { return Ok(()) };
        if stride < layout {
            return Ok(());
        }
        let records = self.payload.get(first..first + stride * count).unwrap_or_default();
        let start = self.offset.saturating_add(first as u64);
        let mut byte_offset = start;
        for bytes in records.chunks_exact(stride.max(1)) {
            // `layout` is a constant after inlining, so reads at places need no bounds checks.
            let Some(bytes) = bytes.get(..layout) else { break };
            if stride != u32_at(bytes, 0) as usize {
                break;
            }
            each(Row { byte_offset, bytes, family: self.family })?;
            byte_offset += stride as u64;
        }
        self.read.set(usize::try_from(byte_offset - start).unwrap_or_default());
        Ok(())
    }

    /// Returns the absolute offset of the chunk's payload.
    pub(crate) const fn payload_offset(&self) -> u64 {
        self.offset
    }

    /// Creates a fault in a field of a row.
    pub fn fault(&self, row: Row<'_>, field: &'static str, what: String) -> Fault {
        self.fault_at(row.byte_offset, field, what)
    }

    /// Creates a fault in a field of the row at an absolute offset.
    pub(crate) fn fault_at(&self, byte_offset: u64, field: &'static str, what: String) -> Fault {
        Fault::new(byte_offset, field, what).in_record(u64::from(self.header.record))
    }

    #[inline]
    fn start(&self, row: usize) -> usize {
        match self.rows {
            RowOffsets::Strided { first, stride, .. } => first + row * stride,
            RowOffsets::At(starts) => starts.get(row).copied().unwrap_or_default(),
            // Rows of chunks are not repeated.
            RowOffsets::Repeated(_) => 0,
        }
    }
}

/// Returns the family of records that a table reads.
pub fn family(table: &str) -> Option<Family> {
    schemas::find(table)?.reads().copied()
}

/// Returns the offset of a column within a record and its encoding; `None` if records have no such column.
pub fn place(table: &str, column: &str) -> Option<(usize, Kind)> {
    let column = schemas::find(table)?.columns().into_iter().find(|it| it.name == column)?;
    if let Read::Record(at) = column.read { Some((at, column.kind)) } else { None }
}

/// Calls `each` with all blocks of the tables, in file order.
pub fn blocks(
    bundle: &Arc<Bundle>,
    tables: &[&str],
    each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
) -> Result<(), BundleError> {
    run(bundle, &tables.iter().filter_map(|table| family(table)).collect::<Vec<_>>(), each)
}

/// Like [`blocks`] over the tables of which `is_read` approves, for passes that only count records or check trailing data
/// themselves. As in `iree-profile`, chunks with an older content type of a family are skipped.
pub(crate) fn plain_blocks(
    bundle: &Arc<Bundle>,
    tables: &[&str],
    is_read: impl Fn(usize) -> bool,
    each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
) -> Result<(), BundleError> {
    let plain = |(nth, family): (usize, Family)| Family {
        tail: Tail::None,
        suffixes: family.suffixes.get(..usize::from(is_read(nth))).unwrap_or_default(),
        ..family
    };
    let families = tables.iter().filter_map(|table| family(table)).enumerate().map(plain);
    run(bundle, &families.collect::<Vec<_>>(), each)
}

fn run(
    bundle: &Arc<Bundle>,
    families: &[Family],
    mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
) -> Result<(), BundleError> {
    let records = chunks(bundle, families);
    for (nth, (record, table)) in records.iter().copied().enumerate() {
        load_ahead(bundle, &records, nth, |(record, _)| record);
        bundle.go_on()?;
        let Some(chunk) = Chunk::of(bundle, families, record, table) else { continue };
        let mut stepper = chunk.stepper();
        let mut starts_chunk = true;
        while starts_chunk || !stepper.is_done() {
            bundle.go_on()?;
            let rows = stepper.take(ROWS).map_err(|fault| chunk.damaged(fault))?;
            each(&chunk.block(&rows, starts_chunk)).map_err(|fault| bundle.damaged(fault))?;
            starts_chunk = false;
        }
    }
    Ok(())
}

/// A chunk: its header, its payload, and the table that reads it.
pub struct Chunk<'a> {
    bundle: &'a Bundle,
    family: &'a Family,
    table: usize,
    header: Header,
    payload: &'a [u8],
    offset: u64,
}

impl<'a> Chunk<'a> {
    /// Opens the chunk at index `record` of the file's records, which `families[table]` describes.
    pub fn of(
        bundle: &'a Bundle,
        families: &'a [Family],
        record: u32,
        table: usize,
    ) -> Option<Self> {
        let (payload, offset) = bundle.payload(record);
        let header = header(bundle.record(record), record);
        Some(Self { bundle, family: families.get(table)?, table, header, payload, offset })
    }

    /// Creates a cursor at the first record.
    pub const fn stepper(&self) -> Stepper<'a> {
        Stepper::new(*self.family, self.payload, self.offset, 0)
    }

    /// Converts a fault in this chunk to an error.
    pub fn damaged(&self, fault: Fault) -> BundleError {
        self.bundle.damaged(fault.in_record(u64::from(self.header.record)))
    }

    /// Creates a block of rows of this chunk.
    pub const fn block<'b>(&'b self, rows: &'b RowOffsets, starts_chunk: bool) -> Block<'b> {
        Block {
            table: self.table,
            header: self.header,
            starts_chunk,
            family: self.family,
            payload: self.payload,
            offset: self.offset,
            rows,
            read: Cell::new(0),
        }
    }
}

/// Returns the chunks of some families in file order, each with the index of its family.
pub fn chunks(bundle: &Bundle, families: &[Family]) -> Vec<(u32, usize)> {
    let directory = &bundle.directory;
    let mut chunks: Vec<(u32, usize)> = Vec::new();
    for (content_type, records) in directory.content_types.iter().zip(&directory.chunks) {
        if let Some(nth) = families.iter().position(|family| is_family(content_type, family)) {
            chunks.extend(records.iter().map(|record| (*record, nth)));
        }
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
