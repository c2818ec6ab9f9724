//! Opens bundles for a timeline, and draws them one below the other.

use base::Pattern;
use exporters::Output;
use exporters::perfetto::{Counts, Selection, Sequence, Trace};

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
    /// The counts of each bundle.
    pub counts: Vec<Counts>,
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
    let mut trace = Trace::new(output);
    let mut counts = Vec::with_capacity(workspaces.len());
    let is_only = workspaces.len() == 1;
    for workspace in workspaces {
        let bundle = workspace.engine.bundles().first();
        let label = bundle.map_or("", |bundle| bundle.label.as_str());
        let name = if is_only { "IREE HAL profile" } else { label };
        let mut sequence = Sequence::new(name, selection(&workspace, spec)?);
        if !is_only {
            sequence.label(label);
        }
        feed::feed(&workspace, spec, &mut sequence, listener)?;
        if let Some(detail) = spec.traces {
            let waves = waves::feed(&workspace.engine, detail, &mut sequence);
            workspace.runtime.block_on(waves)?;
        }
        let drawn = sequence.counts();
        if let Some(reason) = empty::timeline(&workspace, spec, &drawn)? {
            listener(Event::EmptyTimeline { bundle: label.to_owned(), reason });
        }
        counts.push(drawn);
        trace.write(sequence)?;
    }
    Ok(Drawn { bytes: trace.finish()?, counts })
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
