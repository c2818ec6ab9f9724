//! The layout of `att`.

use crate::report::layouts::layout::{Layout, table};
use crate::report::next::always;
use crate::report::section::Show::{
    Bits, Bytes, Count, Id, Percent, Prose, Ref, Share, Text, Ticks, Triple,
};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    sections: &[
        table(
            "att_note",
            "Not all was traced",
            &[
                ("trace", Id("trace_id")),
                ("what", Text("info")),
                ("count", Count("count")),
                ("message", Prose("message")),
            ],
        ),
        table(
            "att_trace",
            "Instruction traces",
            &[
                ("trace", Id("trace_id")),
                ("name", Text("key")),
                ("waves", Count("waves")),
                ("executions", Count("instruction_events")),
                ("instructions", Count("unique_pcs")),
                ("size", Bytes("raw_bytes")),
                ("workgroups", Triple("workgroup_count")),
                ("workgroup", Triple("workgroup_size")),
                ("duration", Ticks("duration_ticks")),
                ("device", Id("physical_device_ordinal")),
                ("dispatch", Ref("dispatch_event_id")),
                ("executable", Ref("executable_id")),
                ("function", Id("function_ordinal")),
                ("gfxip", Count("gfxip")),
            ],
        ),
        table(
            "att_category",
            "Where the cycles went",
            &[
                ("trace", Id("trace_id")),
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
            "Where waves stalled the most, with the instructions before and after",
            &[
                ("trace", Id("trace_id")),
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
    next: &[
        always("All instructions", &["att", "--format=box", "--rows=att_instruction"]),
        always("The traces, their sizes and code objects", &["att", "--list"]),
    ],
};
