//! The layout of `dispatch`.

use crate::report::layouts::layout::{Layout, section, time};
use crate::report::section::Form::{Facts, Ranked};
use crate::report::section::Show::{Count, Id, Ns, Said, Share, Text, Triple};
use crate::report::section::column as c;

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "dispatch",
    sections: &[
        section(
            "dispatch_summary",
            "",
            Facts,
            &[
                c("dispatch timed by the device", Count("total_dispatches")),
                c("match", Said("matched_dispatches")),
                c("invalid", Said("invalid_dispatches")),
                c("group", Count("aggregate_groups")),
                c("dispatch timed by the host", Count("total_host_dispatches")),
                c("match", Said("matched_host_dispatches")),
                c("invalid", Said("invalid_host_dispatches")),
                c("group", Count("host_aggregate_groups")),
                c("filter", Text("filter")),
            ],
        ),
        section(
            "dispatch_group",
            "Functions, timed by the device",
            Ranked("total_ticks"),
            &[
                c("share", Share("total_ticks")),
                c("total", time("total_ns", "total_ticks")),
                c("count", Count("count")),
                c("invalid", Count("invalid")),
                c("mean", time("avg_ns", "avg_ticks")),
                c("deviation", time("stddev_ns", "stddev_ticks")),
                c("min", time("min_ns", "min_ticks")),
                c("max", time("max_ns", "max_ticks")),
                c("device", Id("physical_device_ordinal")),
                c("function", Id("function_ordinal")),
                c("executable", Id("executable_id")),
                c("workgroups", Triple("last_workgroup_count")),
                c("size", Triple("last_workgroup_size")),
                c("name", Text("key")),
            ],
        ),
        section(
            "host_dispatch_group",
            "Functions, timed by the host",
            Ranked("total_ns"),
            &[
                c("share", Share("total_ns")),
                c("total", Ns("total_ns")),
                c("count", Count("count")),
                c("invalid", Count("invalid")),
                c("mean", Ns("avg_ns")),
                c("deviation", Ns("stddev_ns")),
                c("min", Ns("min_ns")),
                c("max", Ns("max_ns")),
                c("tiles", Count("total_tile_count")),
                c("tile time", Ns("total_tile_duration_sum_ns")),
                c("device", Id("physical_device_ordinal")),
                c("function", Id("function_ordinal")),
                c("executable", Id("executable_id")),
                c("workgroups", Triple("last_workgroup_count")),
                c("size", Triple("last_workgroup_size")),
                c("name", Text("key")),
            ],
        ),
    ],
    next: "All dispatches of one function: ireescope dispatch --dispatch-events --format=jsonl --filter='*NAME*' BUNDLE",
};
