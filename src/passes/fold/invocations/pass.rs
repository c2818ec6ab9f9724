//! The relations of invocations and of their readings.

use read::bundle::BundleError;

use crate::fold::invocations::invocation::{Counted, Invocation, Invocations};
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{Columns, Relation};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata().with_invocations();

static OUTPUTS: &[Output] = &[
    Output::of("detected_invocations", "The invocations of a bundle.", || invocations().fields()),
    Output::of(
        "detected_readings",
        "The ways to divide the dispatches of a bundle into invocations, the best one first.",
        || readings().fields(),
    ),
];

#[expect(clippy::unnecessary_wraps, reason = "the signature of passes")]
fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let found = call.invocations;
    let rows: Vec<Row<'_>> = found.all.iter().map(|invocation| (found, invocation)).collect();
    let counted: Vec<(u64, &Counted)> = (1..).zip(&found.readings).collect();
    Ok(vec![invocations().relation(&rows), readings().relation(&counted)])
}

type Row<'a> = (&'a Invocations, &'a Invocation);

fn invocations<'a>() -> Columns<Row<'a>> {
    Columns::<Row<'a>>::new()
        .optional_number("session_id", |row| row.1.devices(row.0)?.session_id)
        .optional_text("timing_source", |row| Some(row.1.devices(row.0)?.timing_source))
        .word("physical_device_ordinal", |row| row.1.devices(row.0)?.device)
        .optional_text("devices", |row| Some(&row.1.devices(row.0)?.names))
        .number("invocation", |(_, row)| row.number)
        .number("kind", |(_, row)| row.kind)
        .text("method", |(found, _)| found.readings.first().map_or("", |it| it.method))
        .float("confidence", |(found, _)| found.readings.first().map_or(0.0, confidence))
        .optional_signed("start_ns", |(_, row)| row.times.start_ns)
        .optional_signed("end_ns", |(_, row)| row.times.end_ns)
        .optional_signed("busy_ns", |(_, row)| row.times.busy_ns)
        .number("dispatch_count", |(_, row)| row.dispatch_count)
        .number("invalid_count", |(_, row)| row.invalid_count)
        .number("submission_count", |(_, row)| row.submission_count)
        .flag("is_warmup", |(_, row)| row.is_warm_up)
}

fn readings<'a>() -> Columns<(u64, &'a Counted)> {
    Columns::<(u64, &'a Counted)>::new()
        .number("reading", |(nth, _)| *nth)
        .text("method", |(_, row)| row.method)
        .number("invocation_count", |(_, row)| row.count)
        .float("confidence", |(_, row)| confidence(row))
        .float("waits", |(_, row)| thousandths(row.weights.waits))
        .float("host", |(_, row)| thousandths(row.weights.host))
        .float("lifetimes", |(_, row)| thousandths(row.weights.lifetimes))
        .float("modules", |(_, row)| thousandths(row.weights.modules))
        .float("names", |(_, row)| thousandths(row.weights.names))
        .float("readback", |(_, row)| thousandths(row.weights.readback))
        .float("reloads", |(_, row)| thousandths(row.weights.reloads))
        .float("repetition", |(_, row)| thousandths(row.weights.repetition))
        .float("told", |(_, row)| thousandths(row.weights.told))
}

/// Returns the confidence, not more than it is.
fn confidence(counted: &Counted) -> f64 {
    (counted.confidence * 1000.0).floor() / 1000.0
}

fn thousandths(weight: f64) -> f64 {
    (weight * 1000.0).round() / 1000.0
}
