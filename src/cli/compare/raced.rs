//! The sides of a race, whose capture set holds the runs of both.

use std::collections::BTreeMap;
use std::path::Path;

use super::sides::Given;
use crate::bundle::set::{self, Manifest, SIDES};
use crate::cli::error::CliError;
use crate::compare::{Lap, Runs, Side, Standing, pairs};
use crate::statistics::Summary;

/// A race whose runs are opened again.
pub struct Race {
    /// The side and the label of each run, in the order in which they ran.
    runs: Vec<(usize, String)>,
}

/// Returns the sides that the arguments name: one each, or both sides of a race if its set is the only one.
pub fn given(arguments: &[String]) -> Result<(Vec<Given>, Option<Race>), CliError> {
    let [only] = arguments else {
        return Ok((arguments.iter().map(|it| Given::of(it)).collect(), None));
    };
    let lacking = |what: &str| {
        CliError::Usage(format!(
            "{only} is one side{what}; give a second one, as in `compare BASE NEW`, or the capture set of a race"
        ))
    };
    let path = Path::new(only);
    if !set::is_one(path) {
        return Err(lacking(""));
    }
    let manifest = Manifest::read(path)?;
    let mut sides = SIDES.map(|name| Given { name: name.to_owned(), bundles: Vec::new() });
    let mut runs = Vec::new();
    for run in &manifest.runs {
        for (nth, side) in sides.iter_mut().enumerate() {
            if let Some(bundle) = run.bundle.as_ref().filter(|_| run.is_raced(&side.name)) {
                side.bundles.push(format!("{}={}", run.name, path.join(bundle).display()));
                runs.push((nth, run.name.clone()));
            }
        }
    }
    if runs.is_empty() {
        return Err(lacking(", because none of its runs is one of a race"));
    }
    if let Some(side) = sides.iter().find(|side| side.bundles.is_empty()) {
        let name = &side.name;
        return Err(CliError::Usage(format!(
            "the race in {only} has no whole run of the side {name}; race again"
        )));
    }
    Ok((sides.into(), Some(Race { runs })))
}

impl Race {
    /// Judges the total of the two sides.
    pub fn standing(&self, sides: [&Runs; 2], by: Summarized, floor: Option<f64>) -> Standing {
        let times = sides.map(|side| logarithms(side, by));
        let laps = self.runs.iter().filter_map(|(side, label)| {
            let logarithm = *times.get(*side)?.get(label.as_str())?;
            Some(Lap { is_new: *side == 1, logarithm })
        });
        Standing::of(&pairs(&laps.collect::<Vec<_>>()), floor)
    }
}

/// How runs are summarized: by which clock, and over which iterations.
#[derive(Debug, Clone, Copy)]
pub struct Summarized {
    pub clock: &'static str,
    pub by_iteration: bool,
    pub summary: Summary,
}

/// Returns the logarithm of the time of each run of a side; runs without times by the clock have none.
pub fn logarithms(side: &Runs, by: Summarized) -> BTreeMap<&str, f64> {
    let runs = side.times(by.clock).chunk_by(|one, next| one.run == next.run);
    runs.filter_map(|rows| {
        let total = Side::of(rows, by.by_iteration).total;
        let times: Vec<f64> = total.first()?.values().copied().collect();
        Some((rows.first()?.run.as_str(), by.summary.of(&times).ln()))
    })
    .collect()
}
