//! What the records of every family refer to and how many there are, in one pass: for whoever asks whether a capture is
//! whole, and what it can answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::datatypes::DataType::{UInt64, Utf8View};
use schemas::spec::{Read, Source, Table};

use super::arrays::{numbers, optional_numbers, texts};
use super::blocks::{Block, Wanted, blocks};
use super::groups::Groups;
use super::{Call, Columns, Fold, Output, on_threads};
use crate::bundle::BundleError;

/// The fold. It reads what describes things like anything else.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output {
    name: "record_groups",
    doc: "How many records of each table, session and kind refer to the same function, command buffer and queue, and how many of them cannot be timed.",
    arguments: &[],
    columns: &[
        ("table", Utf8View),
        ("session_id", UInt64),
        ("kind", UInt64),
        ("executable_id", UInt64),
        ("function_ordinal", UInt64),
        ("command_buffer_id", UInt64),
        ("physical_device_ordinal", UInt64),
        ("queue_ordinal", UInt64),
        ("stream_id", UInt64),
        ("row_count", UInt64),
        ("invalid_count", UInt64),
        ("first_byte_offset", UInt64),
    ],
}];

/// What records are read for; a table has some of these.
const READ: &[&str] = &[
    "type_value",
    "executable_id",
    "function_ordinal",
    "command_buffer_id",
    "physical_device_ordinal",
    "queue_ordinal",
    "stream_id",
    "scope_value",
    "start_tick",
    "end_tick",
    "start_host_time_ns",
    "end_host_time_ns",
];

/// Of these, what groups are told apart by.
const KEYS: usize = 7;
const SCOPE: usize = 7;
const START_TICK: usize = 8;
const START_TIME: usize = 10;

/// For each key, the raw value of none.
const NONE: [Option<u64>; KEYS] = [
    None,
    Some(0),
    Some(u32::MAX as u64),
    Some(0),
    Some(u32::MAX as u64),
    Some(u32::MAX as u64),
    None,
];

/// Tables whose events are timed by themselves: samples are of something that was.
const TIMED: [&str; 4] =
    ["dispatch_events", "queue_device_events", "host_execution_events", "command_region_events"];

/// Where a table has what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Record,
    /// In the header of the chunk.
    Header,
    Nowhere,
}

/// The groups of one table.
struct Tally {
    table: &'static Table,
    places: Vec<Place>,
    groups: Groups<{ KEYS + 1 }>,
    sums: Vec<Sum>,
}

struct Sum {
    rows: u64,
    invalid: u64,
    first_byte_offset: u64,
}

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let families = schemas::all().iter().filter(|table| matches!(table.source, Source::Family(_)));
    let tables: Vec<&'static Table> = families.copied().collect();
    let next = AtomicUsize::new(0);
    let parts = on_threads(call.threads, || {
        let mut tallies = Vec::new();
        while let Some(table) = tables.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut tally = Tally::new(table);
            tally.add(call)?;
            tallies.push(tally);
        }
        Ok(tallies)
    });
    let parts: Vec<Vec<Tally>> = parts.into_iter().collect::<Result<_, BundleError>>()?;
    let mut tallies: Vec<Tally> = parts.into_iter().flatten().collect();
    tallies.sort_by_key(|tally| tables.iter().position(|table| table.name == tally.table.name));
    Ok(vec![columns(&tallies)])
}

impl Tally {
    fn new(table: &'static Table) -> Self {
        let declared = table.columns();
        let place = |name: &&str| {
            let column = declared.iter().find(|column| column.name == **name);
            match column.map(|column| column.read) {
                Some(Read::Record(_)) => Place::Record,
                Some(Read::Chunk(_)) => Place::Header,
                _ => Place::Nowhere,
            }
        };
        let places = READ.iter().map(place).collect();
        Self { table, places, groups: Groups::default(), sums: Vec::new() }
    }

    fn place(&self, nth: usize) -> Place {
        self.places.get(nth).copied().unwrap_or(Place::Nowhere)
    }

    fn add(&mut self, call: &Call<'_>) -> Result<(), BundleError> {
        let wanted = Wanted::of(self.table.name, READ).only(|nth| self.place(nth) == Place::Record);
        let is_timed = TIMED.contains(&self.table.name);
        blocks(call.bundle, &[wanted], |block| {
            for row in 0..block.row_count() {
                let group = self.groups.number(self.key(block, row));
                if group == self.sums.len() {
                    let first_byte_offset = block.byte_offset(row);
                    self.sums.push(Sum { rows: 0, invalid: 0, first_byte_offset });
                }
                if let Some(sum) = self.sums.get_mut(group) {
                    sum.rows += 1;
                    sum.invalid += u64::from(is_timed && is_invalid(block, row));
                }
            }
            Ok(())
        })
    }

    #[inline]
    fn key(&self, block: &Block<'_>, row: usize) -> [u64; KEYS + 1] {
        let header = &block.header;
        let mut key = [0; KEYS + 1];
        for (nth, word) in key.iter_mut().take(KEYS).enumerate() {
            *word = block.value(nth, row);
        }
        let [kind, _, _, _, device, queue, stream, session] = &mut key;
        *session = header.session_id;
        if let Some(scope) = block.column(SCOPE).get(row) {
            *kind = *scope;
        }
        if self.place(4) == Place::Header {
            *device = header.physical_device_ordinal.into();
            *queue = header.queue_ordinal.into();
            *stream = header.stream_id;
        }
        key
    }

    /// Whether groups have the n-th key: the kind is a type or a scope.
    fn has(&self, nth: usize) -> bool {
        self.place(nth) != Place::Nowhere || (nth == 0 && self.place(SCOPE) != Place::Nowhere)
    }
}

#[inline]
fn is_invalid(block: &Block<'_>, row: usize) -> bool {
    let value = |nth| block.value(nth, row);
    if block.column(START_TICK).is_empty() {
        let (start, end) = (value(START_TIME).cast_signed(), value(START_TIME + 1).cast_signed());
        start < 0 || end < start
    } else {
        let (start, end) = (value(START_TICK), value(START_TICK + 1));
        start == 0 || end < start
    }
}

fn columns(tallies: &[Tally]) -> Columns {
    let sums = || tallies.iter().flat_map(|tally| &tally.sums);
    let names = tallies.iter().flat_map(|tally| tally.sums.iter().map(|_| tally.table.name));
    let sessions = tallies.iter().flat_map(|tally| tally.groups.part(KEYS));
    let mut columns = vec![texts(names), numbers(sessions)];
    for (nth, none) in NONE.iter().enumerate() {
        let values = tallies.iter().flat_map(|tally| {
            let is_there = tally.has(nth);
            let known = move |value: &u64| is_there && Some(*value) != *none;
            tally.groups.part(nth).map(move |value| Some(value).filter(known))
        });
        columns.push(optional_numbers(values));
    }
    columns.push(numbers(sums().map(|sum| sum.rows)));
    columns.push(numbers(sums().map(|sum| sum.invalid)));
    columns.push(numbers(sums().map(|sum| sum.first_byte_offset)));
    columns
}
