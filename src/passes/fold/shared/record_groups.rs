//! Counts the records of each table by session, type and the ids that they refer to, in one pass over each table.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use read::bundle::{Bundle, BundleError};
use schemas::place::Place;
use schemas::spec::{Read, Table};

use crate::fold::shared::blocks::{Header, Row, blocks, number};
use crate::fold::shared::columns::Columns;
use crate::fold::shared::groups::Groups;
use crate::fold::shared::threads::on_threads;
use crate::fold::shared::times::{is_device_span, is_host_span};

/// Columns that form the keys of groups. Each table has some of them.
pub const READ: &[&str] = &[
    "type",
    "executable_id",
    "function_ordinal",
    "command_buffer_id",
    "physical_device_ordinal",
    "queue_ordinal",
    "stream_id",
    "counter_set_id",
    "source_id",
    "scope",
];

/// The first columns of [`READ`] are keys of their own. No table has both a set and a source, or a type and a scope,
/// so the last two share the keys [`SET`] and [`KIND`].
const KEYS: usize = 8;
const SOURCE: usize = 8;
const SCOPE: usize = 9;

/// For each key, the raw value that means absent, if there is one.
const NONE: [Option<u64>; KEYS] = [
    None,
    Some(0),
    Some(u32::MAX as u64),
    Some(0),
    Some(u32::MAX as u64),
    Some(u32::MAX as u64),
    None,
    None,
];

/// Indices of the keys in [`Group::keys`].
pub const KIND: usize = 0;
pub const EXECUTABLE: usize = 1;
pub const FUNCTION: usize = 2;
pub const COMMAND_BUFFER: usize = 3;
pub const DEVICE: usize = 4;
pub(crate) const QUEUE: usize = 5;
pub const STREAM: usize = 6;
/// The counter set or the metric source.
pub const SET: usize = 7;

/// Records of one table and session with the same keys.
#[derive(Debug, Clone)]
pub struct Group {
    pub table: &'static str,
    pub session_id: u64,
    keys: [Option<u64>; KEYS],
    pub row_count: u64,
    pub invalid_count: u64,
    pub(crate) first_byte_offset: u64,
}

impl Group {
    /// Returns the value of the n-th key; `None` if the table has no such key or the value is absent.
    pub fn key(&self, nth: usize) -> Option<u64> {
        self.keys.get(nth).copied().flatten()
    }
}

/// Where a key of a table is stored.
#[derive(Debug, Clone, Copy)]
enum At {
    Record(Place),
    /// In the record header of the chunk.
    Header,
}

/// The groups of one table.
struct Tally {
    table: &'static Table,
    /// For each column of [`READ`], where it is stored.
    places: Vec<Option<At>>,
    /// Start and end of timed events.
    span: [Option<Place>; 2],
    groups: Groups<{ KEYS + 1 }>,
    sums: Vec<Sum>,
}

struct Sum {
    rows: u64,
    invalid: u64,
    first_byte_offset: u64,
}

/// Groups the records of `tables` by the columns of [`READ`] that `read` names. The groups are ordered by table, then
/// by first appearance.
pub fn groups(
    bundle: &Arc<Bundle>,
    threads: usize,
    tables: &[&'static Table],
    read: &[&str],
) -> Result<Vec<Group>, BundleError> {
    let next = AtomicUsize::new(0);
    // Threads claim whole tables.
    let parts = on_threads(threads, || {
        let mut tallies = Vec::new();
        while let Some(table) = tables.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut tally = Tally::new(table, read);
            tally.add(bundle)?;
            tallies.push(tally);
        }
        Ok(tallies)
    })?;
    let mut tallies: Vec<Tally> = parts.into_iter().flatten().collect();
    tallies.sort_by_key(|tally| tables.iter().position(|table| table.name == tally.table.name));
    Ok(tallies.iter().flat_map(Tally::groups).collect())
}

impl Tally {
    fn new(table: &'static Table, read: &[&str]) -> Self {
        let columns = table.columns();
        let at = |name: &str| {
            let column = columns.iter().find(|column| column.name == name);
            let is_of_chunk = column.is_some_and(|it| matches!(it.read, Read::Chunk(_)));
            if is_of_chunk { Some(At::Header) } else { Place::of(table, name).map(At::Record) }
        };
        // The source of a relationship is an event, not a metric source.
        let is_read = |name: &str| {
            read.contains(&name) && (name != "source_id" || table.name != "event_relationships")
        };
        let places = READ.iter().map(|name| at(name).filter(|_| is_read(name))).collect();
        let span = match table.name {
            "dispatch_events" | "queue_device_events" => ["start_tick", "end_tick"],
            "host_execution_events" | "command_region_events" => {
                ["start_host_time_ns", "end_host_time_ns"]
            }
            // Samples have no validity of their own: the sampled events are timed.
            _ => ["", ""],
        };
        let span = span.map(|name| Place::of(table, name));
        Self { table, places, span, groups: Groups::default(), sums: Vec::new() }
    }

    fn add(&mut self, bundle: &Arc<Bundle>) -> Result<(), BundleError> {
        let is_device = self.table.columns().iter().any(|column| column.name == "start_tick");
        let is_span = if is_device { is_device_span } else { is_host_span };
        blocks(bundle, &[self.table.name], |block| {
            for row in block.rows() {
                let group = self.groups.number(self.key(&block.header, row));
                if group == self.sums.len() {
                    let first_byte_offset = row.byte_offset;
                    self.sums.push(Sum { rows: 0, invalid: 0, first_byte_offset });
                }
                if let Some(sum) = self.sums.get_mut(group) {
                    sum.rows += 1;
                    if let [Some(start), Some(end)] = self.span {
                        let [start, end] = [start, end].map(|place| number(row.bytes(), place));
                        sum.invalid += u64::from(!is_span(start, end));
                    }
                }
            }
            Ok(())
        })
    }

    #[inline]
    fn key(&self, header: &Header, row: Row<'_>) -> [u64; KEYS + 1] {
        let mut key = [0; KEYS + 1];
        for (nth, at) in self.places.iter().enumerate() {
            let value = match (at, nth) {
                (Some(At::Record(place)), _) => number(row.bytes(), *place),
                (Some(At::Header), DEVICE) => header.physical_device_ordinal.into(),
                (Some(At::Header), QUEUE) => header.queue_ordinal.into(),
                (Some(At::Header), STREAM) => header.stream_id,
                _ => continue,
            };
            let nth = match nth {
                SOURCE => SET,
                SCOPE => KIND,
                _ => nth,
            };
            if let Some(word) = key.get_mut(nth) {
                *word = value;
            }
        }
        let [.., session] = &mut key;
        *session = header.session_id;
        key
    }

    /// Whether the table has the n-th key, possibly as the column that shares it.
    fn has(&self, nth: usize) -> bool {
        let other = match nth {
            KIND => SCOPE,
            SET => SOURCE,
            _ => nth,
        };
        [nth, other].iter().any(|nth| self.places.get(*nth).is_some_and(Option::is_some))
    }

    fn groups(&self) -> impl Iterator<Item = Group> + '_ {
        self.groups.keys().iter().zip(&self.sums).map(|(key, sum)| {
            let mut keys = [None; KEYS];
            for (nth, (known, (value, none))) in
                keys.iter_mut().zip(key.iter().zip(&NONE)).enumerate()
            {
                *known = Some(*value).filter(|_| self.has(nth) && Some(*value) != *none);
            }
            Group {
                table: self.table.name,
                session_id: key.last().copied().unwrap_or_default(),
                keys,
                row_count: sum.rows,
                invalid_count: sum.invalid,
                first_byte_offset: sum.first_byte_offset,
            }
        })
    }
}

/// The columns of `record_groups`.
pub fn columns() -> Columns<Group> {
    Columns::<Group>::new()
        .text("table", |group| group.table)
        .number("session_id", |group| group.session_id)
        .optional_number("kind", |group| group.key(KIND))
        .optional_number("executable_id", |group| group.key(EXECUTABLE))
        .optional_number("function_ordinal", |group| group.key(FUNCTION))
        .optional_number("command_buffer_id", |group| group.key(COMMAND_BUFFER))
        .optional_number("physical_device_ordinal", |group| group.key(DEVICE))
        .optional_number("queue_ordinal", |group| group.key(QUEUE))
        .optional_number("stream_id", |group| group.key(STREAM))
        .optional_number("set_id", |group| group.key(SET))
        .number("row_count", |group| group.row_count)
        .number("invalid_count", |group| group.invalid_count)
        .number("first_byte_offset", |group| group.first_byte_offset)
}
