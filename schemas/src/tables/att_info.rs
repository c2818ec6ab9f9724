//! What is wrong with decoded traces.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `att_info`.
pub static TABLE: Table = Table {
    name: "att_info",
    row: "One thing that the decoder found to be wrong with a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle"),
        derived("session_id", Kind::U64, "Session that recorded the trace.").joins("sessions.session_id"),
        derived("trace_id", Kind::U64, "Id of the trace within the session.").joins("executable_traces.trace_id"),
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.").joins("executable_traces.byte_offset").unit(Unit::Bytes),
        derived("info", Kind::Text, "Kind: `data_lost`, `stitch_incomplete` or `wave_incomplete`; NULL for others."),
        derived("info_value", Kind::U32, "Its raw number."),
        derived("message", Kind::Text, "What the decoder says of it."),
    ],
};
