//! Counter samples in long form.

use crate::fields::{command_buffer, command_index, derived, device, executable, flags, function, id, named, queue, stream, submission, tick, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Kind, Source, Table, Tail};

/// The declaration.
pub static TABLE: Table = Table {
    name: "counter_values",
    row: "One counter in one sample.",
    source: Source::CounterValues(Family::fixed(&["counter-samples"], 112).with(Tail::Entries { count: 104, entry: 8 })),
    fields: &[
        flags(4, &bits::COUNTER_SAMPLE),
        named("scope", 8, &enums::COUNTER_SAMPLE_SCOPE, "What the sample spans."),
        u64("sample_id", 16, "Sample within the session."),
        u64("counter_set_id", 24, "Set that was sampled.").joins("counter_sets.counter_set_id"),
        id("dispatch_event_id", 32, "Dispatch that was sampled.").joins("dispatch_events.event_id"),
        submission(40),
        command_buffer(48),
        executable(56),
        stream(64),
        tick("start_tick", 72, "Device tick at the start of the sample."),
        tick("end_tick", 80, "Device tick at the end of the sample."),
        command_index(88),
        function(92),
        device(96),
        queue(100),
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
