//! Reads memory events and classifies them by the kind of memory and the change to it.

use schemas::place::Places;

use crate::fold::shared::Row;

/// What memory is held for. The numbers are indices of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Slab,
    PoolReservation,
    QueueAllocation,
    BufferAllocation,
    ImportedBuffer,
}

/// The change that an event makes to its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Open,
    Close,
    Materialize,
    Wait,
}

/// Kind and step of each event type, from type 1 on.
pub const TYPES: [(Kind, Step); 12] = [
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

/// Flag of events that concern one reservation.
pub const RESERVATION: u64 = 1 << 3;
/// Flag of events that have statistics of their pool.
pub(crate) const POOL_STATS: u64 = 1 << 4;
const EXTERNALLY_OWNED: u64 = 1 << 5;

impl Kind {
    /// Returns the name of a kind in reports.
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

/// Returns kind and step of an event type; `None` if the type is unknown.
pub(crate) fn step_of(kind: u64) -> Option<(Kind, Step)> {
    let nth = usize::try_from(kind).ok()?.checked_sub(1)?;
    TYPES.get(nth).copied()
}

/// A memory event.
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
    /// Reads an event.
    #[inline]
    pub fn of(row: Row<'_>) -> Self {
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

    /// Returns kind and step; `None` if the type is unknown.
    #[inline]
    pub fn step(&self) -> Option<(Kind, Step)> {
        step_of(self.kind)
    }

    /// Whether the event concerns one reservation of a pool, not the pool as a whole.
    pub(crate) const fn is_of_reservation(&self) -> bool {
        self.flags & RESERVATION != 0
    }

    /// Whether the memory is owned outside of the runtime.
    pub(crate) const fn is_externally_owned(&self) -> bool {
        self.flags & EXTERNALLY_OWNED != 0
    }

    /// Whether the event has statistics of its pool.
    pub const fn has_stats(&self) -> bool {
        self.flags & POOL_STATS != 0
    }
}

pub const EVENT: Places<13> = Places::new(
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

/// Statistics of a pool.
pub const STATS: Places<6> = Places::new(
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
