//! The layout of `command`.

use crate::layouts::layout::{EXECUTIONS, Family, Layout, MATCHED, Names, facts, table};
use crate::next::Next;
use crate::section::Show::{Bits, Bytes, Count, Id, Ns, Ref, Text, Triple};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "command_summary",
            &[
                ("command buffer", Count("command_buffers")),
                ("operation", Count("command_operations")),
                ("matching operation", Count("matched_command_operations")),
                ("execution timed by the device", Count("executions")),
                ("execution timed by the host", Count("host_executions")),
            ],
        ),
        facts("command_summary", MATCHED),
        table(
            "command_buffer",
            "Command buffers",
            &[
                ("command buffer", Id("command_buffer_id")),
                ("device", Id("physical_device_ordinal")),
                ("mode", Bits("mode")),
                ("categories", Bits("command_categories")),
                ("queues", Bits("queue_affinity")),
            ],
        ),
        table(
            "command_operation",
            "Operations",
            &[
                ("command buffer", Id("command_buffer_id")),
                ("index", Id("command_index")),
                ("operation", Text("op")),
                ("block", Id("block_ordinal")),
                ("block index", Id("block_command_ordinal")),
                ("function", Id("function_ordinal")),
                ("executable", Ref("executable_id")),
                ("bindings", Count("binding_count")),
                ("workgroups", Triple("workgroup_count")),
                ("size", Triple("workgroup_size")),
                ("source", Id("source_ordinal")),
                ("source offset", Bytes("source_offset")),
                ("target", Id("target_ordinal")),
                ("target offset", Bytes("target_offset")),
                ("length", Bytes("length")),
                ("target block", Id("target_block_ordinal")),
                ("else block", Id("alternate_block_ordinal")),
                ("flags", Bits("flags")),
                ("name", Text("key")),
            ],
        ),
        table("command_execution", "Executions, timed by the device", EXECUTIONS),
        table(
            "command_host_execution",
            "Executions, timed by the host",
            &[
                ("command buffer", Id("command_buffer_id")),
                ("dispatches", Count("dispatches")),
                ("invalid", Count("invalid")),
                ("span", Ns("span_ns")),
                ("dispatch time", Ns("total_dispatch_ns")),
                ("tiles", Count("total_tile_count")),
                ("tile time", Ns("total_tile_duration_sum_ns")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("submission", Id("submission_id")),
            ],
        ),
    ],
    names: Some(Names { noun: "operation", of: &[("command_operation", "key")] }),
    ids: Some(Names { noun: "command buffer", of: &[("command_buffer", "command_buffer_id")] }),
    family: Some(Family {
        nouns: "command buffers",
        mode: "executable-metadata",
        report: "command_summary",
        columns: &["command_buffers"],
    }),
    notes: &[],
    next: &[Next {
        shows: "The dispatches of one command buffer",
        words: &["command", "--id={}", "--dispatch-events", "--format=jsonl"],
        of: &[("command_buffer", "command_buffer_id")],
    }],
};
