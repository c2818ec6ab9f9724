//! The layout of `explain`: bottlenecks and hints first, then the data that they are derived from.

use crate::report::layouts::layout::{Layout, section};
use crate::report::section::Form::{Facts, Table, Used};
use crate::report::section::Show::{
    Bytes, Count, Id, Ns, Number, Percent, Prose, Ref, Said, Share, Text, Time, YesNo,
};
use crate::report::section::{Show, column as c};

const fn time(available: &'static str, ns: &'static str, ticks: &'static str) -> Show {
    Time { available, ns, ticks }
}

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "explain",
    sections: &[
        section(
            "explain_summary",
            "",
            Facts,
            &[
                c("matching dispatch timed by the device", Count("dispatches")),
                c("invalid", Said("invalid_dispatches")),
                c("matching dispatch timed by the host", Count("host_dispatches")),
                c("invalid", Said("invalid_host_dispatches")),
                c("queue", Count("queues")),
                c("queue event", Count("queue_events")),
                c("command buffer", Count("command_buffers")),
                c("operation of command buffers", Count("command_operations")),
                c("memory event", Count("memory_events")),
                c("record", Count("file_records")),
                c("chunk", Count("chunk_records")),
                c("unknown record", Count("unknown_records")),
                c("unknown chunk", Count("unknown_chunks")),
                c("truncated chunk", Count("truncated_chunks")),
                c("dropped record", Count("dropped_records")),
                c("failed session", Count("non_ok_session_end_records")),
                c("first failure status", Text("first_non_ok_status")),
            ],
        ),
        section(
            "explain_bottleneck",
            "Bottlenecks, with SQL for the evidence",
            Table,
            &[
                c("share", Percent("weight")),
                c("finding", Prose("finding")),
                c("evidence", Prose("evidence")),
            ],
        ),
        section(
            "explain_advice",
            "Hints",
            Table,
            &[
                c("severity", Text("severity")),
                c("about", Text("category")),
                c("hint", Prose("message")),
                c("evidence", Prose("evidence")),
            ],
        ),
        section(
            "explain_top_function",
            "Top functions by total time",
            Table,
            &[
                c("share", Share("total_ns")),
                c("total", time("duration_ns_available", "total_ns", "total_ticks")),
                c("mean", Ns("avg_ns")),
                c("max", time("duration_ns_available", "max_ns", "max_ticks")),
                c("dispatches", Count("dispatches")),
                c("invalid", Count("invalid")),
                c("tiles", Count("total_tile_count")),
                c("tile time", Ns("total_tile_duration_sum_ns")),
                c("device", Id("physical_device_ordinal")),
                c("function", Id("function_ordinal")),
                c("executable", Id("executable_id")),
                c("timed by", Text("timing_source")),
                c("name", Text("key")),
            ],
        ),
        section(
            "explain_top_dispatch",
            "Longest dispatches",
            Table,
            &[
                c("time", time("duration_ns_available", "duration_ns", "duration_ticks")),
                c("event", Id("event_id")),
                c("submission", Id("submission_id")),
                c("command buffer", Ref("command_buffer_id")),
                c("tiles", Count("tile_count")),
                c("tile time", Ns("tile_duration_sum_ns")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("timed by", Text("timing_source")),
                c("name", Text("key")),
            ],
        ),
        section(
            "explain_device",
            "Devices",
            Table,
            &[
                c("device", Id("physical_device_ordinal")),
                c("span", time("clock_fit_available", "visible_span_ns", "visible_span_ticks")),
                c(
                    "dispatch time",
                    time(
                        "active_dispatch_time_ns_available",
                        "active_dispatch_ns",
                        "active_dispatch_ticks",
                    ),
                ),
                c("busy", Percent("active_over_visible")),
                c("clock fit", YesNo("clock_fit_available")),
                c("correlations", Count("clock_samples")),
                c("Hz", Number("tick_frequency_hz")),
            ],
        ),
        section(
            "explain_queue",
            "Queues",
            Table,
            &[
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("submissions", Count("submissions")),
                c("valid", Count("valid_submissions")),
                c("invalid", Count("invalid_submissions")),
                c("busy", time("clock_fit_available", "busy_ns", "busy_ticks")),
                c(
                    "dispatch time",
                    time(
                        "total_dispatch_time_ns_available",
                        "total_dispatch_ns",
                        "total_dispatch_ticks",
                    ),
                ),
                c("gaps known", YesNo("gap_analysis_available")),
                c("gaps", Count("gaps")),
                c("gap time", time("clock_fit_available", "total_gap_ns", "total_gap_ticks")),
                c("longest", time("clock_fit_available", "max_gap_ns", "max_gap_ticks")),
            ],
        ),
        section(
            "explain_queue_operations",
            "Queue operations",
            Used,
            &[
                c("operations", Count("events")),
                c("no wait", Count("strategy_none")),
                c("inline", Count("strategy_inline")),
                c("device barrier", Count("strategy_device_barrier")),
                c("software defer", Count("strategy_software_defer")),
                c("dispatches", Count("dispatches")),
                c("executes", Count("executes")),
                c("allocas", Count("allocas")),
                c("deallocas", Count("deallocas")),
                c("host calls", Count("host_calls")),
                c("copied", Bytes("copy_bytes")),
                c("filled", Bytes("fill_bytes")),
                c("updated", Bytes("update_bytes")),
                c("read", Bytes("read_bytes")),
                c("written", Bytes("write_bytes")),
            ],
        ),
        section(
            "explain_memory_pressure",
            "Peak memory",
            Used,
            &[
                c("device", Id("physical_device_ordinal")),
                c("slabs", Bytes("slab_high_water_bytes")),
                c("reserved", Bytes("pool_reserved_high_water_bytes")),
                c("materialized", Bytes("pool_materialized_high_water_bytes")),
                c("in flight", Bytes("queue_inflight_high_water_bytes")),
                c("buffers", Bytes("buffer_high_water_bytes")),
                c("pool waits", Count("pool_waits")),
            ],
        ),
    ],
    next: "Full evidence: ireescope sql -c 'SQL' BUNDLE; all functions: ireescope dispatch BUNDLE",
};
