//! How many records of each table, session and kind refer to the same things, in one pass over their families.

use std::sync::atomic::{AtomicUsize, Ordering};

use schemas::spec::{Read, Table};

use crate::bundle::BundleError;
use crate::fold::pass::Call;
use crate::fold::shared::blocks::{Block, Wanted, blocks};
use crate::fold::shared::columns::Columns;
use crate::fold::shared::groups::Groups;
use crate::fold::shared::threads::on_threads;
use crate::fold::shared::times::{is_device_span, is_host_span};

/// What records can be read for; a table has some of these.
pub const READ: &[&str] = &[
    "type_value",
    "executable_id",
    "function_ordinal",
    "command_buffer_id",
    "physical_device_ordinal",
    "queue_ordinal",
    "stream_id",
    "counter_set_id",
    "source_id",
    "scope_value",
    "start_tick",
    "end_tick",
    "start_host_time_ns",
    "end_host_time_ns",
];

/// Of these, what groups are told apart by.
const KEYS: usize = 8;
const SOURCE: usize = 8;
const SCOPE: usize = 9;
const START_TICK: usize = 10;
const START_TIME: usize = 12;

/// For each key, the raw value of none.
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

/// Where keys stand in [`Group::keys`].
pub const KIND: usize = 0;
pub const EXECUTABLE: usize = 1;
pub const FUNCTION: usize = 2;
pub const COMMAND_BUFFER: usize = 3;
pub const DEVICE: usize = 4;
pub const QUEUE: usize = 5;
pub const STREAM: usize = 6;
/// The counter set or the source of metrics.
pub const SET: usize = 7;

/// Records of one table that refer to the same things.
#[derive(Debug, Clone)]
pub struct Group {
    pub table: &'static str,
    pub session_id: u64,
    keys: [Option<u64>; KEYS],
    pub row_count: u64,
    pub invalid_count: u64,
    pub first_byte_offset: u64,
}

impl Group {
    /// What the records have for one of the keys above; none where their table has no such key, or they have none.
    pub fn key(&self, nth: usize) -> Option<u64> {
        self.keys.get(nth).copied().flatten()
    }
}

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

/// The groups of the records of `tables`, in the order of these and then of appearance; of [`READ`], the columns of `read`
/// are told apart and judged.
pub fn groups(
    call: &Call<'_>,
    tables: &[&'static Table],
    read: &[&str],
) -> Result<Vec<Group>, BundleError> {
    let next = AtomicUsize::new(0);
    let parts = on_threads(call.threads, || {
        let mut tallies = Vec::new();
        while let Some(table) = tables.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut tally = Tally::new(table, read);
            tally.add(call)?;
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
        let declared = table.columns();
        let place = |name: &&str| {
            let column = declared.iter().find(|column| column.name == *name && read.contains(name));
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
        let [kind, _, _, _, device, queue, stream, set, session] = &mut key;
        *session = header.session_id;
        if let Some(source) = block.column(SOURCE).get(row) {
            *set = *source;
        }
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

    /// Whether groups have the n-th key: the kind is a type or a scope, the set is of counters or metrics.
    fn has(&self, nth: usize) -> bool {
        let other = match nth {
            KIND => SCOPE,
            SET => SOURCE,
            _ => nth,
        };
        [nth, other].iter().any(|nth| self.place(*nth) != Place::Nowhere)
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

#[inline]
fn is_invalid(block: &Block<'_>, row: usize) -> bool {
    let value = |nth| block.value(nth, row);
    if block.column(START_TICK).is_empty() {
        !is_host_span(value(START_TIME), value(START_TIME + 1))
    } else {
        !is_device_span(value(START_TICK), value(START_TICK + 1))
    }
}

/// The rows of `record_groups`.
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
