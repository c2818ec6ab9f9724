//! The layout of `att`.

use crate::layouts::layout::{Each, Layout, facts, table};
use crate::next::always;
use crate::section::Show::{
    Bits, Bytes, Count, Id, Percent, Prose, Ref, Share, Text, Ticks, Triple,
};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: Some(Each { report: "att_trace", column: "byte_offset", noun: "trace" }),
    sections: &[
        facts(
            "att_note",
            &[
                ("! trace", Id("trace_id")),
                ("", Text("info")),
                ("time", Count("count")),
                ("", Prose("message")),
            ],
        ),
        facts(
            "att_trace",
            &[
                ("", Text("key")),
                ("trace", Id("trace_id")),
                ("dispatch", Ref("dispatch_event_id")),
                ("device", Id("physical_device_ordinal")),
                ("workgroups", Triple("workgroup_count")),
                ("each", Triple("workgroup_size")),
            ],
        ),
        facts(
            "att_trace",
            &[
                ("execution", Count("instruction_events")),
                ("instruction", Count("unique_pcs")),
                ("wave", Count("waves")),
                ("size", Bytes("raw_bytes")),
                ("duration", Ticks("duration_ticks")),
            ],
        ),
        table(
            "att_category",
            "Where the cycles went",
            &[
                ("category", Text("category")),
                ("share", Share("duration")),
                ("cycles", Count("duration")),
                ("stall", Count("stall")),
                ("of the stall", Percent("stall_share")),
                ("executions", Count("hits")),
                ("instructions", Count("unique_pcs")),
            ],
        ),
        table(
            "att_run",
            "The worst instructions, with those before and after",
            &[
                ("run", Count("run")),
                ("rank", Ref("rank")),
                ("of the stall", Percent("stall_share")),
                ("stall", Count("stall")),
                ("cycles", Count("duration")),
                ("executions", Count("hits")),
                ("category", Text("category")),
                ("address", Bits("pc")),
                ("instruction", Text("instruction")),
            ],
        ),
    ],
    names: None,
    ids: None,
    family: None,
    notes: &[],
    next: &[
        always("All instructions", &["att", "--format=box", "--rows=att_instruction"]),
        always("The traces, their sizes and code objects", &["att", "--list"]),
    ],
};
