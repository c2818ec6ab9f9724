//! The layout of `summary`.

use crate::report::layouts::layout::{Layout, facts, table};
use crate::report::next::always;
use crate::report::section::Show::{Bytes, Count, Id, Ns, Number, Said, Text, Ticks, YesNo};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "summary",
            &[
                ("record", Count("file_records")),
                ("sessions started", Said("session_begin_records")),
                ("sessions ended", Said("session_end_records")),
                ("failed", Said("non_ok_session_end_records")),
                ("first failure status", Text("first_non_ok_status")),
                ("record of an unknown type", Count("unknown_records")),
                ("chunk", Count("chunk_records")),
                ("chunk of an unknown kind", Count("unknown_chunks")),
                ("truncated chunk", Count("truncated_chunks")),
                ("dropped record", Count("dropped_records")),
            ],
        ),
        facts(
            "summary",
            &[
                ("executable", Count("executable_records")),
                ("function", Count("executable_function_records")),
                ("code object", Count("executable_code_object_records")),
                ("code size", Bytes("executable_code_object_data_bytes")),
                ("loaded code object", Count("executable_code_object_load_records")),
                ("command buffer", Count("command_buffer_records")),
                ("operation of command buffers", Count("command_operation_records")),
                ("counter set", Count("counter_set_records")),
                ("counter", Count("counter_records")),
                ("metric source", Count("device_metric_source_records")),
                ("metric", Count("device_metric_descriptor_records")),
            ],
        ),
        facts(
            "summary",
            &[
                ("chunk of dispatch events", Count("dispatch_event_chunks")),
                ("queue event", Count("queue_event_records")),
                ("queue operation timed by devices", Count("queue_device_event_records")),
                ("span timed by the host", Count("host_execution_event_records")),
                ("invalid", Said("invalid_host_execution_event_records")),
                ("total span time", Ns("total_host_execution_duration_ns")),
                ("command region", Count("command_region_event_records")),
                ("invalid", Said("invalid_command_region_event_records")),
                ("total region time", Ns("total_command_region_duration_ns")),
                ("memory event", Count("memory_event_records")),
                ("relationship", Count("event_relationship_records")),
                ("counter sample", Count("counter_sample_records")),
                ("metric sample", Count("device_metric_sample_records")),
                ("metric value", Count("device_metric_values")),
                ("invalid metric samples", Said("invalid_device_metric_sample_records")),
                ("instruction trace", Count("executable_trace_records")),
                ("trace size", Bytes("executable_trace_data_bytes")),
            ],
        ),
        table(
            "device_summary",
            "Devices",
            &[
                ("device", Id("physical_device_ordinal")),
                ("records", Count("device_records")),
                ("queues", Count("queues")),
                ("queue records", Count("queue_records")),
                ("dispatches", Count("dispatches")),
                ("valid", Count("valid_dispatches")),
                ("invalid", Count("invalid_dispatches")),
                ("metric samples", Count("device_metric_samples")),
                ("values", Count("device_metric_values")),
                ("invalid", Count("invalid_device_metric_samples")),
            ],
        ),
        table(
            "device_summary",
            "Clocks",
            &[
                ("device", Id("physical_device_ordinal")),
                ("correlations", Count("clock_samples")),
                ("unaligned", Count("invalid_clock_alignment_samples")),
                ("fit", YesNo("clock_fit_available")),
                ("ns per tick", Number("ns_per_tick")),
                ("Hz", Number("tick_frequency_hz")),
                ("min uncertainty", Ns("min_clock_uncertainty_ns")),
                ("max uncertainty", Ns("max_clock_uncertainty_ns")),
                ("covers dispatches", YesNo("dispatch_ticks_covered_by_clock_samples")),
            ],
        ),
        table(
            "device_summary",
            "Dispatches, timed by the device",
            &[
                ("device", Id("physical_device_ordinal")),
                ("total", Ns("total_dispatch_ns")),
                ("mean", Ns("avg_dispatch_ns")),
                ("min", Ns("min_dispatch_ns")),
                ("max", Ns("max_dispatch_ns")),
                ("total", Ticks("total_dispatch_ticks")),
                ("mean", Ticks("avg_dispatch_ticks")),
                ("min", Ticks("min_dispatch_ticks")),
                ("max", Ticks("max_dispatch_ticks")),
                ("first start", Ticks("earliest_dispatch_start_tick")),
                ("last end", Ticks("latest_dispatch_end_tick")),
            ],
        ),
    ],
    next: &[always("Functions by time", &["top"]), always("Bottlenecks", &["explain"])],
};
