//! Decodes the projected columns of segments.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use schemas::spec::{Column, Family, Kind, Read, Source, Table};

use super::builder::{Builder, Numbers, Picked};
use super::long::{self, Long};
use super::lookup::Lookups;
use super::text;
use crate::bundle::cursor::{u32_at, u64_at, word};
use crate::record::{self, RowOffsets, Segment};

/// Builds one batch of the projected columns.
pub struct Decoder {
    family: Family,
    source: Source,
    columns: Arc<[Column]>,
    builders: Vec<Builder>,
    rows: usize,
    /// Bytes of the file that the decoded values take up.
    bytes: usize,
}

impl Decoder {
    /// Creates a decoder of these columns of `table`; `None` if the table has no chunk family.
    pub fn new(table: &Table, columns: &Arc<[Column]>) -> Option<Self> {
        Some(Self {
            family: *table.reads()?,
            source: table.source,
            builders: columns.iter().map(Builder::new).collect(),
            columns: Arc::clone(columns),
            rows: 0,
            bytes: 0,
        })
    }

    /// Returns the number of rows decoded so far.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns how many bytes of the file the decoded values take up. Texts and data count as their record's layout.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Decodes the rows of a segment and appends them.
    pub fn append(&mut self, mut segment: Segment, lookups: &Lookups) {
        let long = match self.source {
            Source::CounterValues(_) => Some(long::counters(lookups, &mut segment)),
            Source::MetricValues(_) => Some(long::metrics(lookups, &mut segment)),
            _ => None,
        };
        let rows = segment.rows.len();
        for (column, builder) in self.columns.iter().zip(&mut self.builders) {
            decode(&self.family, &segment, long.as_ref(), column, builder);
            self.bytes += rows * width(column, &self.family);
        }
        self.rows += rows;
    }

    /// Returns the finished columns.
    pub fn finish(self) -> Result<Vec<ArrayRef>, ArrowError> {
        self.builders.into_iter().map(Builder::finish).collect()
    }
}

fn decode(
    family: &Family,
    segment: &Segment,
    long: Option<&Long>,
    column: &Column,
    builder: &mut Builder,
) {
    let (bytes, rows) = (segment.bundle.bytes(), &segment.rows);
    match (column.read, builder) {
        (Read::Record(at), builder) => values(column.kind, bytes, rows, at, builder),
        (Read::Entry(at), builder) => {
            if let Some(long) = long {
                values(column.kind, bytes, &long.entries, at, builder);
            }
        }
        (Read::Chunk(at), builder) => {
            let headers = RowOffsets::headers(&segment.bundle, segment.chunks.iter().copied());
            values(column.kind, bytes, &headers, at, builder);
        }
        (Read::Text(nth), Builder::Text(builder)) => rows.for_each(bytes, |row| {
            builder.append_value(record::text(family, row, nth));
        }),
        (Read::Data, Builder::Binary(builder)) => {
            rows.for_each(before_end(segment), |row| {
                builder.append_value(record::data(family, row));
            });
        }
        (Read::Bundle, Builder::Picked(picked)) => {
            picked.repeat(&segment.bundle.label, rows.len());
        }
        (Read::RecordIndex, Builder::U64(numbers)) => {
            for (record, rows) in &segment.chunks {
                numbers.values.extend(std::iter::repeat_n(u64::from(*record), *rows));
            }
        }
        (Read::ByteOffset, Builder::U64(numbers)) => {
            numbers.values.extend(rows.starts().into_iter().map(|start| start as u64));
        }
        (Read::Derived, builder) => {
            if let Some(long) = long {
                long.append(&column.name, builder);
            }
        }
        (read, _) => debug_assert!(false, "column {} cannot be read from {read:?}", column.name),
    }
}

/// Returns the bytes of the file up to the end of a segment's last chunk: data that is not there is not what follows.
fn before_end(segment: &Segment) -> &[u8] {
    let end = segment.chunks.last().and_then(|(record, _)| {
        let (offset, length) = segment.bundle.directory.payload(*record);
        usize::try_from(offset.saturating_add(length)).ok()
    });
    end.and_then(|end| segment.bundle.bytes().get(..end)).unwrap_or_default()
}

/// Decodes the fixed-size field at offset `at` of each row.
pub fn values(kind: Kind, bytes: &[u8], rows: &RowOffsets, at: usize, builder: &mut Builder) {
    match (kind, builder) {
        (_, Builder::U16(numbers)) => {
            fill(numbers, bytes, rows, None, |row| u16::from_le_bytes(word(row, at)));
        }
        (_, Builder::I32(numbers)) => {
            fill(numbers, bytes, rows, None, |row| i32::from_le_bytes(word(row, at)));
        }
        (kind, Builder::U32(numbers)) => {
            let absent = (kind == Kind::U32OrOnes).then_some(u32::MAX);
            fill(numbers, bytes, rows, absent, |row| u32_at(row, at));
        }
        (kind, Builder::U64(numbers)) => {
            let absent = (kind == Kind::U64OrZero).then_some(0);
            fill(numbers, bytes, rows, absent, |row| u64_at(row, at));
        }
        (kind, Builder::I64(numbers)) => {
            let absent = (kind == Kind::I64OrZero).then_some(0);
            fill(numbers, bytes, rows, absent, |row| u64_at(row, at).cast_signed());
        }
        (Kind::Bit(bit), Builder::Bool(bits)) => {
            rows.for_each(bytes, |row| bits.append_value(is_set(row, at, bit)));
        }
        (Kind::Name(names), Builder::Picked(picked)) => {
            name(names, bytes, rows, picked, |row| {
                Some(u32_at(row, at)).filter(|value| *value != u32::MAX)
            });
        }
        (Kind::Name16(names), Builder::Picked(picked)) => {
            name(names, bytes, rows, picked, |row| {
                Some(u32::from(u16::from_le_bytes(word(row, at))))
            });
        }
        (Kind::Hash { flags, bit } | Kind::Uuid { flags, bit }, Builder::Text(builder)) => {
            let text = if matches!(kind, Kind::Hash { .. }) { text::hash } else { text::uuid };
            rows.for_each(bytes, |row| {
                builder.append_option(is_set(row, flags, bit).then(|| text(row, at)));
            });
        }
        (kind, _) => debug_assert!(false, "{kind:?} is not a fixed-size field"),
    }
}

fn is_set(row: &[u8], at: usize, bit: u32) -> bool {
    u32_at(row, at) >> bit & 1 == 1
}

fn fill<T: Copy + PartialEq + Default>(
    numbers: &mut Numbers<T>,
    bytes: &[u8],
    rows: &RowOffsets,
    absent: Option<T>,
    read: impl Fn(&[u8]) -> T,
) {
    let from = numbers.values.len();
    rows.collect_into(bytes, &mut numbers.values, read);
    if let Some(sentinel) = absent {
        numbers.mark(from, sentinel);
    }
}

/// Appends the names of an enumeration's values.
fn name(
    names: &schemas::enums::Enum,
    bytes: &[u8],
    rows: &RowOffsets,
    picked: &mut Picked,
    read: impl Fn(&[u8]) -> Option<u32>,
) {
    // Equal values often follow each other, so the last lookup is cached.
    let mut last = None;
    rows.for_each(bytes, |row| {
        let value = read(row);
        let pick = match last {
            Some((known, pick)) if known == value => pick,
            _ => value.map(|value| picked.intern(names.name_of(value))),
        };
        last = Some((value, pick));
        picked.push(pick);
    });
}

/// Returns the size in the file of one value of a column, for the metrics of a scan.
fn width(column: &Column, family: &Family) -> usize {
    match (column.read, column.kind) {
        (Read::Record(_) | Read::Entry(_), Kind::Hash { .. } | Kind::Uuid { .. }) => 16,
        (Read::Record(_) | Read::Entry(_), kind) => kind.width().unwrap_or(4),
        (Read::Text(_) | Read::Data, _) => family.layout,
        _ => 0,
    }
}
