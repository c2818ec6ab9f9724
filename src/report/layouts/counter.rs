//! The layout of `counter`.

use crate::layouts::layout::{Family, Layout, Names, facts, table};
use crate::next::always;
use crate::section::Show::{Bits, Count, Id, Number, Ref, Said, Text};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "counter_summary",
            &[
                ("counter sample", Count("total_samples")),
                ("match", Said("matched_samples")),
                ("in truncated chunks", Said("truncated_matched_samples")),
                ("set", Count("counter_sets")),
                ("counter", Count("counters")),
                ("group", Count("aggregate_groups")),
                ("filter", Text("filter")),
            ],
        ),
        table(
            "counter_set",
            "Sets",
            &[
                ("set", Id("counter_set_id")),
                ("device", Id("physical_device_ordinal")),
                ("counters", Count("counter_count")),
                ("values per sample", Count("sample_value_count")),
                ("flags", Bits("flags")),
                ("name", Text("name")),
            ],
        ),
        table(
            "counter",
            "Counters",
            &[
                ("set", Id("counter_set_id")),
                ("counter", Id("counter_ordinal")),
                ("device", Id("physical_device_ordinal")),
                ("value offset", Count("sample_value_offset")),
                ("values", Count("sample_value_count")),
                ("flags", Bits("flags")),
                ("unit", Text("unit")),
                ("block", Text("block")),
                ("name", Text("name")),
                ("description", Text("description")),
            ],
        ),
        table(
            "counter_group",
            "Aggregated samples",
            &[
                ("samples", Count("samples")),
                ("values", Count("raw_values")),
                ("sum", Number("sum")),
                ("mean", Number("avg")),
                ("deviation", Number("stddev")),
                ("min", Number("min")),
                ("max", Number("max")),
                ("unit", Text("unit")),
                ("block", Text("block")),
                ("counter", Text("counter")),
                ("set", Text("counter_set")),
                ("scope", Text("scope")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("stream", Id("stream_id")),
                ("command buffer", Ref("command_buffer_id")),
                ("function", Id("function_ordinal")),
                ("executable", Ref("executable_id")),
                ("first sample", Id("first_sample_id")),
                ("last", Id("last_sample_id")),
                ("name", Text("key")),
            ],
        ),
    ],
    names: Some(Names { noun: "counter", of: &[("counter_group", "counter")] }),
    ids: None,
    family: Some(Family {
        nouns: "counter samples",
        mode: "counters",
        report: "counter_summary",
        columns: &["total_samples"],
    }),
    notes: &[],
    next: &[always("All samples", &["counter", "--counter-samples", "--format=jsonl"])],
};
