//! The layout of `queue`.

use crate::layouts::layout::{Family, Layout, MATCHED, Names, SUBMISSIONS, facts, table};
use crate::next::Next;
use crate::section::Show::{Bytes, Count, Id, Ns, Ref, Text, Time, YesNo};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "queue_summary",
            &[
                ("queue", Count("queues")),
                ("queue event", Count("queue_events")),
                ("queue operation timed by the device", Count("queue_device_events")),
                ("span timed by the host", Count("host_execution_events")),
                ("submission with dispatches", Count("submissions")),
                ("command-buffer execution on the host", Count("host_command_executions")),
                ("truncated chunk", Count("truncated_chunks")),
                ("dropped record", Count("dropped_records")),
            ],
        ),
        facts("queue_summary", MATCHED),
        table(
            "queue",
            "Queues",
            &[
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
            ],
        ),
        table("queue_submission", "Submissions with dispatches, timed by the device", SUBMISSIONS),
        table(
            "queue_device_event",
            "Queue operations, timed by the device",
            &[
                ("event", Id("event_id")),
                ("operation", Text("op")),
                ("time", Time("clock_fit_available", "duration_ns", "duration_ticks")),
                ("valid", YesNo("valid")),
                ("operations", Count("operation_count")),
                ("payload", Bytes("payload_length")),
                ("command buffer", Ref("command_buffer_id")),
                ("allocation", Ref("allocation_id")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("submission", Id("submission_id")),
            ],
        ),
        table(
            "host_execution_event",
            "Spans, timed by the host",
            &[
                ("event", Id("event_id")),
                ("operation", Text("op")),
                ("time", Ns("duration_ns")),
                ("valid", YesNo("valid")),
                ("tiles", Count("tile_count")),
                ("tile time", Ns("tile_duration_sum_ns")),
                ("operations", Count("operation_count")),
                ("payload", Bytes("payload_length")),
                ("command buffer", Ref("command_buffer_id")),
                ("function", Id("function_ordinal")),
                ("executable", Ref("executable_id")),
                ("allocation", Ref("allocation_id")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("submission", Id("submission_id")),
            ],
        ),
        table(
            "queue_event",
            "Queue operations, as enqueued by the host",
            &[
                ("event", Id("event_id")),
                ("operation", Text("op")),
                ("dependencies", Text("dependency_strategy")),
                ("enqueued", Count("host_time_ns")),
                ("ready", Count("ready_host_time_ns")),
                ("waits", Count("wait_count")),
                ("signals", Count("signal_count")),
                ("barriers", Count("barrier_count")),
                ("operations", Count("operation_count")),
                ("payload", Bytes("payload_length")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("submission", Id("submission_id")),
            ],
        ),
    ],
    names: Some(Names { noun: "operation", of: &[("queue_event", "op")] }),
    ids: Some(Names {
        noun: "submission",
        of: &[
            ("queue_event", "submission_id"),
            ("queue_device_event", "submission_id"),
            ("host_execution_event", "submission_id"),
        ],
    }),
    family: Some(Family {
        nouns: "queue operations",
        mode: "queue-events",
        report: "queue_summary",
        columns: &[
            "queue_events",
            "queue_device_events",
            "host_execution_events",
            "matched_dispatches",
        ],
    }),
    notes: &[],
    next: &[
        Next {
            shows: "One submission",
            words: &["queue", "--id={}"],
            of: &[("queue_event", "submission_id"), ("queue_device_event", "submission_id")],
        },
        Next {
            shows: "Its dispatches",
            words: &["queue", "--id={}", "--dispatch-events", "--format=jsonl"],
            of: &[("queue_event", "submission_id"), ("queue_device_event", "submission_id")],
        },
    ],
};
