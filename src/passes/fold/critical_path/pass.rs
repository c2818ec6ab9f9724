//! The relation of the dispatches on critical paths.

use std::ops::Range;
use std::sync::Arc;

use read::bundle::BundleError;

use crate::fold::critical_path::chain::{Step, Submission, Submissions, chain};
use crate::fold::critical_path::dispatches;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Arrays, Columns, Groups, HeapBytes, Relation, Slices};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata().with_invocations();

static OUTPUTS: &[Output] = &[Output::of(
    "critical_path_steps",
    "The dispatches on the critical path of each invocation; times are ticks of the device or nanoseconds of the host.",
    || columns().fields(),
)
.sliced()];

/// The paths, one after the other.
struct Paths {
    all: Vec<Path>,
    /// Index of the path, and the step.
    steps: Vec<(u32, Step)>,
    submissions: Submissions,
    functions: Groups<2>,
}

/// The path of an invocation on a device.
struct Path {
    session_id: u64,
    is_on_device: bool,
    invocation: u64,
    /// Index of the first step.
    first: usize,
}

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let dispatches::Dispatches { paths, submissions, functions } = dispatches::read(call)?;
    let (mut all, mut steps) = (Vec::with_capacity(paths.len()), Vec::new());
    for (nth, ([session_id, on_device, _, invocation], dispatches)) in (0..).zip(paths) {
        all.push(Path {
            session_id,
            is_on_device: on_device == 1,
            invocation: invocation + 1,
            first: steps.len(),
        });
        steps.extend(chain(dispatches, &submissions).into_iter().map(|step| (nth, step)));
    }
    Ok(vec![Relation::Sliced(Arc::new(Paths { all, steps, submissions, functions }))])
}

impl HeapBytes for Paths {
    fn heap_bytes(&self) -> usize {
        self.all.heap_bytes()
            + self.steps.heap_bytes()
            + self.submissions.all.heap_bytes()
            + self.functions.heap_bytes()
    }
}

impl Slices for Paths {
    fn rows(&self) -> usize {
        self.steps.len()
    }

    fn arrays(&self, range: Range<usize>) -> Arrays {
        let steps = range.clone().zip(self.steps.get(range.clone()).unwrap_or_default());
        let rows = steps.filter_map(|(nth, (path, step))| {
            let path = self.all.get(*path as usize)?;
            Some(Of {
                path,
                position: (nth - path.first) as u64 + 1,
                step,
                submission: self.submissions.of(&step.dispatch)?,
                function: *self.functions.keys().get(step.dispatch.function as usize)?,
            })
        });
        columns().arrays_from(range.start as u64, &rows.collect::<Vec<_>>())
    }
}

/// A step of a path.
struct Of<'a> {
    path: &'a Path,
    position: u64,
    step: &'a Step,
    submission: &'a Submission,
    /// Executable and ordinal.
    function: [u64; 2],
}

fn columns<'a>() -> Columns<Of<'a>> {
    let ordinal = |ordinal: u64| u32::try_from(ordinal).ok().filter(|_| ordinal != ABSENT);
    let id = |id: u64| (id != 0).then_some(id);
    Columns::<Of<'a>>::new()
        .position()
        .number("session_id", |of| of.path.session_id)
        .flag("is_on_device", |of| of.path.is_on_device)
        .word("physical_device_ordinal", move |of| ordinal(of.submission.queue[0]))
        .number("invocation", |of| of.path.invocation)
        .number("step", |of| of.position)
        .word("queue_ordinal", move |of| ordinal(of.submission.queue[1]))
        .number("stream_id", |of| of.submission.queue[2])
        .optional_number("submission_id", move |of| id(of.submission.id))
        .optional_number("executable_id", move |of| id(of.function[0]))
        .word("function_ordinal", move |of| ordinal(of.function[1]))
        .number("start", |of| of.step.dispatch.start)
        .number("end", |of| of.step.dispatch.end)
        .number("wait", |of| of.step.wait)
        .text("reason", |of| of.step.reason.name())
        .number("byte_offset", |of| of.step.dispatch.byte_offset)
}
