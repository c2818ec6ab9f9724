//! The relations of the memory ledger.

use std::ops::Range;

use crate::fold::memory::balance::Balance;
use crate::fold::memory::events::Kind;
use crate::fold::memory::ledger::{Allocation, Device, Ledger, Pool};
use crate::fold::memory::lifetimes::{key, ticks};
use crate::fold::pass::Output;
use crate::fold::shared::{Arrays, Columns, HeapBytes, Relation, Slices};

/// The outputs of the pass.
pub(crate) static OUTPUTS: &[Output] = &[
    Output::of(
        "memory_totals",
        "Number of memory events and of matching ones, with totals; one row per bundle.",
        || total_columns().fields(),
    ),
    Output::of(
        "memory_devices",
        "Matching memory events by device, in order of first occurrence.",
        || device_columns().fields(),
    ),
    Output::of(
        "memory_pools",
        "Matching memory events by kind of memory, device, pool and memory type, in order of first occurrence.",
        || pool_columns().fields(),
    ),
    Output::of(
        "memory_allocations",
        "Matching memory events by kind of memory, device, pool and allocation, in order of first occurrence.",
        || allocation_columns().fields(),
    )
    .sliced(),
];

/// The columns of a balance, with `name` as a prefix.
fn balance(name: &str) -> Columns<Balance> {
    Columns::<Balance>::new()
        .number(format!("{name}_current_count"), |balance| balance.count.current)
        .number(format!("{name}_high_water_count"), |balance| balance.count.high_water)
        .number(format!("{name}_total_open_count"), |balance| balance.count.opened)
        .number(format!("{name}_total_close_count"), |balance| balance.count.closed)
        .number(format!("{name}_partial_close_count"), |balance| balance.count.partial)
        .number(format!("{name}_current_bytes"), |balance| balance.bytes.current)
        .number(format!("{name}_high_water_bytes"), |balance| balance.bytes.high_water)
        .number(format!("{name}_total_open_bytes"), |balance| balance.bytes.opened)
        .number(format!("{name}_total_close_bytes"), |balance| balance.bytes.closed)
        .number(format!("{name}_partial_close_bytes"), |balance| balance.bytes.partial)
}

/// The columns of `memory_totals`.
pub(crate) fn total_columns() -> Columns<Ledger> {
    Columns::<Ledger>::new()
        .number("total_events", |ledger| ledger.total_events)
        .number("matched_events", |ledger| ledger.matched_events)
        .number("truncated_chunks", |ledger| ledger.truncated_chunks)
        .number("dropped_records", |ledger| ledger.dropped_records)
        .number("truncated_matched_events", |ledger| ledger.truncated_matched_events)
        .number("devices", |ledger| ledger.devices.len() as u64)
        .number("pools", |ledger| ledger.pools.len() as u64)
        .number("allocation_lifecycles", |ledger| ledger.allocations.len() as u64)
        .number("open_allocation_lifecycles", |ledger| {
            ledger
                .allocations
                .values()
                .iter()
                .filter(|allocation| allocation.is_open_at_end())
                .count() as u64
        })
        .number("partial_lifecycle_closes", |ledger| {
            ledger.allocations.values().iter().fold(0, |sum: u64, allocation| {
                sum.wrapping_add(allocation.lifecycle.partial_closes())
                    .wrapping_add(allocation.materialized.partial_closes())
            })
        })
}

/// The ordinal of a device and its sums.
type DeviceRow<'a> = (u64, &'a Device);

/// Builds the relation `memory_devices`.
pub fn devices(ledger: &Ledger) -> Relation {
    let rows: Vec<DeviceRow<'_>> =
        ledger.devices.iter().map(|([ordinal], device)| (*ordinal, device)).collect();
    device_columns().relation(&rows)
}

/// Names of the columns that count events by type, from type 1 on.
const TYPES: [&str; 12] = [
    "slab_acquires",
    "slab_releases",
    "pool_reserves",
    "pool_materializes",
    "pool_releases",
    "pool_waits",
    "queue_allocas",
    "queue_deallocas",
    "buffer_allocates",
    "buffer_frees",
    "buffer_imports",
    "buffer_unimports",
];

fn device_columns<'a>() -> Columns<DeviceRow<'a>> {
    let columns = Columns::<DeviceRow<'_>>::new()
        .position()
        .number("physical_device_ordinal", |(ordinal, _)| *ordinal)
        .number("events", |(_, device)| device.events);
    let counted = TYPES.iter().enumerate().fold(columns, |columns, (nth, name)| {
        columns.number(*name, move |(_, device)| device.types.get(nth).copied().unwrap_or_default())
    });
    counted
        .part(balance("slab"), |(_, device)| device.lifecycle(Kind::Slab))
        .part(balance("pool_reserved"), |(_, device)| device.lifecycle(Kind::PoolReservation))
        .part(balance("pool_materialized"), |(_, device)| &device.materialized)
        .part(balance("queue_inflight"), |(_, device)| device.lifecycle(Kind::QueueAllocation))
        .part(balance("buffer"), |(_, device)| device.lifecycle(Kind::BufferAllocation))
        .part(balance("imported_buffer"), |(_, device)| device.lifecycle(Kind::ImportedBuffer))
}

/// The key of a pool (kind, device, pool, memory type) and its sums.
type PoolRow<'a> = ([u64; 4], &'a Pool);

/// Builds the relation `memory_pools`.
pub fn pools(ledger: &Ledger) -> Relation {
    let rows: Vec<PoolRow<'_>> = ledger.pools.iter().map(|(key, pool)| (*key, pool)).collect();
    pool_columns().relation(&rows)
}

fn pool_columns<'a>() -> Columns<PoolRow<'a>> {
    Columns::<PoolRow<'_>>::new()
        .position()
        .text("kind", |([kind, ..], _)| Kind::name(*kind))
        .number("physical_device_ordinal", |([_, device, ..], _)| *device)
        .number("pool_id", |([_, _, pool, _], _)| *pool)
        .number("memory_type", |([.., memory_type], _)| *memory_type)
        .number("buffer_usage", |(_, pool)| pool.buffer_usage)
        .number("events", |(_, pool)| pool.events)
        .number("waits", |(_, pool)| pool.waits)
        .number("materializes", |(_, pool)| pool.materializes)
        .part(balance("lifecycle"), |(_, pool)| &pool.lifecycle)
        .part(balance("materialized"), |(_, pool)| &pool.materialized)
        .number("pool_stats_samples", |(_, pool)| pool.stats.samples)
        .number("pool_bytes_reserved", |(_, pool)| pool.stats.last[0])
        .number("pool_bytes_reserved_high_water", |(_, pool)| pool.stats.extreme[0])
        .number("pool_bytes_free", |(_, pool)| pool.stats.last[1])
        .number("pool_bytes_free_low_water", |(_, pool)| pool.stats.extreme[1])
        .number("pool_bytes_committed", |(_, pool)| pool.stats.last[2])
        .number("pool_bytes_committed_high_water", |(_, pool)| pool.stats.extreme[2])
        .number("pool_budget_limit", |(_, pool)| pool.stats.last[3])
        .number("pool_reservation_count", |(_, pool)| pool.stats.last[4])
        .number("pool_reservation_high_water_count", |(_, pool)| pool.stats.extreme[4])
        .number("pool_slab_count", |(_, pool)| pool.stats.last[5])
        .number("pool_slab_high_water_count", |(_, pool)| pool.stats.extreme[5])
}

/// The rows of `memory_allocations`; there may be as many as events.
pub struct Allocations(pub Ledger);

impl HeapBytes for Allocations {
    fn heap_bytes(&self) -> usize {
        let ledger = &self.0;
        ledger.owner_keys.heap_bytes()
            + ledger.allocations.heap_bytes()
            + ledger.operations.heap_bytes()
    }
}

impl Slices for Allocations {
    fn rows(&self) -> usize {
        self.0.allocations.len()
    }

    fn arrays(&self, range: Range<usize>) -> Arrays {
        let ledger = &self.0;
        let keys = ledger.allocations.keys().get(range.clone()).unwrap_or_default();
        let mut near = [0, 0];
        let row = |([owner, id], events): (&[u64; 2], _)| {
            AllocationRow::of(ledger, *owner, *id, events, &mut near)
        };
        let rows: Vec<AllocationRow<'_>> = keys
            .iter()
            .zip(ledger.allocations.values().get(range.clone()).unwrap_or_default())
            .map(row)
            .collect();
        allocation_columns().arrays_from(range.start as u64, &rows)
    }
}

/// A row of `memory_allocations`: an allocation with its ids and the device times of its queue operations.
struct AllocationRow<'a> {
    kind: u64,
    device: u64,
    pool: u64,
    id: u64,
    events: &'a Allocation,
    lifecycle: Balance,
    materialized: Balance,
    /// Event ids of the queue operations that allocated and freed it; 0 for none.
    operations: [u64; 2],
    /// Start of the allocation and end of the deallocation, in device ticks.
    ticks: Option<[u64; 2]>,
}

impl<'a> AllocationRow<'a> {
    fn of(
        ledger: &Ledger,
        owner: u64,
        id: u64,
        events: &'a Allocation,
        near: &mut [usize; 2],
    ) -> Self {
        let owners = ledger.owner_keys.keys();
        let owner = usize::try_from(owner).ok().and_then(|owner| owners.get(owner));
        let [kind, device, pool] = owner.copied().unwrap_or_default();
        let sides = [
            (&ledger.operations.allocas, events.first_submission),
            (&ledger.operations.deallocas, events.last_submission),
        ];
        let mut found = [None, None];
        if kind == Kind::QueueAllocation as u64 {
            for (((list, submission), found), near) in sides.iter().zip(&mut found).zip(near) {
                *found = submission.found().and_then(|submission| {
                    let queue = submission.queue.into();
                    list.find(key(device, queue, submission.submission_id, id), near)
                });
            }
        }
        Self {
            kind,
            device,
            pool,
            id,
            events,
            lifecycle: events.lifecycle.balance(),
            materialized: events.materialized.balance(),
            operations: found.map(|operation| operation.map_or(0, |it| it.event_id)),
            ticks: ticks(found[0], found[1]),
        }
    }
}

fn allocation_columns<'a>() -> Columns<AllocationRow<'a>> {
    Columns::<AllocationRow<'_>>::new()
        .position()
        .text("kind", |row| Kind::name(row.kind))
        .number("physical_device_ordinal", |row| row.device)
        .number("allocation_id", |row| row.id)
        .number("pool_id", |row| row.pool)
        .number("backing_id", |row| row.events.backing_id)
        .flag("externally_owned", |row| row.events.is_externally_owned)
        .number("memory_type", |row| row.events.memory_type)
        .number("buffer_usage", |row| row.events.buffer_usage)
        .number("events", |row| row.events.events)
        .number("waits", |row| row.events.waits)
        .number("materializes", |row| row.events.materializes)
        .flag("open_at_end", |row| row.events.is_open_at_end())
        .number("first_event_id", |row| row.events.first.event_id)
        .number("last_event_id", |row| row.events.last.event_id)
        .signed("first_host_time_ns", |row| row.events.first.host_time_ns)
        .signed("last_host_time_ns", |row| row.events.last.host_time_ns)
        .signed("duration_ns", |row| row.events.duration_ns())
        .number("first_submission_id", |row| row.events.first_submission.submission_id)
        .number("last_submission_id", |row| row.events.last_submission.submission_id)
        .number("first_queue_ordinal", |row| row.events.first_submission.queue.into())
        .number("last_queue_ordinal", |row| row.events.last_submission.queue.into())
        .number("alloca_device_event_id", |row| row.operations[0])
        .number("dealloca_device_event_id", |row| row.operations[1])
        .optional_number("device_lifetime_start_tick", |row| Some(row.ticks?[0]))
        .optional_number("device_lifetime_end_tick", |row| Some(row.ticks?[1]))
        .part(balance("lifecycle"), |row| &row.lifecycle)
        .part(balance("materialized"), |row| &row.materialized)
}
