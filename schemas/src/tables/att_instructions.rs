//! Instructions of decoded traces.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `att_instructions`.
pub static TABLE: Table = Table {
    name: "att_instructions",
    row: "One instruction of a trace, with the sums over its executions by all waves.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle"),
        derived("session_id", Kind::U64, "Session that recorded the trace.").joins("sessions.session_id"),
        derived("trace_id", Kind::U64, "Id of the trace within the session.").joins("executable_traces.trace_id"),
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.").joins("executable_traces.byte_offset").unit(Unit::Bytes),
        derived("code_object_id", Kind::U64, "Code object that has the instruction; 0 if it is unknown.").joins("executable_code_objects.code_object_id"),
        derived("pc", Kind::U64, "Its address in the code object."),
        derived("category", Kind::Text, "Its commonest category: `SMEM`, `SALU`, `VMEM`, `FLAT`, `LDS`, `VALU`, `JUMP`, `NEXT`, `IMMED`, `CONTEXT`, `MESSAGE`, `BVH` or `NONE`."),
        derived("hits", Kind::U64, "Number of executions."),
        derived("duration", Kind::U64, "Sum of their durations, in cycles of the shader clock; a part of it is stall."),
        derived("stall", Kind::U64, "Sum of the times that they waited to be issued, in cycles of the shader clock."),
        derived("first_time", Kind::I64, "Start of the first, in cycles of the shader clock."),
        derived("last_time", Kind::I64, "End of the last, in cycles of the shader clock."),
        derived("instruction", Kind::Text, "Disassembled instruction; NULL if it cannot be disassembled."),
    ],
};
