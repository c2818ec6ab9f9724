//! The layout of `counter`.

use crate::report::layouts::layout::{Layout, section};
use crate::report::section::Form::{Facts, Table};
use crate::report::section::Show::{Bits, Count, Id, Number, Ref, Said, Text};
use crate::report::section::column as c;

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "counter",
    sections: &[
        section(
            "counter_summary",
            "",
            Facts,
            &[
                c("counter sample", Count("total_samples")),
                c("match", Said("matched_samples")),
                c("in truncated chunks", Said("truncated_matched_samples")),
                c("set", Count("counter_sets")),
                c("counter", Count("counters")),
                c("group", Count("aggregate_groups")),
                c("filter", Text("filter")),
            ],
        ),
        section(
            "counter_set",
            "Sets",
            Table,
            &[
                c("set", Id("counter_set_id")),
                c("device", Id("physical_device_ordinal")),
                c("counters", Count("counter_count")),
                c("values per sample", Count("sample_value_count")),
                c("flags", Bits("flags")),
                c("name", Text("name")),
            ],
        ),
        section(
            "counter",
            "Counters",
            Table,
            &[
                c("set", Id("counter_set_id")),
                c("counter", Id("counter_ordinal")),
                c("device", Id("physical_device_ordinal")),
                c("value offset", Count("sample_value_offset")),
                c("values", Count("sample_value_count")),
                c("flags", Bits("flags")),
                c("unit", Text("unit")),
                c("block", Text("block")),
                c("name", Text("name")),
                c("description", Text("description")),
            ],
        ),
        section(
            "counter_group",
            "Aggregated samples",
            Table,
            &[
                c("samples", Count("samples")),
                c("values", Count("raw_values")),
                c("sum", Number("sum")),
                c("mean", Number("avg")),
                c("deviation", Number("stddev")),
                c("min", Number("min")),
                c("max", Number("max")),
                c("unit", Text("unit")),
                c("block", Text("block")),
                c("counter", Text("counter")),
                c("set", Text("counter_set")),
                c("scope", Text("scope")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("stream", Id("stream_id")),
                c("command buffer", Ref("command_buffer_id")),
                c("function", Id("function_ordinal")),
                c("executable", Ref("executable_id")),
                c("first sample", Id("first_sample_id")),
                c("last", Id("last_sample_id")),
                c("name", Text("key")),
            ],
        ),
    ],
    next: "All samples: ireescope counter --counter-samples --format=jsonl BUNDLE",
};
