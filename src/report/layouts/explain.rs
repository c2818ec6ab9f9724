//! The layout of `explain`: bottlenecks and hints first, then the data that they are derived from.

use crate::report::layouts::layout::{Layout, facts, table, used};
use crate::report::next::{Next, always};
use crate::report::section::Show::{
    Bytes, Count, Id, Ns, Number, Percent, Prose, Ref, Said, Share, Text, Time, YesNo,
};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "explain_summary",
            &[
                ("matching dispatch timed by the device", Count("dispatches")),
                ("invalid", Said("invalid_dispatches")),
                ("matching dispatch timed by the host", Count("host_dispatches")),
                ("invalid", Said("invalid_host_dispatches")),
                ("queue", Count("queues")),
                ("queue event", Count("queue_events")),
                ("command buffer", Count("command_buffers")),
                ("operation of command buffers", Count("command_operations")),
                ("memory event", Count("memory_events")),
                ("record", Count("file_records")),
                ("chunk", Count("chunk_records")),
                ("unknown record", Count("unknown_records")),
                ("unknown chunk", Count("unknown_chunks")),
                ("truncated chunk", Count("truncated_chunks")),
                ("dropped record", Count("dropped_records")),
                ("failed session", Count("non_ok_session_end_records")),
                ("first failure status", Text("first_non_ok_status")),
            ],
        ),
        table(
            "explain_bottleneck",
            "Bottlenecks, with SQL for the evidence",
            &[
                ("share", Percent("weight")),
                ("finding", Prose("finding")),
                ("evidence", Prose("evidence")),
            ],
        ),
        table(
            "explain_advice",
            "Hints",
            &[
                ("severity", Text("severity")),
                ("about", Text("category")),
                ("hint", Prose("message")),
                ("evidence", Prose("evidence")),
            ],
        ),
        table(
            "explain_top_function",
            "Top functions by total time",
            &[
                ("share", Share("total_ns")),
                ("total", Time("duration_ns_available", "total_ns", "total_ticks")),
                ("mean", Ns("avg_ns")),
                ("max", Time("duration_ns_available", "max_ns", "max_ticks")),
                ("dispatches", Count("dispatches")),
                ("invalid", Count("invalid")),
                ("tiles", Count("total_tile_count")),
                ("tile time", Ns("total_tile_duration_sum_ns")),
                ("device", Id("physical_device_ordinal")),
                ("function", Id("function_ordinal")),
                ("executable", Id("executable_id")),
                ("timed by", Text("timing_source")),
                ("name", Text("key")),
            ],
        ),
        table(
            "explain_top_dispatch",
            "Longest dispatches",
            &[
                ("time", Time("duration_ns_available", "duration_ns", "duration_ticks")),
                ("event", Id("event_id")),
                ("submission", Id("submission_id")),
                ("command buffer", Ref("command_buffer_id")),
                ("tiles", Count("tile_count")),
                ("tile time", Ns("tile_duration_sum_ns")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("timed by", Text("timing_source")),
                ("name", Text("key")),
            ],
        ),
        table(
            "explain_device",
            "Devices",
            &[
                ("device", Id("physical_device_ordinal")),
                ("span", Time("clock_fit_available", "visible_span_ns", "visible_span_ticks")),
                (
                    "dispatch time",
                    Time(
                        "active_dispatch_time_ns_available",
                        "active_dispatch_ns",
                        "active_dispatch_ticks",
                    ),
                ),
                ("busy", Percent("active_over_visible")),
                ("clock fit", YesNo("clock_fit_available")),
                ("correlations", Count("clock_samples")),
                ("Hz", Number("tick_frequency_hz")),
            ],
        ),
        table(
            "explain_queue",
            "Queues",
            &[
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("submissions", Count("submissions")),
                ("valid", Count("valid_submissions")),
                ("invalid", Count("invalid_submissions")),
                ("busy", Time("clock_fit_available", "busy_ns", "busy_ticks")),
                (
                    "dispatch time",
                    Time(
                        "total_dispatch_time_ns_available",
                        "total_dispatch_ns",
                        "total_dispatch_ticks",
                    ),
                ),
                ("gaps known", YesNo("gap_analysis_available")),
                ("gaps", Count("gaps")),
                ("gap time", Time("clock_fit_available", "total_gap_ns", "total_gap_ticks")),
                ("longest", Time("clock_fit_available", "max_gap_ns", "max_gap_ticks")),
            ],
        ),
        used(
            "explain_queue_operations",
            "Queue operations",
            &[
                ("operations", Count("events")),
                ("no wait", Count("strategy_none")),
                ("inline", Count("strategy_inline")),
                ("device barrier", Count("strategy_device_barrier")),
                ("software defer", Count("strategy_software_defer")),
                ("dispatches", Count("dispatches")),
                ("executes", Count("executes")),
                ("allocas", Count("allocas")),
                ("deallocas", Count("deallocas")),
                ("host calls", Count("host_calls")),
                ("copied", Bytes("copy_bytes")),
                ("filled", Bytes("fill_bytes")),
                ("updated", Bytes("update_bytes")),
                ("read", Bytes("read_bytes")),
                ("written", Bytes("write_bytes")),
            ],
        ),
        used(
            "explain_memory_pressure",
            "Peak memory",
            &[
                ("device", Id("physical_device_ordinal")),
                ("slabs", Bytes("slab_high_water_bytes")),
                ("reserved", Bytes("pool_reserved_high_water_bytes")),
                ("materialized", Bytes("pool_materialized_high_water_bytes")),
                ("in flight", Bytes("queue_inflight_high_water_bytes")),
                ("buffers", Bytes("buffer_high_water_bytes")),
                ("pool waits", Count("pool_waits")),
            ],
        ),
    ],
    next: &[
        Next {
            shows: "The evidence of the first bottleneck",
            words: &["sql", "-c", "{}"],
            of: &[("explain_bottleneck", "evidence")],
        },
        always("All functions", &["dispatch"]),
    ],
};
