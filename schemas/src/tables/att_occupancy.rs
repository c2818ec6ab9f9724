//! Starts and ends of waves in decoded traces.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `att_occupancy`.
pub static TABLE: Table = Table {
    name: "att_occupancy",
    row: "One start or end of a wave on the shader engine of a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle"),
        derived("session_id", Kind::U64, "Session that recorded the trace.").joins("sessions.session_id"),
        derived("trace_id", Kind::U64, "Id of the trace within the session.").joins("executable_traces.trace_id"),
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.").joins("executable_traces.byte_offset").unit(Unit::Bytes),
        derived("time", Kind::U64, "When it happened, in cycles of the shader clock."),
        derived("cu", Kind::U32, "Compute unit (gfx9) or workgroup processor (later)."),
        derived("simd", Kind::U32, "SIMD within it."),
        derived("slot", Kind::U32, "Slot within the SIMD."),
        derived("is_start", Kind::Bool, "True for a start."),
        derived("code_object_id", Kind::U64, "Code object of the function; 0 if it is unknown.").joins("executable_code_objects.code_object_id"),
        derived("pc", Kind::U64, "Address of the function in the code object."),
    ],
};
