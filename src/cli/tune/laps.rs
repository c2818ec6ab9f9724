//! Runs of a module: each is captured and read, and gives the time of each function.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::budget::Costs;
use crate::capture::plan::Known;
use crate::capture::{Series, Settings, Start, Stop, chain};
use crate::cli::capture::order::of_kernel_times;
use crate::cli::compare::sides::{self, Given};
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::open::Opening;
use crate::cli::race::{End, whole};
use crate::cli::signals::interrupted;
use crate::compare::{Side, clock_of};
use crate::engine::Parameters;
use crate::engine::comparison::KERNEL_TIME;
use crate::statistics::median;

/// The times of a run in nanoseconds: medians over its iterations, without warm-up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lap {
    pub functions: BTreeMap<String, f64>,
    pub total: f64,
    /// The fractions of their roofs that functions achieve, where they are known.
    pub fractions: BTreeMap<String, f64>,
}

impl Lap {
    /// Returns the time of several functions; `None` if one of them has none.
    pub fn of(&self, functions: &[String]) -> Option<f64> {
        functions.iter().map(|name| self.functions.get(name)).sum()
    }

    /// Reads the times of bundles.
    pub fn read(bundles: Vec<String>, opening: &Opening) -> Result<Self, CliError> {
        let given = Given { name: "profile".to_owned(), bundles };
        let runs = sides::open(&given, &KERNEL_TIME, &Parameters::default(), opening)?;
        let clock = clock_of(std::slice::from_ref(&runs)).map_err(CliError::Unjudged)?;
        let side = Side::of(runs.times(clock), true);
        let middle = |times: &[BTreeMap<Option<u64>, f64>]| {
            let all: Vec<f64> = times.iter().flat_map(BTreeMap::values).copied().collect();
            median(&all)
        };
        let functions = side.functions.iter().map(|it| (it.name.clone(), middle(&it.times)));
        let (functions, total) = (functions.collect(), middle(&side.total));
        Ok(Self { functions, total, fractions: BTreeMap::new() })
    }
}

/// A run of a module.
pub struct Ran {
    /// Its name in the capture set; `None` if it recorded nothing.
    pub capture: Option<String>,
    /// The bundle with its name, as commands take it.
    pub bundle: Option<String>,
    /// The times, or why there are none.
    pub lap: Result<Lap, String>,
    pub took: Duration,
}

/// Runs modules with the user's command.
pub struct Laps<'a> {
    series: Series,
    start: Start,
    stop: &'a Stop,
    opening: &'a Opening,
}

impl<'a> Laps<'a> {
    /// Prepares runs that are captured into a folder, which is locked from here on.
    pub fn new(
        folder: &Path,
        command: (String, Vec<String>),
        bin: Option<&Path>,
        limit: Duration,
        (stop, opening): (&'a Stop, &'a Opening),
    ) -> Result<Self, CliError> {
        let start = Start {
            folder: folder.to_owned(),
            settings: Settings { time_limit: Some(limit), options: FLAGS, ..Settings::default() },
            ..of_kernel_times(command, bin, stop)?
        };
        Ok(Self { series: Series::open(folder)?, start, stop, opening })
    }

    /// Returns the arguments of the user's command.
    pub fn arguments(&self) -> &[String] {
        &self.start.arguments
    }

    /// Returns what the first run took that an earlier process kept. It was of the untuned module.
    pub fn first(&self) -> Option<Costs> {
        let runs = &self.series.manifest().runs;
        let ns = runs.iter().find_map(|run| Some(run.process.as_ref()?.duration_ns))?;
        let run = Duration::from_nanos(ns);
        Some(Costs { run, verify: run, ..Costs::default() })
    }

    /// Returns the error with which the command ends: the same command continues what Ctrl-C stopped.
    pub fn ended(&self, error: CliError) -> CliError {
        if self.stop.is_asked() { interrupted(GOES_ON) } else { error }
    }

    /// Runs a module once. Fails if the command cannot go on.
    pub fn run(&mut self, module: &Path) -> Result<Ran, CliError> {
        let begun = Instant::now();
        let mut start = self.start.clone();
        start.arguments.push(format!("--module={}", module.display()));
        let mut report = self.series.capture(start, self.stop, &mut |_| {})?;
        let (capture, bundle, lap) = match whole(&mut report, &self.start, self.series.path()) {
            Ok(run) => {
                // Each run records the same again.
                self.start.known = Known { captured: Vec::new(), before: 0, ..report.known };
                let bundle = self.series.path().join(run.bundle.as_deref().unwrap_or_default());
                let bundle = format!("{}={}", run.name, bundle.display());
                let lap = Lap::read(vec![bundle.clone()], self.opening);
                (Some(run.name), Some(bundle), lap.map_err(|error| FLAGS.spell(&chain(&error))))
            }
            Err(End::Failed(error)) if !self.stop.is_asked() => {
                (None, None, Err(FLAGS.spell(&chain(&error))))
            }
            Err(End::Failed(error)) => return Err(error),
            Err(_) => return Err(interrupted(GOES_ON)),
        };
        Ok(Ran { capture, bundle, lap, took: begun.elapsed() })
    }
}

/// What a command says that Ctrl-C ends.
const GOES_ON: &str = "interrupted; run the same command again to continue";
