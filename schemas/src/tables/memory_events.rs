//! Lifetimes of slabs, pool reservations, queue allocations and buffers.

use crate::fields::{bytes, device, flags, id, named, ns, ordinal, queue, submission, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Table};

/// The declaration of the table `memory_events`.
pub static TABLE: Table = Table::family(
    "memory_events",
    Family::fixed(&["memory-events"], 160),
    "One event of the lifetime of a slab, pool reservation, queue allocation or buffer.",
    &[
        named("type", 4, &enums::MEMORY_EVENT_TYPE, "Type of the event."),
        flags(8, bits::MEMORY_EVENT),
        ordinal("result", 12, "Result code of the operation; NULL if it has none."),
        u64("event_id", 16, "Unique among memory events."),
        ns("host_time_ns", 24, "Host time of the event."),
        id("allocation_id", 32, "Id of the allocation, which pairs begin and end events.").joins("queue_events.allocation_id"),
        u64("pool_id", 40, "Pool of the memory; 0 for none."),
        u64("backing_id", 48, "Slab or buffer that backs the memory."),
        submission(56),
        device(64),
        queue(68),
        u32("frontier_entry_count", 72, "Number of entries of the awaited frontier."),
        u64("memory_type", 80, "Bit set of the HAL's memory types."),
        u64("buffer_usage", 88, "Bit set of the HAL's buffer usages."),
        bytes("offset", 96, "Offset within the backing slab or buffer."),
        bytes("length", 104, "Size."),
        bytes("alignment", 112, "Alignment."),
        bytes("pool_bytes_reserved", 120, "Bytes reserved from the pool."),
        bytes("pool_bytes_free", 128, "Free bytes of the pool."),
        bytes("pool_bytes_committed", 136, "Committed bytes of the pool."),
        bytes("pool_budget_limit", 144, "Maximum size of the pool; 0 if it has no limit."),
        u32("pool_reservation_count", 152, "Number of live reservations of the pool."),
        u32("pool_slab_count", 156, "Number of slabs of the pool."),
    ],
);
