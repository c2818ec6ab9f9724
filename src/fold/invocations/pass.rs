//! The relation of invocations.

use crate::bundle::BundleError;
use crate::fold::invocations::invocation::Invocation;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Relation};

/// The pass.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata().with_invocations();

static OUTPUTS: &[Output] = &[Output::of(
    "detected_invocations",
    "The invocations of a bundle by session, device and clock; times are ticks of the device or nanoseconds of the host.",
    || columns().fields(),
)];

#[expect(clippy::unnecessary_wraps, reason = "the signature of passes")]
fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    Ok(vec![columns().relation(&call.invocations.all)])
}

fn columns() -> Columns<Invocation> {
    Columns::<Invocation>::new()
        .number("session_id", |row| row.session_id)
        .flag("is_on_device", |row| row.is_on_device)
        .word("physical_device_ordinal", |row| {
            u32::try_from(row.device).ok().filter(|device| u64::from(*device) != ABSENT)
        })
        .number("invocation", |row| row.number)
        .number("kind", |row| row.kind)
        .text("method", |row| row.method)
        .float("confidence", |row| row.confidence)
        .optional_number("start", |row| row.start)
        .optional_number("end", |row| row.end)
        .number("busy", |row| row.busy)
        .number("dispatch_count", |row| row.dispatch_count)
        .number("submission_count", |row| row.submission_count)
        .flag("is_warmup", |row| row.is_warm_up)
}
