//! The bundles of a side, and their times.

use std::path::Path;

use engine::EngineError;
use engine::comparison::{self, KERNEL_TIME, RUNS};
use model::compare::{RunOrder, Runs};
use read::bundle::set::{self, Manifest, SIDES};
use read::bundle::sources::named;
use report::layouts::Names;
use report::{absence, rows};

use super::error::CompareError;
use super::request::Selection;
use crate::{Workspace, WorkspaceOptions};

/// A side that is to be opened.
#[derive(Debug, Clone)]
pub struct SideSource {
    pub name: String,
    /// What to open: its argument, or the bundles of its runs.
    pub bundles: Vec<String>,
}

impl SideSource {
    /// Returns the side that an argument names.
    pub fn of(argument: &str) -> Self {
        // What exists is a path without a name.
        let named = named(argument).filter(|_| !Path::new(argument).exists());
        let (name, path) = named.unwrap_or((argument, argument));
        Self { name: name.to_owned(), bundles: vec![path.to_owned()] }
    }

    /// Opens the bundles and reads their times.
    pub fn open(
        &self,
        selection: &Selection,
        options: &WorkspaceOptions,
    ) -> Result<Runs, CompareError> {
        let workspace = Workspace::open(&self.bundles, options)?;
        let runs = read_runs(&workspace, selection)?;
        let runs = Runs { name: self.name.clone(), ..runs }.without_copies();
        if runs.device.is_empty() && runs.host.is_empty() {
            self.check(&workspace, selection)?;
        }
        Ok(runs)
    }

    /// Says why there are no times, if that is known.
    fn check(&self, workspace: &Workspace, selection: &Selection) -> Result<(), CompareError> {
        let Workspace { engine, runtime } = workspace;
        let (side, parameters) = (self.name.clone(), selection.parameters());
        if selection.filter != "*" {
            let of = [(selection.measure.report, "key")];
            let functions = Names { noun: "function", of: &of };
            if let Some(there) = workspace.unmatched(&parameters, functions, None)? {
                let (pattern, names) = (selection.filter.clone(), there.known);
                return Err(CompareError::NoMatch { side, pattern, names });
            }
        }
        let health = runtime.block_on(engine.report("capture_health", &parameters))?;
        match absence::of_dispatches(&rows(&health.batches)) {
            Some(reason) => Err(CompareError::NoTimes { side, reason }),
            None => Ok(()),
        }
    }
}

/// Reads the times of all runs of a workspace.
pub(crate) fn read_runs(workspace: &Workspace, selection: &Selection) -> Result<Runs, EngineError> {
    let Workspace { engine, runtime } = workspace;
    let (measure, parameters) = (selection.measure, selection.parameters());
    let runs = runtime.block_on(engine.report(RUNS, &parameters))?;
    let times = runtime.block_on(engine.report(measure.report, &parameters))?;
    let runs = comparison::runs(&runs.batches, engine.bundles())?;
    let [device, host] = comparison::times(&times.batches)?;
    let mut work = Vec::new();
    if measure != &KERNEL_TIME {
        let parameters = Selection { filter: "*".to_owned(), ..selection.clone() }.parameters();
        let rows = runtime.block_on(engine.report(KERNEL_TIME.report, &parameters))?;
        work = comparison::times(&rows.batches)?.concat();
    }
    Ok(Runs { runs, device, host, work, ..Runs::default() }.without_others(measure.modes))
}

/// Returns the sides that the arguments name: one each, or both sides of a race if its capture set is the only one, with
/// the order of its runs.
pub fn sources(arguments: &[String]) -> Result<(Vec<SideSource>, Option<RunOrder>), CompareError> {
    match arguments {
        [only] => {
            let (sides, order) = of_race(only)?;
            Ok((sides.into(), Some(order)))
        }
        many => Ok((many.iter().map(|it| SideSource::of(it)).collect(), None)),
    }
}

/// Returns the sides of a race, and the order of its runs.
fn of_race(argument: &str) -> Result<([SideSource; 2], RunOrder), CompareError> {
    let path = Path::new(argument);
    let one_side = |is_set| CompareError::OneSide { argument: argument.to_owned(), is_set };
    if !set::is_one(path) {
        return Err(one_side(false));
    }
    let manifest = Manifest::read(path)?;
    let mut sides = SIDES.map(|name| SideSource { name: name.to_owned(), bundles: Vec::new() });
    let mut order = RunOrder::default();
    for run in &manifest.runs {
        for (side, is_new) in sides.iter_mut().zip([false, true]) {
            if let Some(bundle) = run.bundle.as_ref().filter(|_| run.is_raced(&side.name)) {
                side.bundles.push(format!("{}={}", run.name, path.join(bundle).display()));
                order.runs.push((is_new, run.name.clone()));
            }
        }
    }
    if order.runs.is_empty() {
        return Err(one_side(true));
    }
    match sides.iter().find(|side| side.bundles.is_empty()) {
        Some(side) => Err(CompareError::UnfinishedRace {
            argument: argument.to_owned(),
            side: side.name.clone(),
        }),
        None => Ok((sides, order)),
    }
}
