//! The layout of `executable`.

use crate::report::layouts::layout::{Layout, MATCHED, section, time};
use crate::report::section::Form::{Facts, Ranked, Table};
use crate::report::section::Show::{Bits, Count, Id, Ns, Share, Text, Triple};
use crate::report::section::column as c;

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    command: "executable",
    sections: &[
        section(
            "executable_summary",
            "",
            Facts,
            &[c("executable", Count("executables")), c("function", Count("functions"))],
        ),
        section("executable_summary", "", Facts, MATCHED),
        section(
            "executable",
            "Executables",
            Table,
            &[
                c("executable", Id("executable_id")),
                c("functions", Count("function_count")),
                c("flags", Bits("flags")),
                c("code object hash", Text("code_object_hash")),
            ],
        ),
        section(
            "executable_function",
            "Functions",
            Table,
            &[
                c("executable", Id("executable_id")),
                c("function", Id("function_ordinal")),
                c("constants", Count("constant_count")),
                c("bindings", Count("binding_count")),
                c("parameters", Count("parameter_count")),
                c("workgroup", Triple("workgroup_size")),
                c("flags", Bits("flags")),
                c("name", Text("key")),
                c("hash", Text("function_hash")),
            ],
        ),
        section(
            "executable_function_dispatch_group",
            "Dispatches, timed by the device",
            Ranked("total_ticks"),
            &[
                c("share", Share("total_ticks")),
                c("total", time("total_ns", "total_ticks")),
                c("dispatches", Count("dispatches")),
                c("invalid", Count("invalid")),
                c("mean", time("avg_ns", "avg_ticks")),
                c("min", time("min_ns", "min_ticks")),
                c("max", time("max_ns", "max_ticks")),
                c("device", Id("physical_device_ordinal")),
                c("function", Id("function_ordinal")),
                c("executable", Id("executable_id")),
                c("name", Text("key")),
            ],
        ),
        section(
            "executable_function_host_dispatch_group",
            "Dispatches, timed by the host",
            Ranked("total_ns"),
            &[
                c("share", Share("total_ns")),
                c("total", Ns("total_ns")),
                c("dispatches", Count("dispatches")),
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
                c("name", Text("key")),
            ],
        ),
    ],
    next: "One executable: ireescope executable --id=N BUNDLE",
};
