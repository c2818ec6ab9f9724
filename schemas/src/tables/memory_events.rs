//! Lifetimes of slabs, pool reservations, queue allocations and buffers.

use crate::fields::{bytes, device, flags, id, named, ns, ordinal, queue, submission, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Table};

/// The declaration of the table `memory_events`.
pub static TABLE: Table = Table::family(
    "memory_events",
    Family::fixed(&["memory-events"], 160),
    "One event in the life of a slab, pool reservation, queue allocation or buffer.",
    &[
        named("type", 4, &enums::MEMORY_EVENT_TYPE, "What happened."),
        flags(8, &bits::MEMORY_EVENT),
        ordinal("result", 12, "Result code of the operation; NULL where it has none."),
        u64("event_id", 16, "Unique among memory events."),
        ns("host_time_ns", 24, "Host time of the event."),
        id("allocation_id", 32, "Allocation, by which begin and end events pair.").joins("queue_events.allocation_id"),
        u64("pool_id", 40, "Pool; 0 where the memory is of none."),
        u64("backing_id", 48, "What backs the memory: the slab or buffer."),
        submission(56),
        device(64),
        queue(68),
        u32("frontier_entry_count", 72, "Entries of the frontier that was waited for."),
        u64("memory_type", 80, "Bit set of the HAL's memory types."),
        u64("buffer_usage", 88, "Bit set of the HAL's buffer usages."),
        bytes("offset", 96, "Offset within the backing."),
        bytes("length", 104, "Size."),
        bytes("alignment", 112, "Alignment."),
        bytes("pool_bytes_reserved", 120, "Bytes that the pool has handed out."),
        bytes("pool_bytes_free", 128, "Bytes that the pool holds free."),
        bytes("pool_bytes_committed", 136, "Bytes that the pool has committed."),
        bytes("pool_budget_limit", 144, "The pool's limit; 0 where it has none."),
        u32("pool_reservation_count", 152, "Live reservations of the pool."),
        u32("pool_slab_count", 156, "Slabs of the pool."),
    ],
);
