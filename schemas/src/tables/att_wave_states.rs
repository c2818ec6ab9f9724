//! States of waves of decoded traces.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `att_wave_states`.
pub static TABLE: Table = Table {
    name: "att_wave_states",
    row: "One span of a wave of a trace in one state.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle"),
        derived("session_id", Kind::U64, "Session that recorded the trace.").joins("sessions.session_id"),
        derived("trace_id", Kind::U64, "Id of the trace within the session.").joins("executable_traces.trace_id"),
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.").joins("executable_traces.byte_offset").unit(Unit::Bytes),
        derived("wave", Kind::U64, "The wave.").joins("att_waves.wave"),
        derived("position", Kind::U64, "Number of the span in the wave, from 0."),
        derived("state", Kind::Text, "State: `empty`, `idle`, `exec` (an instruction runs), `wait` (for a counter or a barrier) or `stall`; NULL for others."),
        derived("state_value", Kind::I32, "Its raw number."),
        derived("begin_time", Kind::I64, "Start, in cycles of the shader clock: that of the wave and the durations of the spans before."),
        derived("duration", Kind::I32, "Duration, in cycles of the shader clock."),
    ],
};
