//! Waves of decoded traces.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `att_waves`.
pub static TABLE: Table = Table {
    name: "att_waves",
    row: "One wave of a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle"),
        derived("session_id", Kind::U64, "Session that recorded the trace.").joins("sessions.session_id"),
        derived("trace_id", Kind::U64, "Id of the trace within the session.").joins("executable_traces.trace_id"),
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.").joins("executable_traces.byte_offset").unit(Unit::Bytes),
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
