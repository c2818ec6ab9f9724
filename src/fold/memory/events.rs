//! Memory events added up: by device, by pool and by allocation, with what is open and the most that ever was.

use std::sync::Arc;

use schemas::enums::MEMORY_EVENT_TYPE;
use schemas::place::Places;

use crate::bundle::{BundleError, Fault};
use crate::fold::memory::columns::OUTPUTS;
use crate::fold::memory::ledger::Ledger;
use crate::fold::memory::{columns as rows, lifetimes};
use crate::fold::pass::{Call, Pass, Relation};
use crate::fold::shared::blocks::{Block, Row, blocks};
use crate::fold::shared::pattern::Pattern;

/// The pass over memory events and the queue operations that allocate and free.
pub static PASS: Pass = Pass::of(OUTPUTS, run);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let ledger = read(call)?;
    Ok(vec![
        rows::total_columns().relation([&ledger]),
        rows::devices(&ledger),
        rows::pools(&ledger),
        Relation::Sliced(Arc::new(rows::Allocations(ledger))),
    ])
}

const EVENTS: usize = 0;
const TABLES: [&str; 2] = [EVENT.table, lifetimes::OPERATION.table];

const EVENT: Places<13> = Places::new(
    "memory_events",
    [
        "type",
        "flags",
        "event_id",
        "host_time_ns",
        "allocation_id",
        "pool_id",
        "backing_id",
        "submission_id",
        "physical_device_ordinal",
        "queue_ordinal",
        "memory_type",
        "buffer_usage",
        "length",
    ],
);

/// What a pool says of itself.
const STATS: Places<6> = Places::new(
    EVENT.table,
    [
        "pool_bytes_reserved",
        "pool_bytes_free",
        "pool_bytes_committed",
        "pool_budget_limit",
        "pool_reservation_count",
        "pool_slab_count",
    ],
);

fn read(call: &Call<'_>) -> Result<Ledger, BundleError> {
    let mut ledger = Ledger::default();
    let matching = Matching::new(call);
    blocks(call.bundle, &TABLES, |block| match block.table {
        EVENTS => add(&mut ledger, &matching, block),
        _ => ledger.operations.add(call.metadata, block),
    })?;
    ledger.operations.sort();
    Ok(ledger)
}

/// Adds the matching events of a block.
fn add(ledger: &mut Ledger, matching: &Matching, block: &Block<'_>) -> Result<(), Fault> {
    let header = block.header;
    if block.starts_chunk && header.is_truncated {
        ledger.truncated_chunks += 1;
        ledger.dropped_records = ledger.dropped_records.wrapping_add(header.dropped_record_count);
    }
    ledger.total_events += block.row_count() as u64;
    for row in block.rows() {
        let event = Event::of(row);
        if !matching.matches(&event) {
            continue;
        }
        ledger.matched_events += 1;
        ledger.truncated_matched_events += u64::from(header.is_truncated);
        let stats = event.has_stats().then(|| row.numbers(&STATS));
        if let Err(whose) = ledger.add(&event, stats) {
            let what = format!("the bytes of its {whose} add up to more than 64 bits hold");
            return Err(block.fault(row, "length", what));
        }
    }
    Ok(())
}

/// Which events are asked for.
struct Matching {
    id: Option<u64>,
    /// For each event type from 0 on, and for all others, whether it matches.
    types: [bool; TYPES.len() + 2],
}

impl Matching {
    fn new(call: &Call<'_>) -> Self {
        let pattern: Pattern = call.pattern();
        let mut types = [false; TYPES.len() + 2];
        for (kind, matches) in (0..).zip(&mut types) {
            // Type 0 has a name in the format, but the reference does not know it.
            let name = if kind == 0 { "unknown" } else { MEMORY_EVENT_TYPE.name_of(kind) };
            *matches = pattern.matches(name);
        }
        Self { id: call.id(), types }
    }

    #[inline]
    fn matches(&self, event: &Event) -> bool {
        let named = usize::try_from(event.kind).ok().and_then(|kind| self.types.get(kind));
        self.id.is_none_or(|id| id == event.id || id == event.allocation_id)
            && named.or(self.types.last()).is_some_and(|matches| *matches)
    }
}

/// What memory is held for; the numbers are places in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Slab,
    PoolReservation,
    QueueAllocation,
    BufferAllocation,
    ImportedBuffer,
}

/// What an event does to the memory that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Open,
    Close,
    Materialize,
    Wait,
}

/// Kind and step of the event types from 1 on.
const TYPES: [(Kind, Step); 12] = [
    (Kind::Slab, Step::Open),
    (Kind::Slab, Step::Close),
    (Kind::PoolReservation, Step::Open),
    (Kind::PoolReservation, Step::Materialize),
    (Kind::PoolReservation, Step::Close),
    (Kind::PoolReservation, Step::Wait),
    (Kind::QueueAllocation, Step::Open),
    (Kind::QueueAllocation, Step::Close),
    (Kind::BufferAllocation, Step::Open),
    (Kind::BufferAllocation, Step::Close),
    (Kind::ImportedBuffer, Step::Open),
    (Kind::ImportedBuffer, Step::Close),
];

/// The flag of events that are about one reservation.
pub const RESERVATION: u64 = 1 << 3;
const POOL_STATS: u64 = 1 << 4;
const EXTERNALLY_OWNED: u64 = 1 << 5;

impl Kind {
    /// The kind as reports print it.
    pub const fn name(number: u64) -> &'static str {
        match number {
            0 => "slab",
            1 => "pool_reservation",
            2 => "queue_allocation",
            3 => "buffer_allocation",
            _ => "imported_buffer",
        }
    }
}

/// What an event of a type is about and does to it; none where the type is not known.
pub fn step_of(kind: u64) -> Option<(Kind, Step)> {
    let nth = usize::try_from(kind).ok()?.checked_sub(1)?;
    TYPES.get(nth).copied()
}

/// One memory event.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub kind: u64,
    pub flags: u64,
    pub id: u64,
    pub host_time_ns: i64,
    pub allocation_id: u64,
    pub pool_id: u64,
    pub backing_id: u64,
    pub submission_id: u64,
    pub device: u64,
    pub queue: u64,
    pub memory_type: u64,
    pub buffer_usage: u64,
    pub length: u64,
}

impl Event {
    #[inline]
    fn of(row: Row<'_>) -> Self {
        let [
            kind,
            flags,
            id,
            host_time_ns,
            allocation_id,
            pool_id,
            backing_id,
            submission_id,
            device,
            queue,
            memory_type,
            buffer_usage,
            length,
        ] = row.numbers(&EVENT);
        Self {
            kind,
            flags,
            id,
            host_time_ns: host_time_ns.cast_signed(),
            allocation_id,
            pool_id,
            backing_id,
            submission_id,
            device,
            queue,
            memory_type,
            buffer_usage,
            length,
        }
    }

    /// The kind of memory that it is about and what it does to it, where its type is known.
    #[inline]
    pub fn step(&self) -> Option<(Kind, Step)> {
        step_of(self.kind)
    }

    /// Whether it is about one reservation of a pool, not about the pool as a whole.
    pub const fn is_of_reservation(&self) -> bool {
        self.flags & RESERVATION != 0
    }

    /// Whether the memory belongs to somebody outside the runtime.
    pub const fn is_externally_owned(&self) -> bool {
        self.flags & EXTERNALLY_OWNED != 0
    }

    const fn has_stats(&self) -> bool {
        self.flags & POOL_STATS != 0
    }
}
