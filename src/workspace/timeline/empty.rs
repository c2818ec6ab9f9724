//! Finds out why nothing was drawn.

use base::Pattern;
use engine::Parameters;
use exporters::perfetto::Counts;
use report::{absence, rows};

use super::error::TimelineError;
use super::event::{EmptyQuery, EmptyTimeline};
use super::spec::TimelineSpec;
use crate::Workspace;

/// Returns why the default timeline of a bundle is empty; `None` if it is not, or was not wanted.
pub fn timeline(
    workspace: &Workspace,
    spec: &TimelineSpec,
    counts: &Counts,
) -> Result<Option<EmptyTimeline>, TimelineError> {
    if drawn(counts) > 0 || spec.only_queries {
        return Ok(None);
    }
    let unmatched = match &spec.filter {
        Some(filter) => unmatched(workspace, filter)?,
        None => None,
    };
    Ok(Some(match unmatched {
        Some(names) => EmptyTimeline::Unmatched(names),
        None if spec.window.is_some() => EmptyTimeline::OutsideWindow,
        None => EmptyTimeline::NoEvents,
    }))
}

/// Returns the names of slices if there are any and a filter matches none of them.
fn unmatched(
    Workspace { engine, runtime }: &Workspace,
    filter: &str,
) -> Result<Option<Vec<String>>, TimelineError> {
    let every = Parameters::default();
    let slices = runtime.block_on(async {
        let view = engine.prepare(sql::Kind::View, "timeline_slices", &every).await?;
        view.head(absence::SEARCHED).await
    })?;
    let names: Vec<String> = rows(&slices.batches).iter().map(|row| row.text("name")).collect();
    let pattern = Pattern::new(filter);
    let is_unmatched = !names.is_empty() && !names.iter().any(|name| pattern.matches(name));
    Ok(is_unmatched.then_some(names))
}

/// Returns why a query of the caller drew none of its rows; `None` if it drew any.
pub fn query(
    spec: &TimelineSpec,
    rows: usize,
    [before, after]: [&Counts; 2],
) -> Option<EmptyQuery> {
    if drawn(after) > drawn(before) {
        None
    } else if rows == 0 {
        Some(EmptyQuery::NoRows)
    } else if after.skipped > before.skipped {
        Some(EmptyQuery::Incomplete)
    } else if spec.window.is_some() {
        Some(EmptyQuery::OutsideWindow)
    } else {
        Some(EmptyQuery::Unmatched)
    }
}

/// Returns how many events are drawn.
pub(super) const fn drawn(counts: &Counts) -> u64 {
    counts.slices + counts.instants + counts.counters
}
