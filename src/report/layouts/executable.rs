//! The layout of `executable`.

use crate::layouts::layout::{Family, Layout, MATCHED, Names, facts, ranked, table, time};
use crate::next::Next;
use crate::section::Show::{Bits, Count, Id, Ns, Share, Text, Triple};

/// The layout of the command.
pub const LAYOUT: Layout = Layout {
    each: None,
    sections: &[
        facts(
            "executable_summary",
            &[("executable", Count("executables")), ("function", Count("functions"))],
        ),
        facts("executable_summary", MATCHED),
        table(
            "executable",
            "Executables",
            &[
                ("executable", Id("executable_id")),
                ("functions", Count("function_count")),
                ("flags", Bits("flags")),
                ("code object hash", Text("code_object_hash")),
            ],
        ),
        table(
            "executable_function",
            "Functions",
            &[
                ("executable", Id("executable_id")),
                ("function", Id("function_ordinal")),
                ("constants", Count("constant_count")),
                ("bindings", Count("binding_count")),
                ("parameters", Count("parameter_count")),
                ("workgroup", Triple("workgroup_size")),
                ("flags", Bits("flags")),
                ("name", Text("key")),
                ("hash", Text("function_hash")),
            ],
        ),
        ranked(
            "executable_function_dispatch_group",
            "Dispatches, timed by the device",
            &["total_ns", "total_ticks"],
            &[
                ("share", Share("total_ticks")),
                ("total", time("total_ns", "total_ticks")),
                ("dispatches", Count("dispatches")),
                ("invalid", Count("invalid")),
                ("mean", time("avg_ns", "avg_ticks")),
                ("min", time("min_ns", "min_ticks")),
                ("max", time("max_ns", "max_ticks")),
                ("device", Id("physical_device_ordinal")),
                ("function", Id("function_ordinal")),
                ("executable", Id("executable_id")),
                ("name", Text("key")),
            ],
        ),
        ranked(
            "executable_function_host_dispatch_group",
            "Dispatches, timed by the host",
            &["total_ns"],
            &[
                ("share", Share("total_ns")),
                ("total", Ns("total_ns")),
                ("dispatches", Count("dispatches")),
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
                ("name", Text("key")),
            ],
        ),
    ],
    names: Some(Names {
        noun: "function",
        of: &[
            ("executable_function_dispatch_group", "key"),
            ("executable_function_host_dispatch_group", "key"),
        ],
    }),
    ids: Some(Names { noun: "executable", of: &[("executable", "executable_id")] }),
    family: Some(Family {
        nouns: "executables",
        mode: "executable-metadata",
        report: "executable_summary",
        columns: &["executables", "matched_dispatches", "matched_host_dispatches"],
    }),
    notes: &[],
    next: &[Next {
        shows: "One executable",
        words: &["executable", "--id={}"],
        of: &[("executable", "executable_id")],
    }],
};
