//! Executions of instructions of decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_executions`.
pub static TABLE: Table = Table {
    name: "att_executions",
    row: "One execution of an instruction by a wave of a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("wave", Kind::U64, "The wave.").joins("att_waves.wave"),
        derived("position", Kind::U64, "Number of the execution in the wave, from 0."),
        derived("code_object_id", Kind::U64, "Code object that has the instruction; 0 if it is unknown.").joins("executable_code_objects.code_object_id"),
        derived("pc", Kind::U64, "Its address in the code object; 0 if it is unknown.").joins("att_instructions.pc"),
        derived("category", Kind::Text, "Category, as in `att_instructions`; NULL for others."),
        derived("begin_time", Kind::I64, "Start, in cycles of the shader clock."),
        derived("duration", Kind::I32, "Duration, in cycles of the shader clock; a part of it is stall."),
        derived("stall", Kind::U32, "Time that it waited to be issued, in cycles of the shader clock."),
    ],
};
