//! Opens bundles for a timeline, and draws them one below the other.

use base::Pattern;
use exporters::Output;
use exporters::perfetto::{Counts, Selection, Sequence, Trace, TraceClock};

use super::error::TimelineError;
use super::event::Event;
use super::spec::TimelineSpec;
use super::{empty, feed, waves};
use crate::{OpenError, Workspace, WorkspaceOptions};

/// What was drawn.
#[derive(Debug)]
pub struct Drawn {
    /// The size of the trace.
    pub bytes: u64,
    pub bundles: Vec<DrawnBundle>,
}

/// What was drawn of a bundle.
#[derive(Debug)]
pub struct DrawnBundle {
    pub label: String,
    pub counts: Counts,
    /// Its first host time; `None` if it has none.
    pub first_ns: Option<i64>,
}

/// Opens each bundle as a workspace of its own. Only the instruction traces of functions that the filter selects are decoded;
/// [`TimelineSpec::check_traces`] takes what became of them ([`att::Settings::take_outcome`]).
pub fn open(
    bundles: &[String],
    spec: &TimelineSpec,
    options: &WorkspaceOptions,
) -> Result<Vec<Workspace>, OpenError> {
    let filter = Pattern::new(spec.filter.as_deref().unwrap_or("*"));
    let mut options = options.clone();
    options.traces.selection = att::Selection { filter, id: None };
    Workspace::open_each(bundles, &options)
}

/// Writes a Perfetto trace with the bundles one below the other, and closes each before the next.
pub fn draw(
    workspaces: Vec<Workspace>,
    spec: &TimelineSpec,
    output: Output,
    listener: &mut dyn FnMut(Event),
) -> Result<Drawn, TimelineError> {
    let mut trace = Trace::new(output, spec.clock);
    let is_only = workspaces.len() == 1;
    let mut bundles = Vec::with_capacity(workspaces.len());
    for workspace in workspaces {
        let mut sequence = sequence(&workspace, spec, &mut trace, is_only)?;
        bundles.push(feed_all(&workspace, spec, &mut sequence, listener)?);
        trace.write(sequence)?;
    }
    Ok(Drawn { bytes: trace.finish()?, bundles })
}

/// Returns an empty sequence for a bundle. Its ids depend on the bytes of the bundle. A bundle that is drawn alone has no
/// name of its own, unless the user gave it one.
fn sequence(
    workspace: &Workspace,
    spec: &TimelineSpec,
    trace: &mut Trace,
    is_only: bool,
) -> Result<Sequence, TimelineError> {
    let selection = selection(workspace, spec)?;
    let bundle = workspace.engine.bundles().first();
    let content = bundle.map_or(0, |bundle| bundle.content_hash());
    let label = label(workspace);
    let is_named = !is_only || bundle.is_some_and(|bundle| bundle.is_named);
    let name = if is_named { label } else { "IREE HAL profile" };
    let mut sequence = trace.sequence(name, content, selection);
    sequence.describe(&format!("bundle={label}"));
    if is_named {
        sequence.label(label);
    }
    Ok(sequence)
}

/// Feeds all of a bundle to its sequence, and tells why nothing is drawn if so.
fn feed_all(
    workspace: &Workspace,
    spec: &TimelineSpec,
    sequence: &mut Sequence,
    listener: &mut dyn FnMut(Event),
) -> Result<DrawnBundle, TimelineError> {
    feed::feed(workspace, spec, sequence, listener)?;
    if let Some(detail) = spec.traces {
        workspace.runtime.block_on(waves::feed(&workspace.engine, detail, sequence))?;
    }
    let label = label(workspace).to_owned();
    let is_unplaced = spec.clock == TraceClock::Host && sequence.start().is_none();
    if let Some(reason) = empty::timeline(workspace, spec, &sequence.counts())? {
        listener(Event::EmptyTimeline { bundle: label.clone(), reason });
    } else if is_unplaced && empty::drawn(&sequence.counts()) > 0 {
        listener(Event::Unplaced { bundle: label.clone() });
    }
    if is_unplaced {
        // Events without a time stand where their bundle begins.
        sequence.leave_out_events();
    }
    Ok(DrawnBundle { label, counts: sequence.counts(), first_ns: sequence.start() })
}

fn label(workspace: &Workspace) -> &str {
    workspace.engine.bundles().first().map_or("", |bundle| bundle.label.as_str())
}

fn selection(workspace: &Workspace, spec: &TimelineSpec) -> Result<Selection, TimelineError> {
    let mut selection = Selection::default();
    if let Some(window) = &spec.window {
        let (start, end) = workspace.runtime.block_on(feed::span(&workspace.engine))?;
        let within = window.within(start, end);
        if within.0 >= within.1 {
            return Err(TimelineError::EmptyWindow);
        }
        selection.window = Some(within);
    }
    if let Some(filter) = &spec.filter {
        let pattern = Pattern::new(filter);
        selection.names = Some(Box::new(move |name| pattern.matches(name)));
    }
    Ok(selection)
}
