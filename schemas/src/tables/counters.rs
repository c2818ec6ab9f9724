//! Hardware counters.

use crate::fields::{device, flags, named, ordinal, text, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Table, Tail};

/// The declaration of the table `counters`.
pub static TABLE: Table = Table::family(
    "counters",
    Family::fixed(&["counters"], 48).with(Tail::Texts(&[36, 40, 44])),
    "One counter of a set.",
    &[
        flags(4, bits::COUNTER),
        named("unit", 8, &enums::COUNTER_UNIT, "Unit of the counter."),
        device(12),
        u64("counter_set_id", 16, "Set that the counter belongs to.").joins("counter_sets.counter_set_id"),
        ordinal("counter_ordinal", 24, "Ordinal within the set."),
        u32("sample_value_offset", 28, "Index of the counter's first value within a sample."),
        u32("sample_value_count", 32, "Number of the counter's values within a sample, one per instance of its block."),
        text("block_name", 0, "Hardware block."),
        text("name", 1, "Name of the counter."),
        text("description", 2, "Description of the counter."),
    ],
);
