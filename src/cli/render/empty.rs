//! Says why nothing was drawn.

use exporters::perfetto::{Counts, Rows};
use tokio::runtime::Runtime;

use super::shape::Shape;
use crate::cli::error::CliError;
use crate::cli::nothing::Asked;
use crate::engine::{Engine, Parameters};
use crate::fold::Pattern;
use crate::report::{absence, rows};

/// Warns if the default timeline of a bundle is empty.
pub fn timeline(
    (engine, runtime): (&Engine, &Runtime),
    shape: &Shape,
    counts: &Counts,
) -> Result<(), CliError> {
    if drawn(counts) > 0 || shape.only_queries {
        return Ok(());
    }
    let label = engine.bundles().first().map_or("", |bundle| bundle.label.as_str());
    let unmatched = match &shape.filter {
        Some(filter) => unmatched(engine, runtime, filter)?,
        None => None,
    };
    let why = match unmatched {
        Some(why) => why,
        None if shape.window.is_some() => "No event lies within --window.".to_owned(),
        None => "It has no events with a time.".to_owned(),
    };
    eprintln!("ireescope: warning: {label}: nothing is drawn. {why}");
    Ok(())
}

/// Returns that a filter matches none of the names of slices; `None` if it matches one.
fn unmatched(engine: &Engine, runtime: &Runtime, filter: &str) -> Result<Option<String>, CliError> {
    let every = Parameters::default();
    let slices = runtime.block_on(async {
        let view = engine.prepare(sql::Kind::View, "timeline_slices", &every).await?;
        view.head(absence::SEARCHED).await
    })?;
    let names: Vec<String> = rows(&slices.batches).iter().map(|row| row.text("name")).collect();
    let pattern = Pattern::new(filter);
    if names.iter().any(|name| pattern.matches(name)) {
        return Ok(None);
    }
    let asked = Asked::default().pattern("--filter", filter);
    Ok(asked.unmatched("slice name", names.iter().map(String::as_str)))
}

/// Warns if a query of the user drew none of its rows.
pub fn query(kind: Rows, shape: &Shape, rows: usize, [before, after]: [&Counts; 2]) {
    if drawn(after) > drawn(before) {
        return;
    }
    let noun = kind.noun();
    let why = if rows == 0 {
        "its result has no rows"
    } else if after.skipped > before.skipped {
        "its rows lack a time or a value, or end before they start"
    } else if shape.window.is_some() {
        "none of its rows lies within --window"
    } else {
        "none of its rows has a name that --filter matches"
    };
    eprintln!("ireescope: warning: a query of --{noun} draws nothing: {why}");
}

const fn drawn(counts: &Counts) -> u64 {
    counts.slices + counts.instants + counts.counters
}
