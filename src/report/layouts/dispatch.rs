//! The layout of `dispatch`.

use crate::layouts::layout::{DISPATCHES, FUNCTIONS, Layout, facts, ranked, time};
use crate::next::Next;
use crate::section::Show::{Count, Id, Ns, Said, Share, Text, Triple};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "dispatch_summary",
            &[
                ("dispatch timed by the device", Count("total_dispatches")),
                ("match", Said("matched_dispatches")),
                ("invalid", Said("invalid_dispatches")),
                ("group", Count("aggregate_groups")),
                ("dispatch timed by the host", Count("total_host_dispatches")),
                ("match", Said("matched_host_dispatches")),
                ("invalid", Said("invalid_host_dispatches")),
                ("group", Count("host_aggregate_groups")),
                ("filter", Text("filter")),
            ],
        ),
        ranked(
            "dispatch_group",
            "Functions, timed by the device",
            &["total_ns", "total_ticks"],
            &[
                ("share", Share("total_ticks")),
                ("total", time("total_ns", "total_ticks")),
                ("count", Count("count")),
                ("invalid", Count("invalid")),
                ("mean", time("avg_ns", "avg_ticks")),
                ("deviation", time("stddev_ns", "stddev_ticks")),
                ("min", time("min_ns", "min_ticks")),
                ("max", time("max_ns", "max_ticks")),
                ("device", Id("physical_device_ordinal")),
                ("function", Id("function_ordinal")),
                ("executable", Id("executable_id")),
                ("workgroups", Triple("last_workgroup_count")),
                ("size", Triple("last_workgroup_size")),
                ("name", Text("key")),
            ],
        ),
        ranked(
            "host_dispatch_group",
            "Functions, timed by the host",
            &["total_ns"],
            &[
                ("share", Share("total_ns")),
                ("total", Ns("total_ns")),
                ("count", Count("count")),
                ("invalid", Count("invalid")),
                ("mean", Ns("avg_ns")),
                ("deviation", Ns("stddev_ns")),
                ("min", Ns("min_ns")),
                ("max", Ns("max_ns")),
                ("tiles", Count("total_tile_count")),
                ("tile time", Ns("total_tile_duration_sum_ns")),
                ("device", Id("physical_device_ordinal")),
                ("function", Id("function_ordinal")),
                ("executable", Id("executable_id")),
                ("workgroups", Triple("last_workgroup_count")),
                ("size", Triple("last_workgroup_size")),
                ("name", Text("key")),
            ],
        ),
    ],
    names: Some(FUNCTIONS),
    ids: Some(DISPATCHES),
    family: None,
    notes: &[],
    next: &[Next {
        shows: "All dispatches of one function",
        words: &["dispatch", "--dispatch-events", "--format=jsonl", "--filter={}"],
        of: &[("dispatch_group", "key"), ("host_dispatch_group", "key")],
    }],
};
