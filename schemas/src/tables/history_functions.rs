//! Times of functions that a history keeps.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `history_functions`.
pub static TABLE: Table = Table {
    name: "history_functions",
    row: "One function in a run of a history, by one clock.",
    source: Source::History,
    repeated: &[],
    fields: &[
        derived("entry", Kind::Text, "Id of the entry.").joins("history_runs.entry"),
        derived("run", Kind::Text, "Label of the run.").joins("history_runs.run"),
        derived("timing_source", Kind::Text, "Clock of the times: `device` or `host`."),
        derived("function", Kind::Text, "Name of the function, or `executable<id>#<ordinal>` if it has none."),
        derived("function_hash", Kind::Text, "Content hash of its code; NULL if it was not recorded."),
        derived("position", Kind::U64, "Its place in the order in which functions first run, from 0."),
        derived("iteration_count", Kind::U64, "Number of iterations in which it runs."),
        derived("dispatch_count", Kind::U64, "Number of its dispatches in them."),
        derived("total_ns", Kind::F64, "Their total duration.").unit(Unit::Ns),
        derived("min_ns", Kind::F64, "Its time in an iteration, the sum of its dispatches: the minimum.").unit(Unit::Ns),
        derived("median_ns", Kind::F64, "The median.").unit(Unit::Ns),
        derived("mean_ns", Kind::F64, "The mean.").unit(Unit::Ns),
        derived("p95_ns", Kind::F64, "The 95th percentile.").unit(Unit::Ns),
    ],
};
