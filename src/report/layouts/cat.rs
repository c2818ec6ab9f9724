//! The layout of `cat`.

use crate::report::layouts::layout::{Layout, section};
use crate::report::section::Form::{Facts, Table};
use crate::report::section::Show::{Bits, Bytes, Id, Ref, Text};
use crate::report::section::column as c;

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "cat",
    sections: &[
        section(
            "file",
            "",
            Facts,
            &[
                c("magic", Text("magic")),
                c("version", Id("version_major")),
                c("minor version", Id("version_minor")),
                c("header size", Bytes("header_length")),
            ],
        ),
        section(
            "record",
            "Records",
            Table,
            &[
                c("record", Id("index")),
                c("type", Text("record_type")),
                c("payload", Bytes("payload_length")),
                c("size", Bytes("record_length")),
                c("session", Id("session_id")),
                c("stream", Id("stream_id")),
                c("event", Ref("event_id")),
                c("executable", Ref("executable_id")),
                c("command buffer", Ref("command_buffer_id")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("flags", Bits("chunk_flags")),
                c("status", Text("session_status")),
                c("name", Text("name")),
                c("content", Text("content_type")),
            ],
        ),
    ],
    next: "Rows of a table: ireescope sql -c 'SELECT * FROM dispatch_events' BUNDLE; all tables: ireescope tables",
};
