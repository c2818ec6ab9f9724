//! The layout of `queue`.

use crate::report::layouts::layout::{Layout, MATCHED, section};
use crate::report::section::Form::{Facts, Table};
use crate::report::section::Show::{Bytes, Count, Id, Ns, Ref, Text, Time, YesNo};
use crate::report::section::{Column, column as c};

/// The span of the dispatches of a submission, timed by the device.
const SPANS: &[Column] = &[
    c("dispatches", Count("dispatches")),
    c("invalid", Count("invalid")),
    c("span", Time { available: "clock_fit_available", ns: "span_ns", ticks: "span_ticks" }),
    c(
        "dispatch time",
        Time {
            available: "total_dispatch_time_ns_available",
            ns: "total_dispatch_ns",
            ticks: "total_dispatch_ticks",
        },
    ),
    c("device", Id("physical_device_ordinal")),
    c("queue", Id("queue_ordinal")),
    c("stream", Id("stream_id")),
    c("submission", Id("submission_id")),
];

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "queue",
    sections: &[
        section(
            "queue_summary",
            "",
            Facts,
            &[
                c("queue", Count("queues")),
                c("queue event", Count("queue_events")),
                c("queue operation timed by the device", Count("queue_device_events")),
                c("span timed by the host", Count("host_execution_events")),
                c("submission with dispatches", Count("submissions")),
                c("command-buffer execution on the host", Count("host_command_executions")),
                c("truncated chunk", Count("truncated_chunks")),
                c("dropped record", Count("dropped_records")),
            ],
        ),
        section("queue_summary", "", Facts, MATCHED),
        section(
            "queue",
            "Queues",
            Table,
            &[
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
            ],
        ),
        section(
            "queue_submission",
            "Submissions with dispatches, timed by the device",
            Table,
            SPANS,
        ),
        section(
            "queue_device_event",
            "Queue operations, timed by the device",
            Table,
            &[
                c("event", Id("event_id")),
                c("operation", Text("op")),
                c(
                    "time",
                    Time {
                        available: "clock_fit_available",
                        ns: "duration_ns",
                        ticks: "duration_ticks",
                    },
                ),
                c("valid", YesNo("valid")),
                c("operations", Count("operation_count")),
                c("payload", Bytes("payload_length")),
                c("command buffer", Ref("command_buffer_id")),
                c("allocation", Ref("allocation_id")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("submission", Id("submission_id")),
            ],
        ),
        section(
            "host_execution_event",
            "Spans, timed by the host",
            Table,
            &[
                c("event", Id("event_id")),
                c("operation", Text("op")),
                c("time", Ns("duration_ns")),
                c("valid", YesNo("valid")),
                c("tiles", Count("tile_count")),
                c("tile time", Ns("tile_duration_sum_ns")),
                c("operations", Count("operation_count")),
                c("payload", Bytes("payload_length")),
                c("command buffer", Ref("command_buffer_id")),
                c("function", Id("function_ordinal")),
                c("executable", Ref("executable_id")),
                c("allocation", Ref("allocation_id")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("submission", Id("submission_id")),
            ],
        ),
        section(
            "queue_event",
            "Queue operations, as enqueued by the host",
            Table,
            &[
                c("event", Id("event_id")),
                c("operation", Text("op")),
                c("dependencies", Text("dependency_strategy")),
                c("enqueued", Count("host_time_ns")),
                c("ready", Count("ready_host_time_ns")),
                c("waits", Count("wait_count")),
                c("signals", Count("signal_count")),
                c("barriers", Count("barrier_count")),
                c("operations", Count("operation_count")),
                c("payload", Bytes("payload_length")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("submission", Id("submission_id")),
            ],
        ),
    ],
    next: "One submission: ireescope queue --id=N BUNDLE; its dispatches: add --dispatch-events --format=jsonl",
};
