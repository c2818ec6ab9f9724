//! The layout of `statistics`.

use crate::report::layouts::layout::{Layout, section};
use crate::report::section::Form::{Facts, Table};
use crate::report::section::Show::{Bytes, Count, Id, Ns, Ref, Share, Text};
use crate::report::section::column as c;

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "statistics",
    sections: &[
        section(
            "statistics_summary",
            "",
            Facts,
            &[c("row", Count("row_count")), c("dropped record", Count("dropped_record_count"))],
        ),
        section(
            "statistics_row",
            "Totals",
            Table,
            &[
                c("kind", Text("row_type")),
                c("type", Text("event_name")),
                c("count", Count("sample_count")),
                c("invalid", Count("invalid_sample_count")),
                c("total", Ns("total_duration_ns")),
                c("min", Ns("minimum_duration_ns")),
                c("max", Ns("maximum_duration_ns")),
                c("total", Count("total_duration")),
                c("min", Count("minimum_duration")),
                c("max", Count("maximum_duration")),
                c("unit", Text("duration_unit")),
                c("share", Share("total_duration_ns")),
                c("operations", Count("operation_count")),
                c("bytes", Bytes("payload_bytes")),
                c("tiles", Count("tile_count")),
                c("tile time", Ns("tile_duration_sum_ns")),
                c("device", Id("physical_device_ordinal")),
                c("queue", Id("queue_ordinal")),
                c("command buffer", Ref("command_buffer_id")),
                c("index", Id("command_index")),
                c("function", Id("function_ordinal")),
                c("executable", Ref("executable_id")),
                c("name", Text("function_name")),
            ],
        ),
    ],
    next: "Rows of one kind: ireescope sql -c \"SELECT * FROM report.statistics_row WHERE row_type = 'dispatch_function'\" BUNDLE",
};
