//! Races: runs two commands in turns until it is decided which is faster.
#![expect(clippy::needless_pass_by_value, reason = "Python passes values")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ireescope::capture::{Event, Start, Stop, command, free_folder, last_folder, of_kernel_times};
use ireescope::compare::{Standing, Verdict};
use ireescope::race::{
    Clocks, End, RaceError, RaceEvent, RaceRequest, RunError, is_unfinished, run,
};
use ireescope::report::comparison::change;
use ireescope::report::text::{counted, time};
use pyo3::prelude::*;

use crate::comparing::Judging;
use crate::database::Opening;
use crate::failure::{Done, Failure};
use crate::parameters::{PARAMETERS, seconds, stop_urgently, within};
use crate::waiting::{Stopping, Teller, wait};

/// Functions of `racing`.
#[pymodule(submodule, name = "racing")]
pub mod module {
    #[pymodule_export]
    use super::race;
}

/// Runs a race. Returns how it ended, the folder of its set, and warnings.
#[pyfunction]
#[pyo3(signature = (base, new, racing, judging, opening, progress))]
fn race(
    py: Python<'_>,
    base: Vec<String>,
    new: Vec<String>,
    racing: Racing,
    judging: Judging,
    opening: Opening,
    progress: Option<Py<PyAny>>,
) -> PyResult<(&'static str, PathBuf, Vec<String>)> {
    let stop = Arc::new(Stop::default());
    let (options, warnings) = opening.options();
    judging.check()?;
    let (most, time_limit) = (racing.most()?, racing.time_limit()?);
    let asked = Arc::clone(&stop);
    let urgent = || stop_urgently(&asked);
    let raced = wait(py, &Stopping::By(&urgent), progress.as_ref(), move |teller| {
        let known = racing.request([base, new], &stop)?;
        let request = RaceRequest { most, time_limit, ..known };
        let mut telling = Telling::of(teller, &request);
        let race = run(request, &options, &stop, &mut |event| telling.take(&event))?;
        let end = match race.end? {
            End::Decided => "decided",
            End::AllRuns => "all runs",
            End::TimeLimit if race.has_sides => "time limit",
            End::TimeLimit => {
                let text = "the time limit is reached, and no run counts yet";
                return Err(Failure::Verdict(text.into()));
            }
            End::Interrupted => return Err(Failure::Resource("interrupted".into())),
        };
        Ok((end, race.folder, telling.warnings()))
    })?;
    warnings.issue(py)?;
    Ok(raced)
}

/// How a race is run.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Racing {
    folder: Option<PathBuf>,
    runs: i64,
    until_decided: bool,
    /// In seconds.
    time_limit: Option<f64>,
    noise_floor: Option<f64>,
    seed: u64,
    tool_folder: Option<PathBuf>,
}

impl Racing {
    fn most(&self) -> Done<u32> {
        within("runs", self.runs, 2..=10_000)
    }

    fn time_limit(&self) -> Done<Option<Duration>> {
        self.time_limit.map(|limit| seconds("time_limit", limit)).transpose()
    }

    fn request(&self, [base, new]: [Vec<String>; 2], stop: &Stop) -> Done<RaceRequest> {
        let tools = self.tool_folder.as_deref();
        let (base, new) = (start(&base, tools, stop)?, start(&new, tools, stop)?);
        let folder = self.folder.clone().unwrap_or_else(|| free(&base, &new));
        Ok(RaceRequest {
            is_until_decided: self.until_decided,
            noise_floor: self.noise_floor,
            seed: self.seed,
            ..RaceRequest::new(base, new, folder)
        })
    }
}

/// Returns the start of a side's captures.
fn start(words: &[String], tools: Option<&Path>, stop: &Stop) -> Done<Start> {
    let mut start = of_kernel_times(command(words)?, tools, stop)?;
    start.settings.options = PARAMETERS;
    Ok(start)
}

/// Returns the folder of a race of these commands that ended early, or a new one.
fn free(base: &Start, new: &Start) -> PathBuf {
    let (tool, arguments) = (&base.tool.facts.name, &base.arguments);
    let unfinished =
        last_folder(tool, arguments, "race").filter(|folder| is_unfinished(folder, (base, new)));
    unfinished.unwrap_or_else(|| free_folder(tool, arguments, "race"))
}

/// Says how a race goes on.
struct Telling<'a> {
    teller: &'a Teller,
    /// Number of runs that count, and the largest number of them.
    done: u64,
    most: u64,
    clocks: Clocks,
    warnings: Vec<String>,
}

impl<'a> Telling<'a> {
    fn of(teller: &'a Teller, request: &RaceRequest) -> Self {
        let most = u64::from(request.most.next_multiple_of(2)) * 2;
        Self { teller, done: 0, most, clocks: Clocks::default(), warnings: Vec::new() }
    }

    fn take(&mut self, event: &RaceEvent<'_>) {
        match event {
            RaceEvent::Continues { runs, folder } => {
                let runs = counted(*runs as u64, "run");
                self.tell(format!("going on from {runs} in {}", folder.display()));
            }
            RaceEvent::WarmedUp { run, .. } => self.tell(format!("a run takes {}", time(*run))),
            RaceEvent::Capture(event) => self.of_run(event),
            RaceEvent::Ran { is_new, run, is_throttled } => {
                self.done += 1;
                self.clocks.take(*is_new, run);
                if *is_throttled {
                    let text = format!("in {}, the device throttled its clocks", run.name);
                    self.warnings.push(text);
                }
                self.tell(format!("{} is done", run.name));
            }
            RaceEvent::Block { block, standing, .. } => self.of_block(*block, standing),
        }
    }

    fn of_run(&self, event: &Event<'_>) {
        match event {
            Event::Begins { name, what } => self.tell(format!("{name}: {what}")),
            Event::Refused { name, what, reason } => {
                self.tell(format!("{name}: {what} was refused: {reason}"));
            }
            Event::Flushes { name, every_ms, reason } => {
                self.tell(format!("{name} is done again, flushing every {every_ms} ms: {reason}"));
            }
            Event::GoesOn { name, elapsed, .. } => {
                self.tell(format!("{name} ({} s)", elapsed.as_secs()));
            }
            Event::Ended { .. } => {}
        }
    }

    fn of_block(&self, block: u32, standing: &Standing) {
        let verdict = match standing.verdict {
            Verdict::NotComparable => "too few runs",
            verdict => verdict.name(),
        };
        let interval = standing.interval.map(|it| {
            format!("{} ({} to {}), ", change(it.ratio), change(it.low), change(it.high))
        });
        self.tell(format!("block {block}: {}{verdict}", interval.unwrap_or_default()));
    }

    fn tell(&self, text: String) {
        self.teller.tell(text, Some((self.done, self.most)));
    }

    /// Returns what one should know of the runs.
    fn warnings(self) -> Vec<String> {
        let clocks = self.clocks.ratio().map(|ratio| {
            let by = change(ratio);
            format!(
                "the clock of the processors differs by {by} in the runs of new from those of base"
            )
        });
        self.warnings.into_iter().chain(clocks).collect()
    }
}

impl From<RaceError> for Failure {
    fn from(error: RaceError) -> Self {
        match error {
            RaceError::Capture(error) | RaceError::Run(RunError::Capture(error)) => error.into(),
            RaceError::Run(RunError::Interrupted) => Self::Resource("interrupted".into()),
            RaceError::Run(error) => Self::Verdict(error.explained()),
            RaceError::Compare(error) => error.into(),
            RaceError::OtherCommands(_) => {
                Self::Usage(format!("{error}; give the race another output"))
            }
            RaceError::OtherSide { .. } => Self::Usage(format!(
                "{error}; give the seed with which the race began, or another output"
            )),
            RaceError::NotComparable(_) | RaceError::NoClock(_) | RaceError::OtherClock { .. } => {
                Self::Verdict(error.to_string())
            }
        }
    }
}
