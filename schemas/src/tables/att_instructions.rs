//! Instructions of decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_instructions`.
pub static TABLE: Table = Table {
    name: "att_instructions",
    row: "One instruction of a trace, with the sums over its executions by all waves.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
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
