//! The relations of `explain`: sums, rankings, bottlenecks, and hints about the quality of the data.

use read::bundle::BundleError;

use crate::fold::explain::{
    device_columns, find, function_columns, longest_columns, memory_columns, operation_columns,
    peak_columns, queue_columns, total_columns, utilization_columns,
};
use crate::fold::{Call, Output, Parameter, Pass, Relation};
use crate::rules::{bottlenecks, hints};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run)
    .taking(&[Parameter::Filter, Parameter::Id, Parameter::Warmup])
    .with_invocations();

static OUTPUTS: &[Output] = &[
    Output::of(
        "explain_totals",
        "Number of records, and of dispatches that match the filter and the event id; one row per bundle.",
        || total_columns().fields(),
    ),
    Output::of("explain_devices", "Utilization of each device by matching dispatches.", || {
        device_columns().fields()
    }),
    Output::of(
        "explain_utilizations",
        "How long matching dispatches ran on each device in each session; overlaps count once.",
        || utilization_columns().fields(),
    ),
    Output::of(
        "explain_queues",
        "Utilization of each queue by matching dispatches, with the gaps between submissions, in order of first occurrence.",
        || queue_columns().fields(),
    ),
    Output::of(
        "explain_functions",
        "The ten functions with the longest total time: on the device, or on the host if the device timed none.",
        || function_columns().fields(),
    ),
    Output::of(
        "explain_dispatches",
        "The eight longest dispatches: on the device, or on the host if the device timed none.",
        || longest_columns().fields(),
    ),
    Output::of(
        "explain_operations",
        "Totals of the queue operations, without regard to the filter; one row per bundle.",
        || operation_columns().fields(),
    ),
    Output::of(
        "explain_memory",
        "Peak memory use of each device, without regard to the filter, in order of first occurrence.",
        || memory_columns().fields(),
    ),
    Output::of(
        "explain_memory_bounds",
        "The most memory that each device used, as its events and its pools tell it, in order of first occurrence.",
        || peak_columns().fields(),
    ),
    Output::of(
        "explain_hints",
        "Hints about missing, damaged or unusual data in the capture.",
        || hints::columns().fields(),
    ),
    Output::of(
        "explain_bottlenecks",
        "Contributors to the total time, with their figures and a query for details.",
        || bottlenecks::columns().fields(),
    ),
];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let found = find(call)?;
    let facts = hints::Facts { records: found.records, found: &found };
    let bottlenecks: Vec<_> =
        bottlenecks::RULES.iter().flat_map(|bottlenecks| bottlenecks(&found)).collect();
    Ok(vec![
        total_columns().relation([&(facts.records, &found)]),
        device_columns().relation(&found.devices()),
        utilization_columns().relation(&found.utilizations()),
        queue_columns().relation(&found.queues()),
        function_columns().relation(&found.functions()),
        longest_columns().relation(&found.longest()),
        operation_columns().relation([&found.operations]),
        memory_columns().relation(&found.memory.devices()),
        peak_columns().relation(&found.memory.peaks()),
        hints::columns().relation(&hints::hints(&facts)),
        bottlenecks::columns().relation(&bottlenecks),
    ])
}
