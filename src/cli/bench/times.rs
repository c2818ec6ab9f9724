//! Reads the dispatch times of a bundle with the report `dispatch_time`.

use std::path::Path;

use crate::bench::run::Timed;
use crate::bundle::{self, BundleSource, OpenOptions};
use crate::cli::error::CliError;
use crate::engine::{Engine, Options, Parameters};
use crate::report::rows;
use crate::workspace::Workspace;

/// Returns the timed dispatches of a bundle, in the order in which they ran.
pub fn read(path: &Path) -> Result<Vec<Timed>, CliError> {
    let source = BundleSource::named("capture".to_owned(), path.to_owned());
    let engine = Engine::new(
        vec![bundle::open(&source, &OpenOptions::default())?],
        Options { threads: Some(1), ..Options::default() },
    );
    let Workspace { engine, runtime } = Workspace::of(engine)?;
    let answer = runtime.block_on(engine.report("dispatch_time", &Parameters::default()))?;
    let timed = rows(&answer.batches).into_iter().filter_map(|row| {
        let duration_ns = row.number("duration_ns")?;
        Some(Timed { function: row.text("key"), source: row.text("timing_source"), duration_ns })
    });
    Ok(timed.collect())
}
