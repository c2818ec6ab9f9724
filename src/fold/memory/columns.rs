//! The sums of memory events as relations.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::DataType::{Boolean, Int64, UInt64, Utf8View};

use crate::fold::memory::balance::Balance;
use crate::fold::memory::events::Kind;
use crate::fold::memory::ledger::{Allocation, Device, Ledger, Pool};
use crate::fold::memory::lifetimes::{key, ticks};
use crate::fold::pass::{Column, Columns, Output, Parameter, Slices};
use crate::fold::shared::arrays::{flags, numbers, signed, texts};

const ARGUMENTS: &[Parameter] = &[Parameter::Filter, Parameter::Id];

/// Columns, of which those of a balance are named by what it is of.
macro_rules! columns {
    ($($first:expr),* ; $($balance:literal),* ; $($last:expr),*) => {
        &[
            $($first,)*
            $(
                (concat!($balance, "_current_count"), UInt64),
                (concat!($balance, "_high_water_count"), UInt64),
                (concat!($balance, "_total_open_count"), UInt64),
                (concat!($balance, "_total_close_count"), UInt64),
                (concat!($balance, "_partial_close_count"), UInt64),
                (concat!($balance, "_current_bytes"), UInt64),
                (concat!($balance, "_high_water_bytes"), UInt64),
                (concat!($balance, "_total_open_bytes"), UInt64),
                (concat!($balance, "_total_close_bytes"), UInt64),
                (concat!($balance, "_partial_close_bytes"), UInt64),
            )*
            $($last,)*
        ]
    };
}

/// What is printed of memory events.
pub static OUTPUTS: &[Output] = &[
    Output {
        name: "memory_totals",
        doc: "How many memory events there are and match, and what they add up to; one row a bundle.",
        arguments: ARGUMENTS,
        columns: &[
            ("total_events", UInt64),
            ("matched_events", UInt64),
            ("truncated_chunks", UInt64),
            ("dropped_records", UInt64),
            ("truncated_matched_events", UInt64),
            ("devices", UInt64),
            ("pools", UInt64),
            ("allocation_lifecycles", UInt64),
            ("open_allocation_lifecycles", UInt64),
            ("partial_lifecycle_closes", UInt64),
        ],
    },
    Output {
        name: "memory_devices",
        doc: "Matching memory events by device, in order of appearance.",
        arguments: ARGUMENTS,
        columns: DEVICE_COLUMNS,
    },
    Output {
        name: "memory_pools",
        doc: "Matching memory events by what the memory is held for, device, pool and memory type, in order of appearance.",
        arguments: ARGUMENTS,
        columns: POOL_COLUMNS,
    },
    Output {
        name: "memory_allocations",
        doc: "Matching memory events by what the memory is held for, device, pool and allocation, in order of appearance.",
        arguments: ARGUMENTS,
        columns: ALLOCATION_COLUMNS,
    },
];

const DEVICE_COLUMNS: &[Column] = columns![
    ("position", UInt64),
    ("physical_device_ordinal", UInt64),
    ("events", UInt64),
    ("slab_acquires", UInt64),
    ("slab_releases", UInt64),
    ("pool_reserves", UInt64),
    ("pool_materializes", UInt64),
    ("pool_releases", UInt64),
    ("pool_waits", UInt64),
    ("queue_allocas", UInt64),
    ("queue_deallocas", UInt64),
    ("buffer_allocates", UInt64),
    ("buffer_frees", UInt64),
    ("buffer_imports", UInt64),
    ("buffer_unimports", UInt64);
    "slab", "pool_reserved", "pool_materialized", "queue_inflight", "buffer", "imported_buffer";
];

const POOL_COLUMNS: &[Column] = columns![
    ("position", UInt64),
    ("kind", Utf8View),
    ("physical_device_ordinal", UInt64),
    ("pool_id", UInt64),
    ("memory_type", UInt64),
    ("buffer_usage", UInt64),
    ("events", UInt64),
    ("waits", UInt64),
    ("materializes", UInt64);
    "lifecycle", "materialized";
    ("pool_stats_samples", UInt64),
    ("pool_bytes_reserved", UInt64),
    ("pool_bytes_reserved_high_water", UInt64),
    ("pool_bytes_free", UInt64),
    ("pool_bytes_free_low_water", UInt64),
    ("pool_bytes_committed", UInt64),
    ("pool_bytes_committed_high_water", UInt64),
    ("pool_budget_limit", UInt64),
    ("pool_reservation_count", UInt64),
    ("pool_reservation_high_water_count", UInt64),
    ("pool_slab_count", UInt64),
    ("pool_slab_high_water_count", UInt64)
];

const ALLOCATION_COLUMNS: &[Column] = columns![
    ("position", UInt64),
    ("kind", Utf8View),
    ("physical_device_ordinal", UInt64),
    ("allocation_id", UInt64),
    ("pool_id", UInt64),
    ("backing_id", UInt64),
    ("externally_owned", Boolean),
    ("memory_type", UInt64),
    ("buffer_usage", UInt64),
    ("events", UInt64),
    ("waits", UInt64),
    ("materializes", UInt64),
    ("open_at_end", Boolean),
    ("first_event_id", UInt64),
    ("last_event_id", UInt64),
    ("first_host_time_ns", Int64),
    ("last_host_time_ns", Int64),
    ("duration_ns", Int64),
    ("first_submission_id", UInt64),
    ("last_submission_id", UInt64),
    ("first_queue_ordinal", UInt64),
    ("last_queue_ordinal", UInt64),
    ("alloca_device_event_id", UInt64),
    ("dealloca_device_event_id", UInt64),
    ("device_lifetime_start_tick", UInt64),
    ("device_lifetime_end_tick", UInt64);
    "lifecycle", "materialized";
];

/// Rows whose columns are taken from them one after the other.
struct Rows<'a, T>(Vec<&'a T>);

impl<'a, T> Rows<'a, T> {
    fn of(rows: impl IntoIterator<Item = &'a T>) -> Self {
        Self(rows.into_iter().collect())
    }

    fn number(&self, each: impl Fn(&T) -> u64) -> ArrayRef {
        numbers(self.0.iter().copied().map(each))
    }

    fn signed(&self, each: impl Fn(&T) -> i64) -> ArrayRef {
        signed(self.0.iter().copied().map(each))
    }

    fn flag(&self, each: impl Fn(&T) -> bool) -> ArrayRef {
        flags(self.0.iter().copied().map(each))
    }

    fn balance(&self, each: impl Fn(&T) -> &Balance) -> [ArrayRef; 10] {
        [
            self.number(|row| each(row).count.current),
            self.number(|row| each(row).count.high_water),
            self.number(|row| each(row).count.opened),
            self.number(|row| each(row).count.closed),
            self.number(|row| each(row).count.partial),
            self.number(|row| each(row).bytes.current),
            self.number(|row| each(row).bytes.high_water),
            self.number(|row| each(row).bytes.opened),
            self.number(|row| each(row).bytes.closed),
            self.number(|row| each(row).bytes.partial),
        ]
    }
}

fn kinds(values: impl Iterator<Item = u64>) -> ArrayRef {
    texts(values.map(Kind::name))
}

/// The rows of `memory_totals`.
pub fn totals(ledger: &Ledger) -> Columns {
    let allocations = &ledger.allocations;
    let open = allocations.iter().filter(|allocation| allocation.is_open_at_end()).count();
    let partial = allocations.iter().fold(0_u64, |sum, allocation| {
        sum.wrapping_add(allocation.lifecycle.partial_closes())
            .wrapping_add(allocation.materialized.partial_closes())
    });
    let all = [
        ledger.total_events,
        ledger.matched_events,
        ledger.truncated_chunks,
        ledger.dropped_records,
        ledger.truncated_matched_events,
        ledger.devices.len() as u64,
        ledger.pools.len() as u64,
        allocations.len() as u64,
        open as u64,
        partial,
    ];
    all.map(|number| numbers(std::iter::once(number))).into()
}

/// The rows of `memory_devices`.
pub fn devices(ledger: &Ledger) -> Columns {
    let rows = Rows::of(&ledger.devices);
    let mut columns = vec![
        numbers(0..ledger.devices.len() as u64),
        numbers(ledger.device_keys.part(0)),
        rows.number(|device| device.events),
    ];
    columns.extend((0..12).map(|kind| {
        rows.number(move |device: &Device| device.types.get(kind).copied().unwrap_or_default())
    }));
    columns.extend(rows.balance(|device| device.lifecycle(Kind::Slab)));
    columns.extend(rows.balance(|device| device.lifecycle(Kind::PoolReservation)));
    columns.extend(rows.balance(|device| &device.materialized));
    columns.extend(rows.balance(|device| device.lifecycle(Kind::QueueAllocation)));
    columns.extend(rows.balance(|device| device.lifecycle(Kind::BufferAllocation)));
    columns.extend(rows.balance(|device| device.lifecycle(Kind::ImportedBuffer)));
    columns
}

/// The rows of `memory_pools`.
pub fn pools(ledger: &Ledger) -> Columns {
    let keys = &ledger.pool_keys;
    let rows = Rows::of(&ledger.pools);
    let mut columns = vec![numbers(0..ledger.pools.len() as u64), kinds(keys.part(0))];
    columns.extend((1..4).map(|part| numbers(keys.part(part))));
    columns.extend([
        rows.number(|pool| pool.buffer_usage),
        rows.number(|pool| pool.events),
        rows.number(|pool| pool.waits),
        rows.number(|pool| pool.materializes),
    ]);
    columns.extend(rows.balance(|pool| &pool.lifecycle));
    columns.extend(rows.balance(|pool| &pool.materialized));
    let last =
        |nth| rows.number(move |pool: &Pool| pool.stats.last.get(nth).copied().unwrap_or_default());
    let extreme = |nth| {
        rows.number(move |pool: &Pool| pool.stats.extreme.get(nth).copied().unwrap_or_default())
    };
    columns.extend([
        rows.number(|pool| pool.stats.samples),
        last(0),
        extreme(0),
        last(1),
        extreme(1),
        last(2),
        extreme(2),
        last(3),
        last(4),
        extreme(4),
        last(5),
        extreme(5),
    ]);
    columns
}

/// The rows of `memory_allocations`, which may be as many as events.
pub struct Allocations(pub Ledger);

impl Slices for Allocations {
    fn rows(&self) -> usize {
        self.0.allocations.len()
    }

    fn columns(&self, range: Range<usize>) -> Columns {
        let ledger = &self.0;
        let rows = Rows::of(ledger.allocations.range(range.clone()));
        let keys = ledger.allocation_keys.keys().get(range.clone()).unwrap_or_default();
        let owners: Vec<[u64; 3]> =
            keys.iter().map(|[owner, _]| owner_of(ledger, *owner)).collect();
        let mut columns = vec![
            numbers((range.start as u64..).take(keys.len())),
            kinds(owners.iter().map(|[kind, ..]| *kind)),
            numbers(owners.iter().map(|[_, device, _]| *device)),
            numbers(keys.iter().map(|[_, allocation]| *allocation)),
            numbers(owners.iter().map(|[.., pool]| *pool)),
        ];
        columns.extend(sums(&rows));
        columns.extend(device_times(ledger, &rows, keys, &owners));
        let [lifecycles, materialized] = [
            rows.0.iter().map(|row| row.lifecycle.balance()).collect::<Vec<_>>(),
            rows.0.iter().map(|row| row.materialized.balance()).collect(),
        ];
        columns.extend(Rows::of(&lifecycles).balance(|balance| balance));
        columns.extend(Rows::of(&materialized).balance(|balance| balance));
        columns
    }
}

/// Kind, device and pool of an owner.
fn owner_of(ledger: &Ledger, owner: u64) -> [u64; 3] {
    let owners = ledger.owner_keys.keys();
    usize::try_from(owner).ok().and_then(|owner| owners.get(owner)).copied().unwrap_or_default()
}

fn sums(rows: &Rows<'_, Allocation>) -> [ArrayRef; 17] {
    [
        rows.number(|row| row.backing_id),
        rows.flag(|row| row.is_externally_owned),
        rows.number(|row| row.memory_type),
        rows.number(|row| row.buffer_usage),
        rows.number(|row| row.events),
        rows.number(|row| row.waits),
        rows.number(|row| row.materializes),
        rows.flag(Allocation::is_open_at_end),
        rows.number(|row| row.first.event_id),
        rows.number(|row| row.last.event_id),
        rows.signed(|row| row.first.host_time_ns),
        rows.signed(|row| row.last.host_time_ns),
        rows.signed(Allocation::duration_ns),
        rows.number(|row| row.first_submission.submission_id),
        rows.number(|row| row.last_submission.submission_id),
        rows.number(|row| row.first_submission.queue.into()),
        rows.number(|row| row.last_submission.queue.into()),
    ]
}

/// What the device timed of allocations: the operations that allocated and freed, 0 for none, and the first and the
/// last tick.
fn device_times(
    ledger: &Ledger,
    rows: &Rows<'_, Allocation>,
    keys: &[[u64; 2]],
    owners: &[[u64; 3]],
) -> [ArrayRef; 4] {
    let operations = &ledger.operations;
    let mut ids = [Vec::new(), Vec::new()];
    let mut ends: [Vec<Option<u64>>; 2] = [Vec::new(), Vec::new()];
    let mut near = [0, 0];
    for ((row, [_, id]), [kind, device, _]) in rows.0.iter().zip(keys).zip(owners) {
        let sides = [
            (&operations.allocas, row.first_submission),
            (&operations.deallocas, row.last_submission),
        ];
        let mut found = [None, None];
        if *kind == Kind::QueueAllocation as u64 {
            for (((list, submission), found), near) in
                sides.into_iter().zip(&mut found).zip(&mut near)
            {
                *found = submission.found().and_then(|submission| {
                    let queue = submission.queue.into();
                    list.find(key(*device, queue, submission.submission_id, *id), near)
                });
            }
        }
        let timed = ticks(found[0], found[1]);
        for (side, (ids, ends)) in ids.iter_mut().zip(&mut ends).enumerate() {
            let operation = found.get(side).copied().flatten();
            ids.push(operation.map_or(0, |operation| operation.event_id));
            ends.push(timed.and_then(|ticks| ticks.get(side).copied()));
        }
    }
    let [first, last] = ids.map(|ids| Arc::new(UInt64Array::from(ids)) as ArrayRef);
    let [start, end] = ends.map(|ends| Arc::new(UInt64Array::from(ends)) as ArrayRef);
    [first, last, start, end]
}
