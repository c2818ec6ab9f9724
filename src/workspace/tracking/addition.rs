//! Adds the runs of a build to a history.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use base::digest;
use engine::{EngineError, Warmup};
use futures::StreamExt;
use model::compare::{Measured, Runs};
use read::bundle::{Bundle, Files};
use read::history::{self, History, HistoryError, Piece, ReadOptions, RunRow};
use schemas::Clock;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::TrackingError;
use super::rows::Rows;
use super::values::now;
use crate::comparison::{Selection, read_runs};
use crate::{Workspace, WorkspaceOptions, open_or_create_history, prefixed};

/// Length of an id in hexadecimal digits.
const DIGITS: usize = 12;

/// The runs of a build that are added to a history.
#[derive(Debug, Clone)]
pub struct AddRequest {
    /// Bundles, patterns, folders or capture sets: the runs of one build.
    pub bundles: Vec<String>,
    /// Commit of the build.
    pub commit: Option<String>,
    /// Branch of the build.
    pub branch: String,
    /// Labels, as [`super::label`] returns them.
    pub labels: Vec<String>,
    /// When it was measured, as [`super::time`] returns it; `None` for now.
    pub time: Option<String>,
    pub warmup: Warmup,
    /// Whether all tables of the bundles are added as well.
    pub with_tables: bool,
}

impl Default for AddRequest {
    fn default() -> Self {
        Self {
            bundles: Vec::new(),
            commit: None,
            branch: "main".to_owned(),
            labels: Vec::new(),
            time: None,
            warmup: Warmup::Auto,
            with_tables: false,
        }
    }
}

/// The runs of a build, which are read and not yet added.
pub struct Addition {
    workspace: Workspace,
    files: Files,
    with_tables: bool,
    /// What is known of all runs.
    entry: RunRow,
    times: Runs,
    /// The bundles of the runs with their digests.
    bundles: Vec<(Arc<Bundle>, String)>,
    /// Which runs are left out or copies, what they differ by, and of which the number of calls is not certain.
    pub warnings: Vec<String>,
}

/// What became of an addition.
#[derive(Debug)]
pub struct Added {
    /// The id of the entry.
    pub entry: String,
    /// Number of its runs.
    pub runs: usize,
    /// Whether the history did not have it before.
    pub is_new: bool,
    history: History,
}

impl Added {
    /// Merges the files of the history if they are many. The entry is there all the same if this fails.
    pub fn compact(&self) -> Result<(), HistoryError> {
        if self.is_new { history::compact_if_many(&self.history) } else { Ok(()) }
    }
}

impl Addition {
    /// Opens the bundles of a request and reads their times.
    pub fn read(request: &AddRequest, options: &WorkspaceOptions) -> Result<Self, TrackingError> {
        if let Some(inner) = request.bundles.iter().find(|it| History::is_one(Path::new(it))) {
            return Err(TrackingError::IsHistory(inner.clone()));
        }
        let workspace = Workspace::open(&request.bundles, options)?;
        if workspace.engine.is_of_history() {
            return Err(TrackingError::IsHistory(request.bundles.join(" ")));
        }
        let selection = Selection { warmup: request.warmup, ..Selection::default() };
        let times = read_runs(&workspace, &selection)?;
        let times = Runs { name: "the entry".to_owned(), ..times };
        let copies = times.clone().without_copies().copies;
        let copies = copies.iter().map(|[copy, first]| format!("{copy} is a copy of {first}."));
        let uncertain = times.uncertain().map(|what| format!("{what}."));
        let warnings = times.mixed().into_iter().chain(copies).chain(uncertain).collect();
        let is_other = |bundle: &Bundle| times.others.iter().any(|run| run.name == bundle.label);
        let recorded = workspace.engine.bundles().iter();
        let recorded = recorded.filter(|bundle| bundle.stand_in.is_none() && !is_other(bundle));
        let bundles: Vec<(Arc<Bundle>, String)> =
            recorded.map(|it| (Arc::clone(it), digest::of(it.bytes()))).collect();
        Ok(Self {
            entry: entry(request, &bundles),
            files: options.files.clone(),
            with_tables: request.with_tables,
            workspace,
            times,
            bundles,
            warnings,
        })
    }

    /// Adds the runs to the history in a folder or at an address; a new or empty folder becomes one. [`Added::compact`] should
    /// follow.
    pub fn store(&self, place: &Path, options: &WorkspaceOptions) -> Result<Added, TrackingError> {
        let entry = &self.entry.entry;
        let mut rows = self.rows()?;
        self.files.whole()?;
        let history = open_or_create_history(place, options)?;
        let month = self.entry.time.get(..7).unwrap_or_default();
        let addition = history::next_addition(&history, "history_runs")?;
        rows.runs.iter_mut().for_each(|row| row.addition = Some(addition));
        let is_there = |pieces: &[Piece]| is_there(pieces, entry);
        let is_new = history.add(month, entry, is_there, |folder| {
            write(folder, "history_runs", &rows.runs)?;
            write(folder, "history_functions", &rows.functions)?;
            write(folder, "history_samples", &rows.samples)?;
            if self.with_tables {
                self.write_tables(folder)?;
            }
            self.files.whole().map_err(TrackingError::from)
        })?;
        let (entry, runs) = (entry.clone(), self.bundles.len());
        Ok(Added { entry, runs, is_new, history })
    }

    /// Returns the rows of all runs. Fails if none has times.
    fn rows(&self) -> Result<Rows, TrackingError> {
        let Self { times, bundles, .. } = self;
        let mut rows = Rows::default();
        let facts = |label: &str| times.runs.iter().find(|run| run.name == label).cloned();
        for clock in Clock::ALL {
            let times = times.times(clock);
            let mut by_run: BTreeMap<&str, Vec<Measured>> = BTreeMap::new();
            for row in times {
                by_run.entry(&row.run).or_default().push(row.clone());
            }
            for (bundle, digest) in bundles {
                let Some(times) = by_run.get(bundle.label.as_str()) else { continue };
                let run = facts(&bundle.label).unwrap_or_default();
                let known = RunRow {
                    run: run.name,
                    driver: run.driver,
                    devices: run.devices,
                    has_counters: run.has_counters,
                    is_throttled: run.is_throttled,
                    is_cut: run.is_cut,
                    contradiction: run.contradiction,
                    tick_ns: run.tick_ns,
                    inputs: run.inputs,
                    results: run.results,
                    calls_confidence: run.calls.map(|[confidence, _]| confidence),
                    untimed_functions: Some(run.untimed_functions),
                    sequence: (!run.sequence.is_empty()).then(|| run.sequence.join("\n")),
                    call_dispatches: run.calls.map(|[_, dispatches]| dispatches),
                    timing_source: clock.name().to_owned(),
                    source: bundle.path.display().to_string(),
                    source_sha256: digest.clone(),
                    ..self.entry.clone()
                };
                rows.add(known, times);
            }
        }
        let has_times = |bundle: &Bundle| rows.runs.iter().any(|row| row.run == bundle.label);
        let without = bundles.iter().find(|(bundle, _)| !has_times(bundle));
        if let Some((bundle, _)) = without {
            return Err(TrackingError::NoTimes(bundle.path.clone()));
        }
        Ok(rows)
    }

    /// Writes all tables of the bundles that have rows. Their label begins with the entry, so that it occurs once.
    fn write_tables(&self, folder: &Path) -> Result<(), TrackingError> {
        let Workspace { engine, runtime } = &self.workspace;
        let entry = &self.entry.entry;
        let tables = schemas::all().iter().filter(|table| table.is_of_bundles());
        for table in tables.filter(|table| engine.has_rows(table.name)) {
            let schema = history::schema(table.name);
            let has_place = schema.column_with_name("byte_offset").is_some();
            let order: &[&str] = if has_place { &["byte_offset"] } else { &[] };
            let prepared = runtime.block_on(engine.relation(table.name, order))?;
            let mut stream = prepared.stream()?;
            let mut batches = std::iter::from_fn(|| runtime.block_on(stream.next())).map(|batch| {
                let batch = prefixed(batch.map_err(EngineError::from)?, &format!("{entry}/"));
                Ok::<_, TrackingError>(
                    history::with_schema(&batch, &schema).map_err(HistoryError::damaged(folder))?,
                )
            });
            if let Some(first) = batches.next() {
                let path = folder.join(format!("{}.parquet", table.name));
                history::write(&path, &schema, std::iter::once(first).chain(batches))?;
            }
        }
        Ok(())
    }
}

/// Returns what is known of all runs of the entry. Its id is a digest, so that nothing is added twice.
fn entry(request: &AddRequest, bundles: &[(Arc<Bundle>, String)]) -> RunRow {
    let mut labels = request.labels.clone();
    labels.sort();
    labels.dedup();
    let time = request.time.clone().unwrap_or_else(now);
    let mut all = Sha256::new();
    let words = [&time, &request.branch].into_iter().chain(&request.commit).chain(&labels);
    for word in words.chain(bundles.iter().flat_map(|(bundle, digest)| [&bundle.label, digest])) {
        all.update(word.as_bytes());
        all.update([0]);
    }
    let id = digest::hexadecimal(&all.finalize());
    RunRow {
        entry: id.get(..DIGITS).unwrap_or(&id).to_owned(),
        time,
        branch: request.branch.clone(),
        commit: request.commit.clone(),
        labels: (!labels.is_empty()).then(|| labels.join(",")),
        ..RunRow::default()
    }
}

/// Whether pieces have an entry.
fn is_there(pieces: &[Piece], entry: &str) -> Result<bool, HistoryError> {
    let options = ReadOptions {
        table: "history_runs",
        entries: Some(&std::iter::once(entry.to_owned()).collect()),
        columns: Some(&["entry"]),
    };
    for piece in pieces {
        if history::batches(piece, options)?.iter().any(|batch| batch.num_rows() > 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes the rows of a table of histories.
pub fn write<Row: Serialize>(
    folder: &Path,
    table: &str,
    rows: &[Row],
) -> Result<(), TrackingError> {
    let schema = history::schema(table);
    let path = folder.join(format!("{table}.parquet"));
    let batch = history::batch(&schema, rows);
    let batch = batch.map_err(|error| HistoryError::writing(&path)(io::Error::other(error)))?;
    history::write(&path, &schema, [Ok::<_, TrackingError>(batch)])
}
