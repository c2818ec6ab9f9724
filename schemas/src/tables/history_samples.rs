//! Times of functions in single iterations that a history keeps.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `history_samples`.
pub static TABLE: Table = Table {
    name: "history_samples",
    row: "One function in one iteration of a run of a history, by one clock. At most 64 iterations of a run are kept, evenly spread; `ireescope history check` compares them.",
    source: Source::History,
    repeated: &[],
    fields: &[
        derived("entry", Kind::Text, "Id of the entry.").joins("history_runs.entry"),
        derived("run", Kind::Text, "Label of the run.").joins("history_runs.run"),
        derived("timing_source", Kind::Text, "Clock of the times: `device` or `host`."),
        derived("iteration", Kind::U64, "The invocation; NULL if the run has none."),
        derived("function", Kind::Text, "Name of the function.").joins("history_functions.function"),
        derived("function_hash", Kind::Text, "Content hash of its code; NULL if it was not recorded."),
        derived("dispatch_count", Kind::U64, "Number of its dispatches in the iteration."),
        derived("total_ns", Kind::F64, "Their total duration; NULL if none of them has valid times.").unit(Unit::Ns),
        derived("workgroup_count", Kind::F64, "Mean number of workgroups of a dispatch; NULL if it was not recorded."),
        derived("binding_count", Kind::U64, "Number of buffer bindings that a dispatch passes; NULL if it was not recorded."),
        derived("constant_count", Kind::U64, "Number of constants that a dispatch passes; NULL if it was not recorded."),
    ],
};
