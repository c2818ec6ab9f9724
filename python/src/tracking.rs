//! Histories: adds the runs of builds, lists them, compares them with a baseline, and finds when times changed.
#![expect(clippy::needless_pass_by_value, reason = "Python passes values")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ireescope::comparison::CompareOptions;
use ireescope::history::{self, HistoryError, Kept};
use ireescope::tracking::{
    AcceptRequest, AddRequest, Addition, CheckRequest, DriftRequest, Entries, ListRequest, Listed,
    TrackingError, batch, label, list, time,
};
use ireescope::workspace::{WorkspaceOptions, open_history};
use pyo3::prelude::*;

use crate::comparing::{Comparison, Judging, meant};
use crate::database::{Opening, warmup};
use crate::failure::{Done, Failure, whole};
use crate::rows::Rows;
use crate::waiting::{PATIENCE, Stopping, wait};

/// Functions of `tracking`.
#[pymodule(submodule, name = "tracking")]
pub mod module {
    #[pymodule_export]
    use super::accept;
    #[pymodule_export]
    use super::add;
    #[pymodule_export]
    use super::check;
    #[pymodule_export]
    use super::compact;
    #[pymodule_export]
    use super::drift;
    #[pymodule_export]
    use super::entries;
}

/// Adds the runs of a build. Returns the id of the entry, the number of runs, whether it is new, and warnings.
#[pyfunction]
#[pyo3(signature = (folder, adding, opening))]
fn add(
    py: Python<'_>,
    folder: PathBuf,
    adding: Adding,
    opening: Opening,
) -> PyResult<(String, usize, bool, Vec<String>)> {
    let (options, warnings) = opening.options();
    let request = adding.request()?;
    let of_reading = options.clone();
    let read = move |_: &_| Ok(Addition::read(&request, &of_reading)?);
    let addition = wait(py, &Stopping::Abandoned, None, read)?;
    warnings.issue(py)?;
    // What is written is there whole or not at all, so that it is waited for.
    wait(py, &Stopping::By(&|| {}), None, move |_| {
        let added = addition.store(&folder, &options)?;
        let mut warnings = addition.warnings;
        // The entry is there all the same.
        warnings.extend(added.compact().err().map(|error| whole(&error)));
        Ok((added.entry, added.runs, added.is_new, warnings))
    })
}

/// Lists the entries, and says how many older ones there are.
#[pyfunction]
#[pyo3(signature = (folder, branch, labels, limit))]
fn entries(
    py: Python<'_>,
    folder: PathBuf,
    branch: Option<String>,
    labels: Vec<String>,
    limit: Option<usize>,
) -> PyResult<Rows> {
    let request = ListRequest { branch, labels: parsed(labels)?, limit };
    wait(py, &Stopping::Abandoned, None, move |_| {
        let Listed { batch, .. } = list(&folder, &request, &WorkspaceOptions::default())?;
        Ok(Rows::of_batches(batch.schema(), vec![batch]))
    })
}

/// Compares a new result with the baseline of its branch, or with the entries before it.
#[pyfunction]
#[pyo3(signature = (folder, checking, judging, opening))]
fn check(
    py: Python<'_>,
    folder: PathBuf,
    checking: Checking,
    judging: Judging,
    opening: Opening,
) -> PyResult<Checked> {
    let (options, warnings) = opening.options();
    let request = checking.request()?;
    let labels = parsed(checking.labels)?;
    let (how, gate) = (judging.options(CompareOptions::default())?, judging.gate()?);
    let checked = wait(py, &Stopping::Abandoned, None, move |_| {
        let entries = Entries::read(&open_history(&folder, Kept::Times, &options)?, &labels)?;
        let check = entries.check(&request)?;
        let sides = entries.sides(&check, &request, &options)?;
        let compare = |sides| Comparison::of(sides, &how, gate, judging.terms(), &options.files);
        Ok(Checked {
            comparison: sides.map(compare).transpose()?,
            name: check.name,
            branch: check.branch,
            labels: check.labels.into_iter().map(str::to_owned).collect(),
            baseline: check.baseline.map(|baseline| baseline.description),
        })
    })?;
    warnings.issue(py)?;
    Ok(checked)
}

/// Makes an entry the baseline of a branch. Returns its name and the branch.
#[pyfunction]
#[pyo3(signature = (folder, entry, branch, labels, at))]
fn accept(
    py: Python<'_>,
    folder: PathBuf,
    entry: Option<String>,
    branch: Option<String>,
    labels: Vec<String>,
    at: Option<String>,
) -> PyResult<(String, String)> {
    let request = AcceptRequest { entry, branch, labels: parsed(labels)?, time: timed(at)? };
    wait(py, &Stopping::By(&|| {}), None, move |_| {
        let history = open_history(&folder, Kept::Runs, &WorkspaceOptions::default())?;
        let accepted = ireescope::tracking::accept(&history, &request)?;
        Ok((accepted.entry, accepted.branch))
    })
}

/// Finds when times changed.
#[pyfunction]
#[pyo3(signature = (folder, branch, across, filter, last, labels))]
fn drift(
    py: Python<'_>,
    folder: PathBuf,
    branch: Option<String>,
    across: Vec<String>,
    filter: String,
    last: Option<usize>,
    labels: Vec<String>,
) -> PyResult<Drift> {
    let request = DriftRequest { branch, across, filter, last };
    let labels = parsed(labels)?;
    wait(py, &Stopping::Abandoned, None, move |_| {
        let history = open_history(&folder, Kept::Times, &WorkspaceOptions::default())?;
        let entries = Entries::read(&history, &labels)?;
        let trends = entries.drift(&request)?;
        let changes = batch(&trends.changes);
        let changes = changes.map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(Drift {
            branch: trends.branch.to_owned(),
            labels: trends.labels.into_iter().map(str::to_owned).collect(),
            clock: trends.clock.name(),
            entries: trends.entries.len(),
            functions: trends.functions,
            first_time: trends.entries.first().map(|entry| entry.time.clone()),
            last_time: trends.entries.last().map(|entry| entry.time.clone()),
            other_labels: trends.unlike,
            other_clocks: trends.left_out,
            changes: Rows::of_batches(changes.schema(), vec![changes]),
        })
    })
}

/// Merges the files of each month. Waits until nobody else uses the history. Returns the numbers of months and pieces.
#[pyfunction]
fn compact(py: Python<'_>, folder: PathBuf) -> PyResult<(usize, usize)> {
    let is_over = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&is_over);
    wait(py, &Stopping::By(&|| is_over.store(true, Ordering::Relaxed)), None, move |_| {
        let history = open_history(&folder, Kept::Runs, &WorkspaceOptions::default())?;
        while !history.lock_alone(false)? {
            if stopped.load(Ordering::Relaxed) {
                return Err(Failure::Resource("interrupted".into()));
            }
            thread::sleep(PATIENCE);
        }
        let done = history::compact(&history)?;
        Ok((done.months, done.pieces))
    })
}

/// What is added.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Adding {
    bundles: Vec<String>,
    commit: Option<String>,
    branch: String,
    labels: Vec<String>,
    time: Option<String>,
    warmup: String,
    with_tables: bool,
}

impl Adding {
    fn request(self) -> Done<AddRequest> {
        Ok(AddRequest {
            bundles: self.bundles,
            commit: self.commit,
            branch: self.branch,
            labels: parsed(self.labels)?,
            time: timed(self.time)?,
            warmup: warmup(&self.warmup)?,
            with_tables: self.with_tables,
        })
    }
}

/// What is checked.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Checking {
    new: Option<String>,
    branch: Option<String>,
    labels: Vec<String>,
    across: Vec<String>,
    window: Option<u32>,
    warmup: String,
}

impl Checking {
    fn request(&self) -> Done<CheckRequest> {
        if self.window == Some(0) {
            return Err(Failure::Usage("window is the number of entries, at least one".into()));
        }
        Ok(CheckRequest {
            new: self.new.clone(),
            branch: self.branch.clone(),
            across: self.across.clone(),
            window: self.window,
            warmup: warmup(&self.warmup)?,
        })
    }
}

/// What is compared with what.
#[derive(IntoPyObject)]
struct Checked {
    name: String,
    branch: String,
    labels: Vec<String>,
    /// `None` if there is nothing to compare with.
    baseline: Option<String>,
    comparison: Option<Comparison>,
}

/// The changes, and where they were looked for.
#[derive(IntoPyObject)]
struct Drift {
    branch: String,
    labels: Vec<String>,
    clock: &'static str,
    entries: usize,
    functions: usize,
    first_time: Option<String>,
    last_time: Option<String>,
    other_labels: usize,
    other_clocks: usize,
    changes: Rows,
}

/// Checks labels.
fn parsed(labels: Vec<String>) -> Done<Vec<String>> {
    let wrong = |text: &str, error| Failure::Usage(format!("{error}, not {text}"));
    labels.into_iter().map(|text| label(&text).map_err(|error| wrong(&text, error))).collect()
}

/// Parses a time.
fn timed(text: Option<String>) -> Done<Option<String>> {
    let parse =
        |text: String| time(&text).map_err(|error| Failure::Usage(format!("time {text}: {error}")));
    text.map(parse).transpose()
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        match &error {
            HistoryError::Write { .. } => Self::Resource(whole(&error)),
            HistoryError::Remote(_) => match error {
                HistoryError::Remote(error) => (*error).into(),
                other => Self::Resource(whole(&other)),
            },
            HistoryError::Read { path, .. }
            | HistoryError::NotOne { path, .. }
            | HistoryError::Damaged { path, .. } => Self::input(Some(path), whole(&error)),
            HistoryError::DamagedObject { .. } => Self::input(None, whole(&error)),
        }
    }
}

impl From<TrackingError> for Failure {
    fn from(error: TrackingError) -> Self {
        match error {
            TrackingError::Open(error) => error.into(),
            TrackingError::Bundle(error) => error.into(),
            TrackingError::Engine(error) => error.into(),
            TrackingError::History(error) => error.into(),
            TrackingError::Compare(error) => error.into(),
            TrackingError::IsHistory(_)
            | TrackingError::SeveralEntries(_)
            | TrackingError::NoTimes(_) => Self::Usage(error.to_string()),
            TrackingError::NoEntry | TrackingError::UnknownEntry { .. } => {
                Self::Verdict(format!("{error}; `History.entries` lists them"))
            }
            TrackingError::DifferentLabels { .. } => Self::Usage(format!(
                "{error}; say with labels which the bundles have, or with across that a label does not matter"
            )),
            TrackingError::IsBaseline { .. } => {
                Self::Verdict(format!("{error}; add a new result, or compare with a window"))
            }
            TrackingError::NoMatch { ref pattern, ref names } => {
                Self::Usage(format!("{error}{}", meant(pattern, names)))
            }
        }
    }
}
