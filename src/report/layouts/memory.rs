//! The layout of `memory`.

use crate::report::layouts::layout::{Layout, section};
use crate::report::section::Form::{Facts, Ranked, Table, Used};
use crate::report::section::Show::{Bits, Bytes, Count, Id, Ns, Ref, Said, Share, Text, YesNo};
use crate::report::section::{Column, Section, column as c};

/// The columns of one kind of memory, whose names begin with `$kind`: current and peak amounts, and totals.
macro_rules! balance {
    ($kind:literal) => {
        &[
            c("device", Id("physical_device_ordinal")),
            c("now", Bytes(concat!($kind, "_current_bytes"))),
            c("peak", Bytes(concat!($kind, "_high_water_bytes"))),
            c("open", Count(concat!($kind, "_current_count"))),
            c("peak open", Count(concat!($kind, "_high_water_count"))),
            c("opened", Count(concat!($kind, "_total_open_count"))),
            c("closed", Count(concat!($kind, "_total_close_count"))),
            c("bytes opened", Bytes(concat!($kind, "_total_open_bytes"))),
            c("bytes closed", Bytes(concat!($kind, "_total_close_bytes"))),
            c("excess closes", Count(concat!($kind, "_partial_close_count"))),
            c("excess bytes", Bytes(concat!($kind, "_partial_close_bytes"))),
        ]
    };
}

const fn of_device(title: &'static str, columns: &'static [Column]) -> Section {
    section("memory_device", title, Used, columns)
}

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "memory",
    sections: &[
        section(
            "memory_summary",
            "",
            Facts,
            &[
                c("memory event", Count("total_events")),
                c("match", Said("matched_events")),
                c("device", Count("devices")),
                c("pool", Count("pools")),
                c("allocation", Count("allocation_lifecycles")),
                c("open at the end", Said("open_allocation_lifecycles")),
                c("excess closes", Said("partial_lifecycle_closes")),
                c("truncated chunk", Count("truncated_chunks")),
                c("dropped record", Count("dropped_records")),
                c("matching event in truncated chunks", Count("truncated_matched_events")),
                c("filter", Text("filter")),
            ],
        ),
        section(
            "memory_device",
            "Events by device",
            Table,
            &[
                c("device", Id("physical_device_ordinal")),
                c("events", Count("events")),
                c("slabs acquired", Count("slab_acquires")),
                c("released", Count("slab_releases")),
                c("reserve", Count("pool_reserves")),
                c("materialize", Count("pool_materializes")),
                c("release", Count("pool_releases")),
                c("wait", Count("pool_waits")),
                c("alloca", Count("queue_allocas")),
                c("dealloca", Count("queue_deallocas")),
                c("buffers allocated", Count("buffer_allocates")),
                c("freed", Count("buffer_frees")),
                c("imported", Count("buffer_imports")),
                c("unimported", Count("buffer_unimports")),
            ],
        ),
        of_device("Slabs", balance!("slab")),
        of_device("Pool reservations", balance!("pool_reserved")),
        of_device("Materialized reservations", balance!("pool_materialized")),
        of_device("Queue allocations in flight", balance!("queue_inflight")),
        of_device("Buffers", balance!("buffer")),
        of_device("Imported buffers", balance!("imported_buffer")),
        section(
            "memory_pool",
            "Pools",
            Ranked("lifecycle_high_water_bytes"),
            &[
                c("share", Share("lifecycle_high_water_bytes")),
                c("peak", Bytes("lifecycle_high_water_bytes")),
                c("now", Bytes("lifecycle_current_bytes")),
                c("open", Count("lifecycle_current_count")),
                c("peak open", Count("lifecycle_high_water_count")),
                c("bytes opened", Bytes("lifecycle_total_open_bytes")),
                c("bytes closed", Bytes("lifecycle_total_close_bytes")),
                c("excess bytes", Bytes("lifecycle_partial_close_bytes")),
                c("peak materialized", Bytes("materialized_high_water_bytes")),
                c("events", Count("events")),
                c("waits", Count("waits")),
                c("materialized", Count("materializes")),
                c("reserved", Bytes("pool_bytes_reserved_high_water")),
                c("committed", Bytes("pool_bytes_committed_high_water")),
                c("min free", Bytes("pool_bytes_free_low_water")),
                c("limit", Bytes("pool_budget_limit")),
                c("slabs", Count("pool_slab_high_water_count")),
                c("device", Id("physical_device_ordinal")),
                c("type", Bits("memory_type")),
                c("usage", Bits("buffer_usage")),
                c("pool", Ref("pool_id")),
                c("kind", Text("kind")),
            ],
        ),
        section(
            "memory_allocation",
            "Allocations",
            Ranked("lifecycle_high_water_bytes"),
            &[
                c("allocation", Ref("allocation_id")),
                c("peak", Bytes("lifecycle_high_water_bytes")),
                c("now", Bytes("lifecycle_current_bytes")),
                c("open", YesNo("open_at_end")),
                c("lifetime", Ns("duration_ns")),
                c("device lifetime", Ns("device_lifetime_duration_ns")),
                c("events", Count("events")),
                c("waits", Count("waits")),
                c("device", Id("physical_device_ordinal")),
                c("first queue", Id("first_queue_ordinal")),
                c("submission", Ref("first_submission_id")),
                c("last", Ref("last_submission_id")),
                c("type", Bits("memory_type")),
                c("usage", Bits("buffer_usage")),
                c("pool", Ref("pool_id")),
                c("kind", Text("kind")),
            ],
        ),
    ],
    next: "Events of one allocation: ireescope memory --id=N --format=jsonl BUNDLE; live memory over time: ireescope sql -c 'SELECT * FROM memory_live' BUNDLE",
};
