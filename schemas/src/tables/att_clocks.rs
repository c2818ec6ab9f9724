//! Clocks of decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_clocks`.
pub static TABLE: Table = Table {
    name: "att_clocks",
    row: "One reading of two clocks of the GPU at the same moment of a trace; older decoders have none.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("time", Kind::I64, "The shader clock, in cycles."),
        derived("realtime", Kind::U64, "The real-time clock, in its ticks."),
        derived("realtime_frequency", Kind::U64, "Frequency of the real-time clock, in hertz; NULL if the decoder does not tell."),
    ],
};
