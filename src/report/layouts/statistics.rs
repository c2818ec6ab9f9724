//! The layout of `statistics`.

use crate::layouts::layout::{Layout, facts, table};
use crate::next::always;
use crate::section::Show::{Bytes, Count, Id, Ns, Ref, Share, Text};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "statistics_summary",
            &[("row", Count("row_count")), ("dropped record", Count("dropped_record_count"))],
        ),
        table(
            "statistics_row",
            "Totals",
            &[
                ("kind", Text("row_type")),
                ("type", Text("event_name")),
                ("count", Count("sample_count")),
                ("invalid", Count("invalid_sample_count")),
                ("total", Ns("total_duration_ns")),
                ("min", Ns("minimum_duration_ns")),
                ("max", Ns("maximum_duration_ns")),
                ("total", Count("total_duration")),
                ("min", Count("minimum_duration")),
                ("max", Count("maximum_duration")),
                ("unit", Text("duration_unit")),
                ("share", Share("total_duration_ns")),
                ("operations", Count("operation_count")),
                ("bytes", Bytes("payload_bytes")),
                ("tiles", Count("tile_count")),
                ("tile time", Ns("tile_duration_sum_ns")),
                ("device", Id("physical_device_ordinal")),
                ("queue", Id("queue_ordinal")),
                ("command buffer", Ref("command_buffer_id")),
                ("index", Id("command_index")),
                ("function", Id("function_ordinal")),
                ("executable", Ref("executable_id")),
                ("name", Text("function_name")),
            ],
        ),
    ],
    names: None,
    ids: None,
    family: None,
    notes: &[],
    next: &[always("The rows as a table", &["sql", "-c", "FROM report.statistics_row"])],
};
