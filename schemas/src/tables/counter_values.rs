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
        derived("counter_ordinal", Kind::U32OrOnes, "Ordinal of the counter within the set.").joins("counters.counter_ordinal"),
        derived("block_name", Kind::Text, "Hardware block of the counter."),
        derived("name", Kind::Text, "Name of the counter."),
        derived("unit", Kind::Text, "Unit of the counter."),
        derived("value", Kind::F64, "Sum over the counter's instances; exact up to 2^53."),
        derived("value_count", Kind::U32, "Number of instances summed."),
        derived("value_min", Kind::U64, "Minimum over the instances."),
        derived("value_max", Kind::U64, "Maximum over the instances."),
    ],
};
