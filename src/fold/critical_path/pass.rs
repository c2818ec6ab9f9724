//! The relation of the dispatches on critical paths.

use crate::bundle::BundleError;
use crate::fold::critical_path::chain::{Step, chain};
use crate::fold::critical_path::dispatches;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Relation};

/// The pass.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata().with_invocations();

static OUTPUTS: &[Output] = &[Output::of(
    "critical_path_steps",
    "The dispatches on the critical path of each invocation; times are ticks of the device or nanoseconds of the host.",
    || columns().fields(),
)];

/// A step of the path of an invocation.
struct Of {
    session_id: u64,
    is_on_device: bool,
    invocation: u64,
    position: u64,
    step: Step,
}

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let dispatches = dispatches::read(call)?;
    let paths = call.invocations.all.iter().zip(dispatches).flat_map(|(invocation, dispatches)| {
        (1..).zip(chain(dispatches)).map(|(position, step)| Of {
            session_id: invocation.session_id,
            is_on_device: invocation.is_on_device,
            invocation: invocation.number,
            position,
            step,
        })
    });
    Ok(vec![columns().relation(&paths.collect::<Vec<_>>())])
}

fn columns() -> Columns<Of> {
    let ordinal = |ordinal: u64| u32::try_from(ordinal).ok().filter(|_| ordinal != ABSENT);
    let id = |id: u64| (id != 0).then_some(id);
    Columns::<Of>::new()
        .number("session_id", |of| of.session_id)
        .flag("is_on_device", |of| of.is_on_device)
        .word("physical_device_ordinal", move |of| ordinal(of.step.dispatch.queue[0]))
        .number("invocation", |of| of.invocation)
        .number("step", |of| of.position)
        .word("queue_ordinal", move |of| ordinal(of.step.dispatch.queue[1]))
        .number("stream_id", |of| of.step.dispatch.queue[2])
        .optional_number("submission_id", move |of| id(of.step.dispatch.submission_id))
        .optional_number("executable_id", move |of| id(of.step.dispatch.function[0]))
        .word("function_ordinal", move |of| ordinal(of.step.dispatch.function[1]))
        .number("start", |of| of.step.dispatch.start)
        .number("end", |of| of.step.dispatch.end)
        .number("wait", |of| of.step.wait)
        .text("reason", |of| of.step.reason.name())
        .number("byte_offset", |of| of.step.dispatch.byte_offset)
}
