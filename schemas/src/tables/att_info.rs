//! What is wrong with decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_info`.
pub static TABLE: Table = Table {
    name: "att_info",
    row: "One thing that the decoder found to be wrong with a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("info", Kind::Text, "Kind: `data_lost`, `stitch_incomplete` or `wave_incomplete`; NULL for others."),
        derived("info_value", Kind::U32, "Its raw number."),
        derived("message", Kind::Text, "What the decoder says of it."),
    ],
};
