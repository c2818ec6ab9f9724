//! The layout of `cat`.

use crate::layouts::layout::{Layout, facts, table};
use crate::next::always;
use crate::section::Show::{Bits, Bytes, Id, Ref, Text};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "file",
            &[
                ("magic", Text("magic")),
                ("version", Id("version_major")),
                ("minor version", Id("version_minor")),
                ("header size", Bytes("header_length")),
            ],
        ),
        table(
            "record",
            "Records",
            &[
                ("record", Id("index")),
                ("type", Text("record_type")),
                ("payload", Bytes("payload_length")),
                ("size", Bytes("record_length")),
                ("session", Id("session_id")),
                ("stream", Id("stream_id")),
                ("event", Ref("event_id")),
                ("executable", Ref("executable_id")),
                ("command buffer", Ref("command_buffer_id")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("flags", Bits("chunk_flags")),
                ("status", Text("session_status")),
                ("name", Text("name")),
                ("content", Text("content_type")),
            ],
        ),
    ],
    names: None,
    ids: None,
    family: None,
    notes: &[],
    next: &[always("The rows of a table", &["sql", "-c", "FROM dispatch_events"])],
};
