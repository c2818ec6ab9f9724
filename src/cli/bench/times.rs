//! Reads the dispatch times of a bundle with the report `dispatch_time`.

use std::path::Path;

use crate::bench::run::Timed;
use crate::bundle::{self, BundleSource};
use crate::cli::error::CliError;
use crate::cli::open::with_runtime;
use crate::engine::{Engine, Options, Parameters};
use crate::report::rows;

/// Returns the timed dispatches of a bundle, in the order in which they ran.
pub fn read(path: &Path) -> Result<Vec<Timed>, CliError> {
    let source = BundleSource::named("capture".to_owned(), path.to_owned());
    let engine = Engine::new(
        vec![bundle::open(&source, false)?],
        Options { threads: Some(1), ..Options::default() },
    );
    let (engine, runtime) = with_runtime(engine, 0)?;
    let answer = runtime.block_on(engine.report("dispatch_time", &Parameters::default()))?;
    let timed = rows(&answer.batches).into_iter().filter_map(|row| {
        let duration_ns = row.number("duration_ns")?;
        Some(Timed { function: row.text("key"), source: row.text("timing_source"), duration_ns })
    });
    Ok(timed.collect())
}
