//! States of waves of decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_wave_states`.
pub static TABLE: Table = Table {
    name: "att_wave_states",
    row: "One span of a wave of a trace in one state.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("wave", Kind::U64, "The wave.").joins("att_waves.wave"),
        derived("position", Kind::U64, "Number of the span in the wave, from 0."),
        derived("state", Kind::Text, "State: `empty`, `idle`, `exec` (an instruction runs), `wait` (for a counter or a barrier) or `stall`; NULL for others."),
        derived("state_value", Kind::I32, "Its raw number."),
        derived("begin_time", Kind::I64, "Start, in cycles of the shader clock: that of the wave and the durations of the spans before."),
        derived("duration", Kind::I32, "Duration, in cycles of the shader clock."),
    ],
};
