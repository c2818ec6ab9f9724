//! The text of `att --list` and `code-objects`.

use super::next::Next;
use super::section::Show::{Bytes, Count, Id, Ref, Text, YesNo};
use super::section::{Form, Section};

/// The command that is suggested below the traces.
pub const NEXT: &[Next] = &[Next {
    shows: "Where the waves of the first one that can be decoded stalled, with ROCm's libraries",
    words: &["att", "--id={}"],
    of: &[(TRACES.report, "trace_id")],
}];

/// The traces of bundles.
pub const TRACES: Section = Section {
    report: "executable_trace",
    form: Form::Table("Instruction traces"),
    columns: &[
        ("trace", Id("trace_id")),
        ("name", Text("key")),
        ("size", Bytes("data_length")),
        ("code objects", Count("code_objects")),
        ("missing", Count("missing_code_objects")),
        ("can be decoded", YesNo("has_code_objects")),
        ("format", Text("format")),
        ("device", Id("physical_device_ordinal")),
        ("shader engine", Id("shader_engine")),
        ("dispatch", Ref("dispatch_event_id")),
        ("executable", Ref("executable_id")),
        ("function", Id("function_ordinal")),
        ("queue", Id("queue_ordinal")),
        ("submission", Ref("submission_id")),
        ("command buffer", Ref("command_buffer_id")),
    ],
};

/// The code objects of bundles.
pub const CODE_OBJECTS: Section = Section {
    report: "code_object",
    form: Form::Table("Code objects"),
    columns: &[
        ("executable", Ref("executable_id")),
        ("code object", Ref("code_object_id")),
        ("size", Bytes("data_length")),
        ("functions", Count("function_count")),
        ("name", Text("key")),
        ("device", Id("physical_device_ordinal")),
        ("load delta", Text("load_delta")),
        ("loaded size", Bytes("load_size")),
        ("hash", Text("code_object_hash")),
    ],
};
