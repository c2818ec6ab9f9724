//! Runs of a module: each is captured and read, and gives the time of each function.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::bundle::set::Run;
use crate::capture::plan::{Known, Wanted};
use crate::capture::{Series, Settings, Start, Stop, Tool};
use crate::cli::capture::order::{here, known};
use crate::cli::compare::sides::{self, Given};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::race::{End, whole};
use crate::compare::{Side, clock_of};
use crate::engine::Parameters;
use crate::engine::comparison::KERNEL_TIME;
use crate::statistics::median;

/// The times of a run in nanoseconds: medians over its iterations, without warm-up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lap {
    pub functions: BTreeMap<String, f64>,
    pub total: f64,
}

impl Lap {
    /// Returns the time of several functions; `None` if one of them has none.
    pub fn of(&self, functions: &[String]) -> Option<f64> {
        functions.iter().map(|name| self.functions.get(name)).sum()
    }
}

/// Why a run gave no times.
#[derive(Debug)]
pub enum Fault {
    /// The module does not run, in these words.
    Refused(String),
    /// The command cannot go on.
    Ended(CliError),
}

/// Runs modules with the user's command.
pub struct Laps<'a> {
    series: Series,
    start: Start,
    stop: &'a Stop,
    opening: &'a Opening,
}

impl<'a> Laps<'a> {
    /// Prepares runs that are captured into a folder.
    pub fn new(
        folder: &Path,
        (tool, arguments): (String, Vec<String>),
        bin: Option<&Path>,
        limit: Duration,
        (stop, opening): (&'a Stop, &'a Opening),
    ) -> Result<Self, CliError> {
        let directory = here()?;
        let questions = schemas::questions::question("kernel-time").into_iter().collect();
        let wanted = Wanted { questions, ..Wanted::default() };
        let start = Start {
            known: known(&wanted, &arguments, &directory),
            wanted,
            directory,
            tool: Tool::find(&tool, bin, stop)?,
            arguments,
            environment: BTreeMap::new(),
            folder: folder.to_owned(),
            side: None,
            given: None,
            settings: Settings { time_limit: Some(limit), ..Settings::default() },
        };
        Ok(Self { series: Series::open(folder)?, start, stop, opening })
    }

    /// Returns the arguments of the user's command.
    pub fn arguments(&self) -> &[String] {
        &self.start.arguments
    }

    /// Runs a module once.
    pub fn run(&mut self, module: &Path) -> Result<Lap, Fault> {
        let mut start = self.start.clone();
        start.arguments.push(format!("--module={}", module.display()));
        let captured = self.series.capture(start, self.stop, &mut |_| {});
        let mut report = captured.map_err(|error| Fault::Ended(error.into()))?;
        let run = whole(&mut report, &self.start, self.series.path()).map_err(|end| match end {
            End::Failed(error) if !self.stop.is_asked() => Fault::Refused(said(&error)),
            End::Failed(error) => Fault::Ended(error),
            _ => Fault::Ended(CliError::No("interrupted".to_owned())),
        })?;
        // Each run records the same again.
        self.start.known = Known { captured: Vec::new(), before: 0, ..report.known };
        self.read(&run).map_err(Fault::Ended)
    }

    fn read(&self, run: &Run) -> Result<Lap, CliError> {
        let bundle = self.series.path().join(run.bundle.as_deref().unwrap_or_default());
        let bundles = vec![format!("{}={}", run.name, bundle.display())];
        let given = Given { name: run.name.clone(), bundles };
        let runs = sides::open(&given, &KERNEL_TIME, &Parameters::default(), self.opening)?;
        let clock = clock_of(std::slice::from_ref(&runs)).map_err(CliError::No)?;
        let side = Side::of(runs.times(clock), true);
        let middle = |times: &[BTreeMap<Option<u64>, f64>]| {
            let all: Vec<f64> = times.iter().flat_map(BTreeMap::values).copied().collect();
            median(&all)
        };
        let functions = side.functions.iter().map(|it| (it.name.clone(), middle(&it.times)));
        Ok(Lap { functions: functions.collect(), total: middle(&side.total) })
    }
}

/// Returns an error with its causes in one line.
fn said(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
