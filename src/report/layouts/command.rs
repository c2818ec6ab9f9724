//! The layout of `command`.

use crate::report::layouts::layout::{Layout, MATCHED, section};
use crate::report::section::Form::{Facts, Table};
use crate::report::section::Show::{Bits, Bytes, Count, Id, Ns, Ref, Text, Time, Triple};
use crate::report::section::{Column, column as c};

/// The span of the dispatches of an execution, timed by the device.
const SPANS: &[Column] = &[
    c("command buffer", Id("command_buffer_id")),
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
    command: "command",
    sections: &[
        section(
            "command_summary",
            "",
            Facts,
            &[
                c("command buffer", Count("command_buffers")),
                c("operation", Count("command_operations")),
                c("matching operation", Count("matched_command_operations")),
                c("execution timed by the device", Count("executions")),
                c("execution timed by the host", Count("host_executions")),
            ],
        ),
        section("command_summary", "", Facts, MATCHED),
        section(
            "command_buffer",
            "Command buffers",
            Table,
            &[
                c("command buffer", Id("command_buffer_id")),
                c("device", Id("physical_device_ordinal")),
                c("mode", Bits("mode")),
                c("categories", Bits("command_categories")),
                c("queues", Bits("queue_affinity")),
            ],
        ),
        section(
            "command_operation",
            "Operations",
            Table,
            &[
                c("command buffer", Id("command_buffer_id")),
                c("index", Id("command_index")),
                c("operation", Text("op")),
                c("block", Id("block_ordinal")),
                c("block index", Id("block_command_ordinal")),
                c("function", Id("function_ordinal")),
                c("executable", Ref("executable_id")),
                c("bindings", Count("binding_count")),
                c("workgroups", Triple("workgroup_count")),
                c("size", Triple("workgroup_size")),
                c("source", Id("source_ordinal")),
                c("source offset", Bytes("source_offset")),
                c("target", Id("target_ordinal")),
                c("target offset", Bytes("target_offset")),
                c("length", Bytes("length")),
                c("target block", Id("target_block_ordinal")),
                c("else block", Id("alternate_block_ordinal")),
                c("flags", Bits("flags")),
                c("name", Text("key")),
            ],
        ),
        section("command_execution", "Executions, timed by the device", Table, SPANS),
        section(
            "command_host_execution",
            "Executions, timed by the host",
            Table,
            &[
                c("command buffer", Id("command_buffer_id")),
                c("dispatches", Count("dispatches")),
                c("invalid", Count("invalid")),
                c("span", Ns("span_ns")),
                c("dispatch time", Ns("total_dispatch_ns")),
                c("tiles", Count("total_tile_count")),
                c("tile time", Ns("total_tile_duration_sum_ns")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("submission", Id("submission_id")),
            ],
        ),
    ],
    next: "Dispatches of one command buffer: ireescope command --id=N --dispatch-events --format=jsonl BUNDLE",
};
