//! Decoded instruction traces.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `att_traces`.
pub static TABLE: Table = Table {
    name: "att_traces",
    row: "One instruction trace, decoded, or with the reason why it could not be.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle"),
        derived("session_id", Kind::U64, "Session that recorded the trace.").joins("sessions.session_id"),
        derived("trace_id", Kind::U64, "Id of the trace within the session.").joins("executable_traces.trace_id"),
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.").joins("executable_traces.byte_offset").unit(Unit::Bytes),
        derived("gfxip", Kind::U64, "Major version of the graphics core of the GPU; NULL, like all counts, if it was not decoded."),
        derived("waves", Kind::U64, "Number of waves."),
        derived("occupancy", Kind::U64, "Number of starts and ends of waves on the shader engine."),
        derived("instruction_events", Kind::U64, "Number of executions of instructions whose address is known."),
        derived("unique_pcs", Kind::U64, "Number of different addresses of these."),
        derived("info", Kind::U64, "Number of rows of `att_info`."),
        derived("problem", Kind::Text, "Why it could not be decoded; NULL if it was."),
    ],
};
