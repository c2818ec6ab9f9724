//! Waves of decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_waves`.
pub static TABLE: Table = Table {
    name: "att_waves",
    row: "One wave of a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("wave", Kind::U64, "Number of the wave in the trace, from 0."),
        derived("cu", Kind::U32, "Compute unit (gfx9) or workgroup processor (later)."),
        derived("simd", Kind::U32, "SIMD within it."),
        derived("slot", Kind::U32, "Slot within the SIMD."),
        derived("contexts", Kind::U32, "Number of times that the context was switched."),
        derived("begin_time", Kind::I64, "Start, in cycles of the shader clock."),
        derived("end_time", Kind::I64, "End, in cycles of the shader clock."),
        derived("instruction_events", Kind::U64, "Number of executed instructions."),
    ],
};
