//! Runs of a module: each is captured and read, and gives the time of each function.

use std::path::Path;
use std::time::{Duration, Instant};

use base::words::OptionStyle;
use tools::capture::{Series, Settings, Start, Stop, chain, command, of_kernel_times};
use workspace::WorkspaceOptions;

use super::budget::Costs;
use super::error::TuneError;
use super::request::TuneRequest;
use super::run_times::RunTimes;
use crate::race::{RunError, whole};

/// A run of a module.
pub struct RunResult {
    /// Its name in the capture set; `None` if it recorded nothing.
    pub capture: Option<String>,
    /// The bundle with its name, as commands take it.
    pub bundle: Option<String>,
    /// The times, or why there are none.
    pub times: Result<RunTimes, String>,
    pub took: Duration,
}

/// Runs modules with the user's command.
pub struct Runner<'a> {
    series: Series,
    start: Start,
    stop: &'a Stop,
    options: WorkspaceOptions,
    style: OptionStyle,
}

impl<'a> Runner<'a> {
    /// Prepares runs of the user's command. Their folder is locked from here on.
    pub fn new(request: &TuneRequest, stop: &'a Stop) -> Result<Self, TuneError> {
        let command = command(&request.command)?;
        if let Some(word) = command.1.iter().find(|word| word.starts_with("--module")) {
            return Err(TuneError::NamesModule(word.clone()));
        }
        let folder = request.folder.join("captures");
        let start = Start {
            folder: folder.clone(),
            settings: Settings {
                time_limit: Some(request.options.run_timeout()),
                options: request.style,
                ..Settings::default()
            },
            ..of_kernel_times(command, request.tools.as_deref(), stop)?
        };
        let (options, style) = (request.workspace.clone(), request.style);
        Ok(Self { series: Series::open(&folder)?, start, stop, options, style })
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

    /// Returns the error with which tuning ends: what a stop ended goes on when it is run again.
    pub fn ended(&self, error: TuneError) -> TuneError {
        if self.stop.is_asked() { TuneError::Interrupted } else { error }
    }

    /// Runs a module once. Fails if tuning cannot go on.
    pub fn run(&mut self, module: &Path) -> Result<RunResult, TuneError> {
        let begun = Instant::now();
        let mut start = self.start.clone();
        start.arguments.push(format!("--module={}", module.display()));
        let mut report = self.series.capture(start, self.stop, &mut |_| {})?;
        let run = whole(&mut report, &mut self.start, self.series.path());
        let (capture, bundle, times) = match run {
            Ok(run) => {
                let bundle = self.series.path().join(run.bundle.as_deref().unwrap_or_default());
                let bundle = format!("{}={}", run.name, bundle.display());
                let times = RunTimes::read(vec![bundle.clone()], &self.options);
                (
                    Some(run.name),
                    Some(bundle),
                    times.map_err(|error| self.style.spell(&chain(&error))),
                )
            }
            Err(RunError::Interrupted) => return Err(TuneError::Interrupted),
            Err(error) if self.stop.is_asked() => return Err(TuneError::Run(error)),
            Err(error) => (None, None, Err(self.style.spell(&error.explained()))),
        };
        Ok(RunResult { capture, bundle, times, took: begun.elapsed() })
    }
}
