//! The layout of `memory`.

use crate::layouts::layout::{Family, Layout, Names, Note, facts, ranked, table, used};
use crate::next::{Next, always};
use crate::section::Show::{Bits, Bytes, Count, Id, Ns, Ref, Said, Share, Text, YesNo};

/// The columns of one kind of memory, whose names begin with `$kind`: current and peak amounts, and totals.
macro_rules! balance {
    ($kind:literal) => {
        &[
            ("device", Id("physical_device_ordinal")),
            ("now, at most", Bytes(concat!($kind, "_current_bytes"))),
            ("peak, at most", Bytes(concat!($kind, "_high_water_bytes"))),
            ("open", Count(concat!($kind, "_current_count"))),
            ("peak open", Count(concat!($kind, "_high_water_count"))),
            ("opened", Count(concat!($kind, "_total_open_count"))),
            ("closed", Count(concat!($kind, "_total_close_count"))),
            ("bytes opened", Bytes(concat!($kind, "_total_open_bytes"))),
            ("bytes closed", Bytes(concat!($kind, "_total_close_bytes"))),
            ("excess closes", Count(concat!($kind, "_partial_close_count"))),
            ("excess bytes", Bytes(concat!($kind, "_partial_close_bytes"))),
        ]
    };
}

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "memory_summary",
            &[
                ("memory event", Count("total_events")),
                ("match", Said("matched_events")),
                ("device", Count("devices")),
                ("pool", Count("pools")),
                ("allocation", Count("allocation_lifecycles")),
                ("open at the end", Said("open_allocation_lifecycles")),
                ("excess closes", Said("partial_lifecycle_closes")),
                ("truncated chunk", Count("truncated_chunks")),
                ("dropped record", Count("dropped_records")),
                ("matching event in truncated chunks", Count("truncated_matched_events")),
                ("filter", Text("filter")),
            ],
        ),
        table(
            "memory_device",
            "Events by device",
            &[
                ("device", Id("physical_device_ordinal")),
                ("events", Count("events")),
                ("slabs acquired", Count("slab_acquires")),
                ("released", Count("slab_releases")),
                ("reserve", Count("pool_reserves")),
                ("materialize", Count("pool_materializes")),
                ("release", Count("pool_releases")),
                ("wait", Count("pool_waits")),
                ("alloca", Count("queue_allocas")),
                ("dealloca", Count("queue_deallocas")),
                ("buffers allocated", Count("buffer_allocates")),
                ("freed", Count("buffer_frees")),
                ("imported", Count("buffer_imports")),
                ("unimported", Count("buffer_unimports")),
            ],
        ),
        used("memory_device", "Slabs", balance!("slab")),
        used("memory_device", "Pool reservations", balance!("pool_reserved")),
        used("memory_device", "Materialized reservations", balance!("pool_materialized")),
        used("memory_device", "Queue allocations in flight", balance!("queue_inflight")),
        used("memory_device", "Buffers", balance!("buffer")),
        used("memory_device", "Imported buffers", balance!("imported_buffer")),
        ranked(
            "memory_pool",
            "Pools",
            &["lifecycle_high_water_bytes"],
            &[
                ("pool tells", Bytes("pool_bytes_reserved_high_water")),
                ("share", Share("lifecycle_high_water_bytes")),
                ("peak, at most", Bytes("lifecycle_high_water_bytes")),
                ("now, at most", Bytes("lifecycle_current_bytes")),
                ("open", Count("lifecycle_current_count")),
                ("peak open", Count("lifecycle_high_water_count")),
                ("bytes opened", Bytes("lifecycle_total_open_bytes")),
                ("bytes closed", Bytes("lifecycle_total_close_bytes")),
                ("excess bytes", Bytes("lifecycle_partial_close_bytes")),
                ("peak materialized", Bytes("materialized_high_water_bytes")),
                ("events", Count("events")),
                ("waits", Count("waits")),
                ("materialized", Count("materializes")),
                ("committed", Bytes("pool_bytes_committed_high_water")),
                ("min free", Bytes("pool_bytes_free_low_water")),
                ("limit", Bytes("pool_budget_limit")),
                ("slabs", Count("pool_slab_high_water_count")),
                ("device", Id("physical_device_ordinal")),
                ("type", Bits("memory_type")),
                ("usage", Bits("buffer_usage")),
                ("pool", Ref("pool_id")),
                ("kind", Text("kind")),
            ],
        ),
        ranked(
            "memory_allocation",
            "Allocations",
            &["lifecycle_high_water_bytes"],
            &[
                ("allocation", Ref("allocation_id")),
                ("peak", Bytes("lifecycle_high_water_bytes")),
                ("now, at most", Bytes("lifecycle_current_bytes")),
                ("open", YesNo("open_at_end")),
                ("lifetime", Ns("duration_ns")),
                ("device lifetime", Ns("device_lifetime_duration_ns")),
                ("events", Count("events")),
                ("waits", Count("waits")),
                ("device", Id("physical_device_ordinal")),
                ("first queue", Id("first_queue_ordinal")),
                ("submission", Ref("first_submission_id")),
                ("last", Ref("last_submission_id")),
                ("type", Bits("memory_type")),
                ("usage", Bits("buffer_usage")),
                ("pool", Ref("pool_id")),
                ("kind", Text("kind")),
            ],
        ),
    ],
    names: Some(Names { noun: "type of memory events", of: &[("memory_event", "event_type")] }),
    ids: Some(Names { noun: "memory event", of: &[("memory_event", "event_id")] }),
    family: Some(Family {
        nouns: "memory events",
        mode: "memory-events",
        report: "memory_summary",
        columns: &["total_events"],
    }),
    notes: &[
        Note {
            report: "memory_summary",
            column: "allocation_lifecycles",
            text: "Events are of what was allocated in the capture; what pools tell includes memory of before it, such as weights.",
        },
        Note {
            report: "memory_summary",
            column: "open_allocation_lifecycles",
            text: "What is open at the end may have been released: hosts free results without an event. `memory_lifetimes` has the releases that pools show.",
        },
        Note {
            report: "memory_summary",
            column: "dropped_records",
            text: "What is open at the end may have been released: the producer dropped memory events.",
        },
    ],
    next: &[
        Next {
            shows: "The events of one allocation",
            words: &["memory", "--id={}", "--format=jsonl"],
            of: &[("memory_allocation", "allocation_id")],
        },
        always("Live memory over time", &["sql", "-c", "FROM memory_live"]),
    ],
};
