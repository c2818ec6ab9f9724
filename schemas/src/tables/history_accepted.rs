//! Entries of a history that were accepted as baselines.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `history_accepted`.
pub static TABLE: Table = Table {
    name: "history_accepted",
    row: "One entry of a history that `ireescope history accept` has made the baseline of a branch. The last one counts.",
    source: Source::History,
    repeated: &[],
    fields: &[
        derived("branch", Kind::Text, "The branch."),
        derived("entry", Kind::Text, "Id of the entry.").joins("history_runs.entry"),
        derived("time", Kind::Text, "When it was accepted (RFC 3339)."),
        derived("addition", Kind::U64, "Which acceptance of the history it was, counted from 1; it orders those of one time. NULL in older files."),
    ],
};
