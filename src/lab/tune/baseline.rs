//! The times of the untuned model.

use std::collections::BTreeMap;

use model::statistics::float;
use tools::compiler::CompilerError;

use super::budget::Costs;
use super::builder::{BuildJob, Builder};
use super::error::TuneError;
use super::request::TuneRequest;
use super::roofline::fractions;
use super::rows::DispatchRow;
use super::run_times::RunTimes;
use super::runner::Runner;
use super::search::broken;
use super::store::Store;

/// The times of the untuned model, with what it took to compile and run it, if that is known.
pub struct Baseline {
    pub times: RunTimes,
    pub costs: Option<Costs>,
}

impl Baseline {
    /// Reads the times from bundles that are given, or from the store; else runs the model. If it cannot be run, all
    /// dispatches take the same.
    pub fn of(
        request: &TuneRequest,
        builder: &Builder<'_>,
        store: &Store,
        runner: Option<&mut Runner<'_>>,
    ) -> Result<Self, TuneError> {
        let profile = &request.options.profile;
        if !profile.is_empty() {
            let fractions = fractions(profile, builder.sources(), &request.workspace)?;
            let times =
                RunTimes { fractions, ..RunTimes::read(profile.clone(), &request.workspace)? };
            return Ok(Self { times, costs: None });
        }
        let Some(runner) = runner else {
            let functions: BTreeMap<String, f64> =
                builder.dispatches.iter().map(|it| (it.name.clone(), 1.0)).collect();
            let total = float(functions.len());
            let times = RunTimes { functions, total, fractions: BTreeMap::new() };
            return Ok(Self { times, costs: None });
        };
        match stored(store) {
            Some(times) => Ok(Self { times, costs: runner.first() }),
            None => Self::run(request, builder, runner),
        }
    }

    fn run(
        request: &TuneRequest,
        builder: &Builder<'_>,
        runner: &mut Runner<'_>,
    ) -> Result<Self, TuneError> {
        let untuned = BuildJob { name: "untuned".to_owned(), spec: None };
        let mut built = builder.build(&[untuned])?;
        let refused = |words| CompilerError::Refused { path: request.model.clone(), words };
        let built = built.pop().ok_or_else(|| refused(String::new()))?;
        let (compile, module) = (built.took, built.module.map_err(refused)?);
        // The first run warms the machine up.
        runner.run(&module)?.times.map_err(|words| broken(&words))?;
        let run = runner.run(&module)?;
        let mut times = run.times.map_err(|words| broken(&words))?;
        if let Some(bundle) = run.bundle {
            times.fractions = fractions(&[bundle], builder.sources(), &request.workspace)?;
        }
        let costs = Costs { run: run.took, compile, verify: run.took };
        Ok(Self { times, costs: Some(costs) })
    }
}

/// Returns the times that the store has.
fn stored(store: &Store) -> Option<RunTimes> {
    let known: Vec<(&DispatchRow, f64)> =
        store.dispatches().filter_map(|it| Some((it, it.time_ns?))).collect();
    let share = |it: &DispatchRow| it.share.filter(|share| *share > 0.0);
    let total = known.iter().find_map(|(it, ns)| Some(ns / share(it)?))?;
    let fraction = |(it, _): &(&DispatchRow, f64)| Some((it.dispatch.clone(), it.roof_fraction?));
    let fractions = known.iter().filter_map(fraction).collect();
    let functions = known.into_iter().map(|(it, ns)| (it.dispatch.clone(), ns)).collect();
    Some(RunTimes { functions, total, fractions })
}
