//! Compares sides.

use std::sync::Arc;

use base::Pattern;
use base::digest;
use engine::comparison::Measure;
use model::compare::{
    Comparison, RunOrder, RunTime, Runs, are_same_captures, clock_of, compare_runs, resolution_ns,
};
use read::bundle::{self, BundleError, BundleSource, Files, OpenOptions};

use super::error::CompareError;
use super::request::{CompareOptions, CompareRequest};
use super::source::sources;
use crate::WorkspaceOptions;

/// Opens the sides of a request, and compares the first one with each of the others.
pub fn compare(
    request: &CompareRequest,
    options: &WorkspaceOptions,
) -> Result<Vec<Comparison>, CompareError> {
    Sides::open(request, options)?.compare(&request.options)
}

/// The sides of a comparison, the baseline first.
#[derive(Debug)]
pub struct Sides {
    runs: Vec<Runs>,
    /// The order of the runs, if the sides are those of a race.
    race: Option<RunOrder>,
    measure: &'static Measure,
}

impl Sides {
    /// Opens the sides of a request.
    pub fn open(
        request: &CompareRequest,
        options: &WorkspaceOptions,
    ) -> Result<Self, CompareError> {
        let (sources, race) = sources(&request.sides)?;
        if race.is_some() && request.options.control.is_some() {
            return Err(CompareError::ControlOfRace);
        }
        let runs = sources.iter().map(|side| side.open(&request.selection, options));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let measure = request.selection.measure;
        Ok(Self { race, ..Self::of(runs, measure, &options.files)? })
    }

    /// Takes runs that are open already, and finds out which are copies of those of other sides.
    pub fn of(
        mut runs: Vec<Runs>,
        measure: &'static Measure,
        files: &Files,
    ) -> Result<Self, CompareError> {
        identify(&mut runs, files)?;
        Ok(Self { runs, race: None, measure })
    }

    /// Compares the first side with each of the others.
    pub fn compare(self, options: &CompareOptions) -> Result<Vec<Comparison>, CompareError> {
        let Self { runs, race, measure } = self;
        let Some(base) = runs.first() else { return Ok(Vec::new()) };
        if let Some(error) = options.control.as_ref().and_then(|it| no_control(it, base)) {
            return Err(error);
        }
        let clock = clock_of(&runs)
            .map_err(|reason| CompareError::NoClock { reason, measure: measure.name })?;
        let rules = options.rules(resolution_ns(&runs, clock));
        let by_iteration = options.by_iteration;
        let mut sides = runs.into_iter().map(Arc::new);
        let Some(base) = sides.next() else { return Ok(Vec::new()) };
        let each = sides.map(|new| {
            let (times, mut differences) =
                compare_runs([&base, &new], (clock, by_iteration), &rules);
            if let Some(race) = &race {
                let time = RunTime { clock, by_iteration, summary: rules.summary };
                differences.total.race(&race.standing([&base, &new], time, rules.floor));
            }
            if rules.corrects && !differences.is_corrected {
                let (base, new) = (base.name.clone(), new.name.clone());
                return Err(CompareError::Uncorrected { base, new });
            }
            Ok(Comparison {
                is_same: are_same_captures(&base, &new),
                base: Arc::clone(&base),
                new,
                times,
                clock,
                quantity: measure.quantity,
                by_iteration,
                is_raced: race.is_some(),
                differences,
            })
        });
        each.collect()
    }
}

/// Returns the error that no function of a side is a control, if a pattern names them.
fn no_control(pattern: &str, side: &Runs) -> Option<CompareError> {
    let names = || side.device.iter().chain(&side.host).map(|row| row.function.as_str());
    let is_control = Pattern::new(pattern);
    let is_matched = pattern.is_empty() || names().any(|name| is_control.matches(name));
    let is_missing = !is_matched && names().next().is_some();
    is_missing.then(|| CompareError::NoControl {
        pattern: pattern.to_owned(),
        names: names().map(str::to_owned).collect(),
    })
}

/// Finds out which bundles are copies of bundles of other sides. To digest a bundle takes longer than to read its times, so only
/// those are digested that are as large as one of another side, or if the size of another is not known.
fn identify(sides: &mut [Runs], files: &Files) -> Result<(), BundleError> {
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
