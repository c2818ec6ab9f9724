//! Decoded instruction traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_traces`.
pub static TABLE: Table = Table {
    name: "att_traces",
    row: "One instruction trace, decoded, or with the reason why it could not be.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("gfxip", Kind::U64, "Major version of the graphics core of the GPU; NULL, like all counts, if it was not decoded."),
        derived("waves", Kind::U64, "Number of waves."),
        derived("occupancy", Kind::U64, "Number of starts and ends of waves on the shader engine."),
        derived("instruction_events", Kind::U64, "Number of executions of instructions whose address is known."),
        derived("unique_pcs", Kind::U64, "Number of different addresses of these."),
        derived("info", Kind::U64, "Number of rows of `att_info`."),
        derived("problem", Kind::Text, "Why it could not be decoded; NULL if it was."),
    ],
};
