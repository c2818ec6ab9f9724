//! Where the time went, what held it up, and how far that can be trusted: the relations that `explain` prints.

use crate::bundle::BundleError;
use crate::fold::explain::{
    device_columns, find, function_columns, longest_columns, memory_columns, operation_columns,
    queue_columns, total_columns,
};
use crate::fold::summary::file_records;
use crate::fold::{Call, Output, Parameter, Pass, Relation};
use crate::rules::{bottlenecks, hints};

const ARGUMENTS: &[Parameter] = &[Parameter::Filter, Parameter::Id];

/// The pass.
pub static PASS: Pass = Pass::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[
    Output::of(
        "explain_totals",
        "How many records there are, and how many dispatches match by name and event; one row a bundle.",
        || total_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_devices",
        "How busy each device was with matching dispatches.",
        || device_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_queues",
        "How busy each queue was with matching dispatches, and the gaps between them, in order of appearance.",
        || queue_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_functions",
        "The ten functions that took the longest in all: of the device, or of the host where the device timed none.",
        || function_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_dispatches",
        "The eight longest dispatches: of the device, or of the host where the device timed none.",
        || longest_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_operations",
        "What the queues were asked to do, whatever matches; one row a bundle.",
        || operation_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_memory",
        "The most memory that each device had in use, whatever matches, in order of appearance.",
        || memory_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_hints",
        "What is missing, damaged or odd about the capture.",
        || hints::columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_bottlenecks",
        "What took the time, with its figures and the query that shows more of it.",
        || bottlenecks::columns().fields(),
    )
    .taking(ARGUMENTS),
];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let found = find(call)?;
    let facts = hints::Facts { records: file_records(call.bundle), found: &found };
    let bottlenecks: Vec<_> =
        bottlenecks::RULES.iter().flat_map(|bottlenecks| bottlenecks(&found)).collect();
    Ok(vec![
        total_columns().relation([&(facts.records, &found)]),
        device_columns().relation(&found.devices()),
        queue_columns().relation(&found.queues()),
        function_columns().relation(&found.functions()),
        longest_columns().relation(&found.longest()),
        operation_columns().relation([&found.operations]),
        memory_columns().relation(&found.memory.devices()),
        hints::columns().relation(&hints::hints(&facts)),
        bottlenecks::columns().relation(&bottlenecks),
    ])
}
