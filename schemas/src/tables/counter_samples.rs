//! Samples of counter sets.

use crate::fields::{command_buffer, command_index, device, executable, flags, function, id, named, queue, stream, submission, tick, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Field, Source, Table, Tail};

/// The chunks that hold the samples.
pub(crate) const FAMILY: Family = Family::fixed(&["counter-samples"], 112).with(Tail::Entries { count: 104, entry: 8 });

/// The fields of a sample, which the long form repeats in each of its rows.
pub const SAMPLE: &[Field] = &[
    flags(4, bits::COUNTER_SAMPLE),
    named("scope", 8, &enums::COUNTER_SAMPLE_SCOPE, "Scope of the sample: a dispatch or a range of time."),
    u64("sample_id", 16, "Id of the sample within the session."),
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
];

/// The declaration of the table `counter_samples`.
pub static TABLE: Table = Table {
    name: "counter_samples",
    row: "One sample of a counter set; its values are rows of `counter_values`.",
    source: Source::Family(FAMILY),
    repeated: SAMPLE,
    fields: &[u32("sample_value_count", 104, "Number of values of the sample.")],
};
