//! Opens the sides of a comparison.

use std::path::Path;

use tokio::runtime::Runtime;

use crate::bundle::{self, BundleSource, Files, OpenOptions, digest, sources};
use crate::cli::error::CliError;
use crate::cli::nothing::Asked;
use crate::cli::open::Opening;
use crate::compare::Runs;
use crate::engine::comparison::{self, KERNEL_TIME, Measure, RUNS};
use crate::engine::{Engine, EngineError, Parameters};
use crate::report::layouts::Names;
use crate::report::{absence, rows};
use crate::workspace::Workspace;

/// A side as it was given.
pub struct Given {
    pub name: String,
    /// What to open: its argument, or the bundles of its runs.
    pub bundles: Vec<String>,
}

impl Given {
    /// Returns the side that an argument names.
    pub fn of(argument: &str) -> Self {
        // What exists is a path without a name.
        let named = sources::named(argument).filter(|_| !Path::new(argument).exists());
        let (name, path) = named.unwrap_or((argument, argument));
        Self { name: name.to_owned(), bundles: vec![path.to_owned()] }
    }
}

/// Opens a side and reads its times.
pub fn open(
    given: &Given,
    measure: &Measure,
    parameters: &Parameters,
    opening: &Opening,
) -> Result<Runs, CliError> {
    let workspace = opening.open(&given.bundles)?;
    let Workspace { engine, runtime } = &workspace;
    let runs = read(engine, runtime, measure, parameters)?;
    let runs = Runs { name: given.name.clone(), ..runs }.without_copies();
    if runs.device.is_empty() && runs.host.is_empty() {
        let of = [(measure.report, "key")];
        let names = Names { noun: "function", of: &of };
        let asked = Asked::default().pattern("--filter", &parameters.filter);
        let unmatched = asked.unmatched_in(&workspace, parameters, names, None)?;
        let health = runtime.block_on(engine.report("capture_health", parameters))?;
        let absent = absence::of_dispatches(&rows(&health.batches)).map(str::to_owned);
        let said = |what: String| format!("{} has no times to compare: {what}", given.name);
        if let Some(what) = unmatched {
            return Err(CliError::Usage(said(what)));
        }
        if let Some(what) = absent {
            return Err(CliError::Unjudged(said(what)));
        }
    }
    Ok(runs)
}

/// Finds out which bundles are copies of bundles of other sides. To digest a bundle takes longer than to read its times, so only
/// those are digested that are as large as one of another side, or if the size of another is not known.
pub fn identify(sides: &mut [Runs], files: &Files) -> Result<(), CliError> {
    let options = OpenOptions { files: files.clone(), ..OpenOptions::default() };
    let known: Vec<Vec<Option<u64>>> = sides
        .iter()
        .map(|side| {
            side.runs.iter().map(|run| run.file.as_ref().map(|(_, bytes)| *bytes)).collect()
        })
        .collect();
    for (nth, side) in sides.iter_mut().enumerate() {
        let others = known.iter().enumerate().filter(|(other, _)| *other != nth);
        let others: Vec<Option<u64>> = others.flat_map(|(_, sizes)| sizes.clone()).collect();
        for run in side.runs.iter_mut().filter(|run| run.digest.is_none()) {
            let Some((path, bytes)) = run.file.as_ref().filter(|(path, _)| path.is_file()) else {
                continue;
            };
            if others.iter().any(|size| size.is_none_or(|size| size == *bytes)) {
                let bundle = bundle::open(&BundleSource::unnamed(path.clone()), &options)?;
                run.digest = Some(digest::of(bundle.bytes()));
            }
        }
    }
    Ok(())
}

/// Reads the times of all runs of an engine.
pub fn read(
    engine: &Engine,
    runtime: &Runtime,
    measure: &Measure,
    parameters: &Parameters,
) -> Result<Runs, CliError> {
    let runs = runtime.block_on(engine.report(RUNS, parameters))?;
    let times = runtime.block_on(engine.report(measure.report, parameters))?;
    let runs = comparison::runs(&runs.batches, engine.bundles()).map_err(EngineError::from)?;
    let [device, host] = comparison::times(&times.batches).map_err(EngineError::from)?;
    let mut work = Vec::new();
    if measure != &KERNEL_TIME {
        let parameters = Parameters { filter: "*".to_owned(), ..parameters.clone() };
        let rows = runtime.block_on(engine.report(KERNEL_TIME.report, &parameters))?;
        work = comparison::times(&rows.batches).map_err(EngineError::from)?.concat();
    }
    Ok(Runs { runs, device, host, work, ..Runs::default() }.without_others(measure.modes))
}
