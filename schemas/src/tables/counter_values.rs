//! Counter samples in long form.

use super::counter_samples;
use crate::fields::derived;
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `counter_values`.
pub static TABLE: Table = Table {
    name: "counter_values",
    row: "One counter in one sample.",
    source: Source::CounterValues(counter_samples::FAMILY),
    repeated: counter_samples::SAMPLE,
    fields: &[
        derived("counter_ordinal", Kind::U32OrOnes, "Counter within the set.").joins("counters.counter_ordinal"),
        derived("block_name", Kind::Text, "Hardware block of the counter."),
        derived("name", Kind::Text, "Name of the counter."),
        derived("unit", Kind::Text, "What the counter counts."),
        derived("value", Kind::F64, "Sum over the counter's instances; exact up to 2^53."),
        derived("value_count", Kind::U32, "Instances summed."),
        derived("value_min", Kind::U64, "Smallest instance."),
        derived("value_max", Kind::U64, "Largest instance."),
    ],
};
