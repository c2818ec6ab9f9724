//! `history add`: adds the runs of a build.

use std::collections::BTreeMap;
use std::path::Path;

use exporters::printable;
use futures::StreamExt;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

use super::args::{Add, Keep, now};
use super::rows::Rows;
use crate::bundle::{Bundle, digest};
use crate::cli::compare;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::output::print;
use crate::cli::signals;
use crate::compare::{Measured, Run, Runs};
use crate::engine::comparison::KERNEL_TIME;
use crate::engine::{Engine, EngineError, Parameters};
use crate::history::{self, Asked, History, HistoryError, RunRow};
use crate::report::text::counted;
use crate::workspace::{Workspace, prefixed};

/// Length of an id in hexadecimal digits.
const DIGITS: usize = 12;

/// Runs the command.
pub fn run(args: &Add, opening: &Opening) -> Result<(), CliError> {
    if let Some(inner) = args.bundles.iter().find(|it| History::is_one(Path::new(it))) {
        return Err(CliError::Usage(format!("{inner} is a history; name bundles to add")));
    }
    let Workspace { engine, runtime } = opening.open(&args.bundles)?;
    let parameters = Parameters { warmup: args.warmup, ..Parameters::default() };
    let times = compare::read(&engine, &runtime, &KERNEL_TIME, &parameters)?;
    let times = Runs { name: "the entry".to_owned(), ..times };
    let copies = times.clone().without_copies().copies;
    let copies = copies.iter().map(|[copy, first]| format!("{copy} is a copy of {first}."));
    for line in times.mixed().into_iter().chain(copies) {
        eprintln!("ireescope: warning: {}", printable(&line));
    }
    let is_other = |bundle: &Bundle| times.others.iter().any(|run| run.name == bundle.label);
    let recorded = engine.bundles().iter();
    let recorded = recorded.filter(|bundle| bundle.stand_in.is_none() && !is_other(bundle));
    let bundles: Vec<(&Bundle, String)> =
        recorded.map(|it| (&**it, digest::of(it.bytes()))).collect();
    let known = known(args, &bundles);
    let mut rows = rows(&known, &bundles, &times)?;
    opening.files.whole()?;
    signals::end_cleanly()?;
    let kept = History::open_or_create(&args.folder)?;
    let month = known.time.get(..7).unwrap_or_default();
    let addition = history::next_addition(&kept, "history_runs")?;
    rows.runs.iter_mut().for_each(|row| row.addition = Some(addition));
    let is_new = !is_there(&kept, month, &known.entry)?
        && kept.add(month, &known.entry, |folder| {
            write(folder, "history_runs", &rows.runs)?;
            write(folder, "history_functions", &rows.functions)?;
            write(folder, "history_samples", &rows.samples)?;
            if args.keep == Some(Keep::Raw) {
                raw(folder, &known.entry, &engine, &runtime)?;
            }
            opening.files.whole().map_err(CliError::from)
        })?;
    let folder = args.folder.display();
    if is_new {
        let runs = counted(bundles.len() as u64, "run");
        eprintln!("ireescope: added {runs} to {folder} as {}", known.entry);
        // The entry is there, whatever becomes of the others.
        if let Err(error) = history::compact_if_many(&kept) {
            CliError::from(error).warn();
        }
    } else {
        eprintln!("ireescope: {folder} has this entry already");
    }
    print(&format!("{}\n", known.entry))
}

/// Returns what is known of all runs of the entry. Its id is a digest, so that nothing is added twice.
fn known(args: &Add, bundles: &[(&Bundle, String)]) -> RunRow {
    let mut labels = args.labels.clone();
    labels.sort();
    labels.dedup();
    let time = args.time.clone().unwrap_or_else(now);
    let mut all = Sha256::new();
    let words = [&time, &args.branch].into_iter().chain(&args.commit).chain(&labels);
    for word in words.chain(bundles.iter().flat_map(|(bundle, digest)| [&bundle.label, digest])) {
        all.update(word.as_bytes());
        all.update([0]);
    }
    let id = digest::hexadecimal(&all.finalize());
    RunRow {
        entry: id.get(..DIGITS).unwrap_or(&id).to_owned(),
        time,
        branch: args.branch.clone(),
        commit: args.commit.clone(),
        labels: (!labels.is_empty()).then(|| labels.join(",")),
        ..RunRow::default()
    }
}

/// Returns the rows of all runs. Fails if none has times.
fn rows(known: &RunRow, bundles: &[(&Bundle, String)], times: &Runs) -> Result<Rows, CliError> {
    let mut rows = Rows::default();
    let facts = |label: &str| times.runs.iter().find(|run| run.name == label).cloned();
    for (clock, times) in [("device", &times.device), ("host", &times.host)] {
        let mut by_run: BTreeMap<&str, Vec<Measured>> = BTreeMap::new();
        for row in times {
            by_run.entry(&row.run).or_default().push(row.clone());
        }
        for (bundle, digest) in bundles {
            let Some(times) = by_run.get(bundle.label.as_str()) else { continue };
            let Run {
                name: run,
                driver,
                devices,
                has_counters,
                is_throttled,
                is_cut,
                contradiction,
                tick_ns,
                inputs,
                results,
                ..
            } = facts(&bundle.label).unwrap_or_default();
            let known = RunRow {
                run,
                driver,
                devices,
                has_counters,
                is_throttled,
                is_cut,
                contradiction,
                tick_ns,
                inputs,
                results,
                timing_source: clock.to_owned(),
                source: bundle.path.display().to_string(),
                source_sha256: digest.clone(),
                ..known.clone()
            };
            rows.add(known, times);
        }
    }
    let has_times = |bundle: &Bundle| rows.runs.iter().any(|row| row.run == bundle.label);
    let without = bundles.iter().find(|(bundle, _)| !has_times(bundle));
    if let Some((bundle, _)) = without {
        return Err(CliError::Usage(format!(
            "{} has no timed dispatches, so there is nothing to keep; `ireescope gaps` tells how to capture them",
            bundle.path.display()
        )));
    }
    Ok(rows)
}

fn is_there(kept: &History, month: &str, entry: &str) -> Result<bool, HistoryError> {
    let asked = Asked {
        table: "history_runs",
        entries: Some(&std::iter::once(entry.to_owned()).collect()),
        columns: Some(&["entry"]),
    };
    for piece in kept.pieces()?.iter().filter(|piece| piece.month == month) {
        if history::batches(piece, asked)?.iter().any(|batch| batch.num_rows() > 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes the rows of a table of histories.
pub fn write<Row: Serialize>(folder: &Path, table: &str, rows: &[Row]) -> Result<(), CliError> {
    let schema = history::schema(table);
    let path = folder.join(format!("{table}.parquet"));
    let batch = history::batch(&schema, rows);
    let batch = batch.map_err(|error| CliError::writing(&path)(std::io::Error::other(error)))?;
    history::write(&path, &schema, [Ok::<_, CliError>(batch)])
}

/// Writes all tables of the bundles that have rows. Their label begins with the entry, so that it occurs once.
fn raw(folder: &Path, entry: &str, engine: &Engine, runtime: &Runtime) -> Result<(), CliError> {
    let tables = schemas::all().iter().filter(|table| table.is_of_bundles());
    for table in tables.filter(|table| engine.has_rows(table.name)) {
        let schema = history::schema(table.name);
        let has_place = schema.column_with_name("byte_offset").is_some();
        let order: &[&str] = if has_place { &["byte_offset"] } else { &[] };
        let prepared = runtime.block_on(engine.relation(table.name, order))?;
        let mut stream = prepared.stream()?;
        let mut batches = std::iter::from_fn(|| runtime.block_on(stream.next())).map(|batch| {
            let batch = prefixed(batch.map_err(EngineError::from)?, &format!("{entry}/"));
            Ok::<_, CliError>(
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
