//! Captures profiles with IREE's tools, and fills the gaps of captures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ireescope::capture::plan::{Known, Wanted};
use ireescope::capture::{
    CaptureError, CaptureRequest, Filters, REPLAYER, Report, Series, Settings, Start, Stop,
    absolute, chain, command, fallbacks, preview, undisturbing,
};
use ireescope::fill::{self, FillError, FillPlan, FillRequest};
use pyo3::prelude::*;
use schemas::questions::{MODES, QUESTIONS, Question, mode};

use crate::database::{Opening, questions};
use crate::failure::{Done, Failure};
use crate::rows::Rows;
use crate::runs::{self, Telling};
use crate::waiting::{Stopping, Teller, wait};

/// What to capture, and how.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Capturing {
    questions: Vec<String>,
    modes: Vec<String>,
    counters: Vec<String>,
    output: Option<PathBuf>,
    tool_folder: Option<PathBuf>,
    repeat: u32,
    /// In seconds.
    time_limit: Option<f64>,
    flush_interval_ms: Option<u32>,
    replay: bool,
    statistics: bool,
    all: bool,
    function: Option<String>,
    command_buffer: Option<u64>,
    command_index: Option<u32>,
    physical_device: Option<u32>,
    queue: Option<u32>,
}

/// What was captured, or would be.
#[derive(IntoPyObject)]
struct Captured {
    folder: PathBuf,
    runs: Rows,
    bundles: Vec<PathBuf>,
    /// The questions and how they are answered.
    answers: Vec<(&'static str, String)>,
    missing: Vec<String>,
    notes: Vec<String>,
}

/// Functions of `capturing`.
#[pymodule(submodule, name = "capturing")]
pub mod module {
    #[pymodule_export]
    use super::{Plan, capture, prepare};
}

/// Runs a tool and captures.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn capture(
    py: Python<'_>,
    words: Vec<String>,
    capturing: Capturing,
    environment: BTreeMap<String, String>,
    directory: Option<PathBuf>,
    is_dry_run: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Captured> {
    let (tool, arguments) = command(&words).map_err(Failure::from)?;
    let is_replayer = Path::new(&tool).file_name().is_some_and(|name| name == REPLAYER);
    if capturing.replay && is_replayer {
        let text = format!("replay is not for {REPLAYER}, which replays a recording itself");
        return Err(Failure::Usage(text).into());
    }
    let is_explicit = !(capturing.questions.is_empty() && capturing.modes.is_empty());
    let request = CaptureRequest {
        wanted: capturing.wanted(if is_explicit { Vec::new() } else { undisturbing() })?,
        tool,
        arguments,
        environment,
        directory: directory.map(|it| absolute(&it)),
        tool_folder: capturing.tool_folder.clone(),
        folder: capturing.output.clone(),
        settings: capturing.settings()?,
        ..CaptureRequest::default()
    };
    perform(py, request, is_dry_run, progress.map(Bound::as_unbound))
}

/// Finds what is missing for questions, and the command that captures it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn prepare(
    py: Python<'_>,
    path: String,
    words: Vec<String>,
    capturing: Capturing,
    opening: Opening,
) -> PyResult<Plan> {
    let default = FillRequest::of(path.clone()).wanted.questions;
    let request = FillRequest {
        path: path.clone(),
        wanted: capturing.wanted(default)?,
        folder: capturing.output.clone(),
        command: words,
        tool_folder: capturing.tool_folder.clone(),
        settings: capturing.settings()?,
    };
    let (options, warnings) = opening.options();
    let wanted = request.wanted.clone();
    let (plan, notices) = wait(py, &Stopping::Abandoned, None, move |_| {
        let mut notices = Vec::new();
        let mut tell = |notice: &fill::Notice| {
            notices.push((notice.is_warning(), notice.to_string()));
        };
        Ok((fill::prepare(&request, &options, &mut tell)?, notices))
    })?;
    warnings.issue(py)?;
    Ok(Plan::of(plan, &wanted, PathBuf::from(path), notices))
}

/// How gaps are to be filled.
#[pyclass(frozen, module = "ireescope._native")]
struct Plan {
    /// The capture, until it is run; `None` if there is nothing to capture.
    request: Mutex<Option<CaptureRequest>>,
    path: PathBuf,
    known: Known,
    wanted: Wanted,
    /// The command and why it may do harm.
    #[pyo3(get)]
    consent: Option<(Vec<String>, Vec<String>)>,
    /// What one should know, and whether it is a warning.
    #[pyo3(get)]
    notices: Vec<(bool, String)>,
}

impl Plan {
    fn of(plan: FillPlan, wanted: &Wanted, path: PathBuf, notices: Vec<(bool, String)>) -> Self {
        let (request, known, consent) = match plan {
            FillPlan::Complete { known, .. } => (None, known, None),
            FillPlan::Capture { request, consent, .. } => {
                (Some(*request), Known::default(), consent.map(|it| (it.command, it.reasons)))
            }
        };
        let request = Mutex::new(request);
        Self { request, path, known, wanted: wanted.clone(), consent, notices }
    }
}

#[pymethods]
impl Plan {
    /// Captures. `None` if there is nothing to capture, and all is answered.
    fn run(
        &self,
        py: Python<'_>,
        is_dry_run: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Captured>> {
        let request = self.request.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(request) = request {
            return perform(py, request, is_dry_run, progress.map(Bound::as_unbound)).map(Some);
        }
        let missing = self.known.missing(&self.wanted);
        if missing.is_empty() {
            return Ok(None);
        }
        Ok(Some(Captured {
            folder: absolute(&self.path),
            runs: runs::planned(&[])?,
            bundles: Vec::new(),
            answers: answers(&self.known, &self.wanted),
            missing,
            notes: Vec::new(),
        }))
    }
}

impl Capturing {
    /// Returns what is wanted, by default these questions.
    fn wanted(&self, default: Vec<&'static Question>) -> Done<Wanted> {
        let is_all = self.questions.iter().any(|name| name == "all");
        let asked = match self.questions.as_slice() {
            [] => default,
            _ if is_all => QUESTIONS.iter().collect(),
            names => {
                let found = questions(names)?;
                QUESTIONS.iter().filter(|it| found.contains(it)).collect()
            }
        };
        let modes = self.modes.iter().map(|name| {
            let known = || MODES.iter().map(|mode| mode.name).collect::<Vec<_>>().join(", ");
            let wrong = || format!("there is no mode `{name}`; modes are {}", known());
            mode(name).map(|mode| mode.name).ok_or_else(|| Failure::Usage(wrong()))
        });
        Ok(Wanted::of(asked, &modes.collect::<Done<Vec<_>>>()?, &self.counters))
    }

    fn settings(&self) -> Done<Settings> {
        if !(1..=10_000).contains(&self.repeat) {
            return Err(Failure::Usage(format!("repeat is from 1 to 10000, not {}", self.repeat)));
        }
        let limit = self.time_limit.map(|seconds| {
            let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
            let wrong = || format!("time_limit is a number of seconds above 0, not {seconds}");
            limit.ok_or_else(|| Failure::Usage(wrong()))
        });
        Ok(Settings {
            filters: Filters {
                function: self.function.clone(),
                command_buffer: self.command_buffer,
                command_index: self.command_index,
                physical_device: self.physical_device,
                queue: self.queue,
            },
            flush_interval_ms: self.flush_interval_ms,
            repeat: self.repeat,
            time_limit: limit.transpose()?,
            replay: self.replay,
            statistics: self.statistics,
            may_be_bulky: self.all,
            ..Settings::default()
        })
    }
}

/// Runs a capture, or describes it. An exception ends the tools, and keeps nothing of the run that it cuts.
fn perform(
    py: Python<'_>,
    request: CaptureRequest,
    is_dry_run: bool,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Captured> {
    let stop = Arc::new(Stop::default());
    let asked = Arc::clone(&stop);
    // The second request kills the tool that runs.
    let urgent = || {
        asked.ask();
        asked.ask();
    };
    wait(py, &Stopping::By(&urgent), progress, move |teller| {
        let (start, lacking) = request.preview(&stop)?;
        match lacking {
            _ if is_dry_run => described(&start, lacking.as_ref()),
            Some(error) => Err(error.into()),
            None => captured(start, &stop, teller),
        }
    })
}

fn captured(start: Start, stop: &Stop, teller: &Teller) -> Done<Captured> {
    let (wanted, mut told) = (start.wanted.clone(), Telling::of(teller));
    let mut series = Series::open(&start.folder)?;
    let mut report = series.capture_whole(start, stop, &mut |event| told.take(event))?;
    if let Some(failure) = report.failure.take() {
        return Err(failure.into());
    }
    let folder = series.path();
    if !report.has_recorded() {
        let mut nothing = report.nothing(&wanted, folder);
        if nothing.is_unsupported {
            nothing.outcome.push_str("; modes asks for a mode anyway");
        }
        return Err(Failure::Resource(nothing.to_string()));
    }
    let bundles = report.runs.iter().filter(|run| run.bundle.is_some());
    Ok(Captured {
        folder: folder.to_owned(),
        runs: runs::done(&report.runs, folder)?,
        bundles: bundles.map(|run| report.path(folder, &run.name)).collect(),
        answers: answers(&report.known, &wanted),
        missing: report.known.missing(&wanted),
        notes: notes(&report, &wanted),
    })
}

/// Describes a capture without doing it.
fn described(start: &Start, lacking: Option<&CaptureError>) -> Done<Captured> {
    let runs = preview(start)?;
    let mut notes: Vec<String> = lacking.into_iter().map(spelled).collect();
    for (reason, modes) in start.known.unavailable(&start.wanted) {
        notes.push(format!("not asked: {} ({reason})", modes.join(", ")));
    }
    if runs.iter().any(|run| run.lists_counters) {
        notes.push("no counter is named, so a first run asks the driver for its list".into());
    }
    for question in &start.wanted.questions {
        notes.extend(fallbacks(question, &start.known).into_iter().map(|fallback| {
            let (lost, needs) = (fallback.without.join(" or "), fallback.way.needs.join(" and "));
            format!("if {lost} is refused, {} is answered by {needs}", question.name)
        }));
    }
    Ok(Captured {
        folder: absolute(&start.folder),
        runs: runs::planned(&runs)?,
        bundles: Vec::new(),
        answers: Vec::new(),
        missing: Vec::new(),
        notes,
    })
}

fn answers(known: &Known, wanted: &Wanted) -> Vec<(&'static str, String)> {
    let said = |question: &&'static Question| (question.name, known.conclude(question).to_string());
    wanted.questions.iter().map(said).collect()
}

/// Returns what one should know of a capture besides the answers.
fn notes(report: &Report, wanted: &Wanted) -> Vec<String> {
    let known = &report.known;
    let lost = wanted.modes.iter().filter(|mode| !known.holds(mode));
    let modes = lost.map(|mode| format!("{mode} is not available: {}", known.reason(mode)));
    let filters = known.filters_refused.iter();
    let filters = filters.map(|reason| format!("the filters are not applied: {reason}"));
    let counters = known.refused_counters.iter();
    let counters = counters.map(|(name, why)| format!("counter {name} is not available: {why}"));
    let cold = report.is_of_first_call().then(|| {
        "the times are those of one call, and include its warm-up; iree-benchmark-module measures the steady state"
            .to_owned()
    });
    modes.chain(filters).chain(counters).chain(cold).collect()
}

/// Returns the text of an error, with options as this package names them.
fn spelled(error: &CaptureError) -> String {
    chain(error).replace("option `iree_bin_dir`", "tool_folder")
}

impl From<CaptureError> for Failure {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Bundle(error) => error.into(),
            CaptureError::Bulky(_) => Self::Usage(format!(
                "{error}; choose some with function, command_buffer or command_index, or allow all with all=True"
            )),
            CaptureError::ReservedFlag(_) => {
                Self::Usage(format!("{error}; use the parameters of the function"))
            }
            CaptureError::NoCommand | CaptureError::NotASet(_) => Self::Usage(error.to_string()),
            _ => Self::Resource(spelled(&error)),
        }
    }
}

impl From<FillError> for Failure {
    fn from(error: FillError) -> Self {
        match error {
            FillError::Open(error) => error.into(),
            FillError::Capture(error) => error.into(),
            FillError::InPlace(_) => Self::Usage(format!("output is for a bundle, but {error}")),
            FillError::UnknownCommand(_) => {
                Self::Usage(format!("{error}; give the tool and its arguments as command"))
            }
        }
    }
}
