//! Sets of hardware counters that were sampled together.

use crate::fields::{device, flags, text, u32, u64};
use crate::spec::{Family, Table, Tail};

/// The declaration of the table `counter_sets`.
pub static TABLE: Table = Table::family(
    "counter_sets",
    Family::fixed(&["counter-sets"], 32).with(Tail::Texts(&[28])),
    "One set of counters.",
    &[
        flags(4, &[]),
        u64("counter_set_id", 8, "Id of the counter set within the session."),
        device(16),
        u32("counter_count", 20, "Number of counters of the set."),
        u32("sample_value_count", 24, "Number of values per sample of the set."),
        text("name", 0, "Name of the set."),
    ],
);
