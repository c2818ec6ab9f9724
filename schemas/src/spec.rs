//! The types that a table declaration is made of.
//!
//! A declaration lists [`Field`]s as the format defines them; [`Table::columns`] expands them into flat [`Column`]s: an
//! enumeration becomes its name and its raw number, a flag word its number and a boolean for each named bit, and a
//! fixed vector one column per element. NULL always stands for one raw value (or a clear flag bit), so that no
//! information is lost.

use crate::enums::Enum;
use crate::flags::Bit;

/// The declaration of a table.
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    /// One sentence that says what a row is.
    pub row: &'static str,
    pub source: Source,
    /// Fields of the sample that every row of a long form repeats.
    pub repeated: &'static [Field],
    pub fields: &'static [Field],
}

/// Where the rows of a table come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Typed records of one chunk family.
    Family(Family),
    /// One row per counter and counter sample: `counter_samples` expanded by the counters of their set.
    CounterValues(Family),
    /// One row per metric and metric sample: `device_metric_samples` expanded by their trailing values.
    MetricValues(Family),
    /// The file-record headers themselves.
    Records,
    /// Facts that are collected when bundles and capture sets are opened: `bundles`, `problems`, `runs`, `sessions`.
    Directory,
    /// Rows that a command stores beside its captures, with a phrase that says which and where.
    Stored(&'static str),
    /// Rows that `history` keeps in a folder.
    History,
    /// Rows that ROCm's libraries decode from `executable_traces`.
    Decoded,
}

/// A chunk family: the suffixes of its content types and the layout of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Content-type suffixes; the first is the current name, the others are older ones.
    pub suffixes: &'static [&'static str],
    /// Size in bytes of the record layout that this version of the format defines.
    pub layout: usize,
    pub tail: Tail,
}

/// The data that trails the layout inside (or, for traces, after) a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Nothing, or fields of a newer writer.
    None,
    /// Byte runs back to back; each entry is the offset of the u32 that holds the run's length.
    Texts(&'static [usize]),
    /// One byte run inside the record, its u64 length at this offset.
    Data(usize),
    /// A u32 count at `count`, then that many entries of `entry` bytes each.
    Entries { count: usize, entry: usize },
    /// One record per chunk; the u64 length at this offset counts the bytes that follow the record.
    Following(usize),
}

/// The unit of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    None,
    Ns,
    Ticks,
    Bytes,
    Hertz,
}

impl Unit {
    /// Returns the unit as documentation and field metadata spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Ns => "ns",
            Self::Ticks => "ticks",
            Self::Bytes => "bytes",
            Self::Hertz => "Hz",
        }
    }
}

/// One field of a declaration.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub unit: Unit,
    /// `table.column` that this field joins to, or empty.
    pub joins: &'static str,
    pub read: Read,
    pub shape: Shape,
}

/// How a field expands into columns.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// One column.
    One(Kind),
    /// The name and `<name>_value`, from a u32.
    Named(&'static Enum),
    /// The name and `<name>_value`, from a u16.
    Named16(&'static Enum),
    /// The number, and one boolean per named bit.
    Bits(&'static [Bit], Kind),
    /// One u32 column for each suffix, at consecutive offsets.
    Each(&'static [&'static str]),
}

/// Where a value is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// At this offset of the typed record (or of the file-record header, for `records`).
    Record(usize),
    /// At this offset of one entry of [`Tail::Entries`].
    Entry(usize),
    /// At this offset of the header of the file record that holds the chunk.
    Chunk(usize),
    /// The n-th byte run of [`Tail::Texts`].
    Text(usize),
    /// The bytes of [`Tail::Data`] or [`Tail::Following`].
    Data,
    /// The label of the bundle.
    Bundle,
    /// Index of the file record that holds the row.
    RecordIndex,
    /// Absolute offset of the row's first byte.
    ByteOffset,
    /// Computed by the code of the table's source, which finds it by the column's name.
    Derived,
}

/// The type of a column and the raw value that means "absent".
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    U16,
    U32,
    I32,
    U64,
    I64,
    /// NULL where the raw value is `u32::MAX`.
    U32OrOnes,
    /// NULL where the raw value is 0.
    U64OrZero,
    /// NULL where the raw value is 0.
    I64OrZero,
    F64,
    Bool,
    /// The name of a u32 value; NULL where the raw value is `u32::MAX`.
    Name(&'static Enum),
    /// The name of a u16 value.
    Name16(&'static Enum),
    /// One bit of a flag word.
    Bit(u32),
    /// Two u64 words as 32 hexadecimal digits; NULL while `bit` of the u32 at `flags` is clear.
    Hash {
        flags: usize,
        bit: u32,
    },
    /// Sixteen bytes as a UUID; NULL while `bit` of the u32 at `flags` is clear.
    Uuid {
        flags: usize,
        bit: u32,
    },
    /// UTF-8; an invalid byte becomes the code point U+10FF00 plus the byte, so that it can be restored.
    Text,
    Binary,
}

impl Kind {
    /// Returns the width of a number in bytes, or `None` for other values.
    pub const fn width(self) -> Option<usize> {
        match self {
            Self::U16 => Some(2),
            Self::U32 | Self::I32 | Self::U32OrOnes => Some(4),
            Self::U64 | Self::I64 | Self::U64OrZero | Self::I64OrZero => Some(8),
            _ => None,
        }
    }
}

/// One flat column.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub doc: String,
    pub unit: Unit,
    pub joins: &'static str,
    pub read: Read,
    pub kind: Kind,
}

impl Table {
    /// Declares a table of typed records.
    pub const fn family(
        name: &'static str,
        family: Family,
        row: &'static str,
        fields: &'static [Field],
    ) -> Self {
        Self { name, row, source: Source::Family(family), repeated: &[], fields }
    }

    /// Returns the chunk family that the table reads, or `None`.
    pub const fn reads(&self) -> Option<&Family> {
        match &self.source {
            Source::Family(family)
            | Source::CounterValues(family)
            | Source::MetricValues(family) => Some(family),
            Source::Records
            | Source::Directory
            | Source::Stored(_)
            | Source::History
            | Source::Decoded => None,
        }
    }

    /// Whether its rows are read from bundles or from what is known of them.
    pub fn is_of_bundles(&self) -> bool {
        !matches!(self.source, Source::Stored(_) | Source::History | Source::Decoded)
    }

    /// Returns the flat columns at these positions.
    pub fn project(&self, positions: &[usize]) -> Vec<Column> {
        let all = self.columns();
        positions.iter().filter_map(|position| all.get(*position).cloned()).collect()
    }

    /// Returns the flat columns, in order: `bundle`, the session, the declared ones, then the row's position in the
    /// file. Only tables that read a chunk family have a session and a position.
    pub fn columns(&self) -> Vec<Column> {
        // A run of `bench` or `tune` may have no bundle, so their tables declare a nullable `bundle` column themselves. A
        // history needs no bundles.
        let mut fields = if self.is_of_bundles() { vec![BUNDLE] } else { Vec::new() };
        if self.reads().is_some() {
            fields.push(SESSION_ID);
        }
        fields.extend_from_slice(self.repeated);
        fields.extend_from_slice(self.fields);
        if self.reads().is_some() {
            fields.extend([RECORD_INDEX, BYTE_OFFSET]);
        }
        fields.iter().flat_map(Field::columns).collect()
    }
}

impl Family {
    /// Declares a family of fixed-size records with these content-type suffixes.
    pub const fn fixed(suffixes: &'static [&'static str], layout: usize) -> Self {
        Self { suffixes, layout, tail: Tail::None }
    }

    /// Returns this family with a tail.
    #[must_use]
    pub const fn with(mut self, tail: Tail) -> Self {
        self.tail = tail;
        self
    }
}

impl Field {
    /// Declares a field of one column.
    pub const fn one(name: &'static str, read: Read, kind: Kind, doc: &'static str) -> Self {
        Self::new(name, read, Shape::One(kind), doc)
    }

    /// Declares a field that expands by its shape.
    pub const fn new(name: &'static str, read: Read, shape: Shape, doc: &'static str) -> Self {
        Self { name, doc, unit: Unit::None, joins: "", read, shape }
    }

    /// Returns this field with a unit.
    #[must_use]
    pub const fn unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// Returns this field with the `table.column` that it joins to.
    #[must_use]
    pub const fn joins(mut self, joins: &'static str) -> Self {
        self.joins = joins;
        self
    }

    /// Expands the field into its columns.
    fn columns(&self) -> Vec<Column> {
        let own = |kind| self.column(self.name.into(), self.doc.into(), self.read, kind);
        let pair = |name, raw| {
            let doc = format!("The raw number of `{}`.", self.name);
            vec![own(name), self.column(format!("{}_value", self.name), doc, self.read, raw)]
        };
        match self.shape {
            Shape::One(kind) => vec![own(kind)],
            Shape::Named(names) => pair(Kind::Name(names), Kind::U32),
            Shape::Named16(names) => pair(Kind::Name16(names), Kind::U16),
            Shape::Bits(bits, word) => {
                let bits = bits.iter().map(|bit| {
                    let name = format!("flag_{}", bit.name);
                    self.column(name, bit.doc.into(), self.read, Kind::Bit(bit.bit))
                });
                [own(word)].into_iter().chain(bits).collect()
            }
            Shape::Each(suffixes) => suffixes
                .iter()
                .enumerate()
                .map(|(index, suffix)| {
                    let name = format!("{}_{suffix}", self.name);
                    let doc = format!("{} Element `{suffix}`.", self.doc);
                    self.column(name, doc, self.read.step(index * 4), Kind::U32)
                })
                .collect(),
        }
    }

    fn column(&self, name: String, doc: String, read: Read, kind: Kind) -> Column {
        Column { name, doc, unit: self.unit, joins: self.joins, read, kind }
    }
}

impl Read {
    /// Moves an offset up by `bytes`.
    const fn step(self, bytes: usize) -> Self {
        match self {
            Self::Record(at) => Self::Record(at + bytes),
            Self::Entry(at) => Self::Entry(at + bytes),
            other => other,
        }
    }
}

const BUNDLE: Field = Field::one(
    "bundle",
    Read::Bundle,
    Kind::Text,
    "Label of the file: its stem, or NAME if it was opened as NAME=PATH.",
)
.joins("bundles.bundle");
const SESSION_ID: Field = Field::one(
    "session_id",
    Read::Chunk(16),
    Kind::U64,
    "Session that recorded the row; all other ids are local to the session.",
)
.joins("sessions.session_id");
const RECORD_INDEX: Field = Field::one(
    "record_index",
    Read::RecordIndex,
    Kind::U64,
    "Index of the file record (chunk) that contains the row.",
)
.joins("records.record_index");
const BYTE_OFFSET: Field = Field::one(
    "byte_offset",
    Read::ByteOffset,
    Kind::U64,
    "Byte offset of the row in the (uncompressed) file; ascending offsets are file order.",
)
.unit(Unit::Bytes);
