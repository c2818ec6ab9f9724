//! The runs of a capture: as rows, and in words while they go on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow::datatypes::{Field, Schema};
use ireescope::bundle::set::{Outcome, Refused, Run, shell_words};
use ireescope::capture::{Event, PROBE, PreviewedRun};
use ireescope::report::text;

use crate::failure::{Done, Failure};
use crate::rows::Rows;
use crate::waiting::Teller;

/// The shortest time between two texts about a run that goes on.
const PAUSE: Duration = Duration::from_millis(200);

/// A run that was done, or that would be.
#[derive(Default)]
struct Row {
    run: String,
    outcome: String,
    /// Where its bundle is.
    path: Option<PathBuf>,
    questions: String,
    asked: String,
    got: String,
    refused: Option<String>,
    counters: Option<String>,
    command: Option<String>,
    duration_ns: Option<u64>,
    exit_code: Option<u32>,
}

/// Returns the runs of a set in this folder as rows.
pub fn done(runs: &[Run], folder: &Path) -> Done<Rows> {
    let row = |run: &Run| {
        let process = run.process.as_ref();
        Row {
            run: run.name.clone(),
            outcome: run.outcome.name(),
            path: run.bundle.as_ref().map(|bundle| folder.join(bundle)),
            questions: run.questions.join(","),
            asked: run.asked.join(","),
            got: run.got.join(","),
            refused: some(run.refused.iter().map(refused).collect::<Vec<_>>().join("; ")),
            counters: some(run.counters.join(",")),
            command: process.map(|it| shell_words(it.ran.iter().map(String::as_str))),
            duration_ns: process.map(|process| process.duration_ns),
            exit_code: process.and_then(|it| it.exit_code?.try_into().ok()),
        }
    };
    rows(&runs.iter().map(row).collect::<Vec<_>>())
}

/// Returns planned runs as rows.
pub fn planned(runs: &[PreviewedRun]) -> Done<Rows> {
    let row = |run: &PreviewedRun| Row {
        run: run
            .last
            .as_ref()
            .map_or_else(|| run.name.clone(), |it| format!("{} to {it}", run.name)),
        outcome: "planned".into(),
        questions: run.questions.join(","),
        asked: run.what.replace(", ", ","),
        command: Some(shell_words(run.command.iter().map(String::as_str))),
        ..Row::default()
    };
    rows(&runs.iter().map(row).collect::<Vec<_>>())
}

fn refused(refused: &Refused) -> String {
    format!("{}: {}", refused.counter.as_ref().unwrap_or(&refused.mode), refused.reason)
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn rows(rows: &[Row]) -> Done<Rows> {
    let texts = |of: fn(&Row) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let columns: [(&str, ArrayRef); 11] = [
        ("run", texts(|row| Some(row.run.clone()))),
        ("outcome", texts(|row| Some(row.outcome.clone()))),
        ("path", texts(|row| Some(row.path.as_ref()?.display().to_string()))),
        ("questions", texts(|row| Some(row.questions.clone()))),
        ("asked", texts(|row| Some(row.asked.clone()))),
        ("got", texts(|row| Some(row.got.clone()))),
        ("refused", texts(|row| row.refused.clone())),
        ("counters", texts(|row| row.counters.clone())),
        ("command", texts(|row| row.command.clone())),
        ("duration_ns", Arc::new(rows.iter().map(|row| row.duration_ns).collect::<UInt64Array>())),
        ("exit_code", Arc::new(rows.iter().map(|row| row.exit_code).collect::<UInt32Array>())),
    ];
    let fields = columns.iter().map(|(name, array)| {
        Field::new(*name, array.data_type().clone(), true).with_metadata(meaning(name))
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
    let batch = batch.map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Rows::of_batches(schema, vec![batch]))
}

/// Returns the description and unit of a column, which are those of the table `runs`.
fn meaning(name: &str) -> HashMap<String, String> {
    if name == "path" {
        return schemas::arrow::metadata("Path of the bundle; NULL if nothing was recorded.", "");
    }
    let columns = schemas::find("runs").map(schemas::Table::columns).unwrap_or_default();
    let known = columns.iter().find(|column| column.name == name);
    known.map(|it| schemas::arrow::metadata(&it.doc, it.unit.name())).unwrap_or_default()
}

/// Says how a capture goes on.
pub struct Telling<'a> {
    teller: &'a Teller,
    what: String,
    /// When it was said that the run goes on.
    said: Instant,
}

impl<'a> Telling<'a> {
    pub fn of(teller: &'a Teller) -> Self {
        Self { teller, what: String::new(), said: Instant::now() }
    }

    /// Takes an event.
    pub fn take(&mut self, event: &Event<'_>) {
        let text = match event {
            Event::Begins { name, what } => {
                (*what).clone_into(&mut self.what);
                format!("{name}: {what}")
            }
            Event::GoesOn { name, elapsed, bytes } => {
                if self.said.elapsed() < PAUSE {
                    return;
                }
                self.said = Instant::now();
                format!("{name}: {} ({} s, {})", self.what, elapsed.as_secs(), size(*bytes))
            }
            Event::Refused { name, what, reason } => format!("{name}: refused {what}: {reason}"),
            Event::Flushes { name, every_ms, reason } => {
                format!("{name} is done again, flushing every {every_ms} ms: {reason}")
            }
            Event::Ended { name, .. } if *name == PROBE => return,
            Event::Ended { name, outcome, got, bytes, elapsed } => {
                let time = text::time(*elapsed);
                match (outcome, got.is_empty()) {
                    (Outcome::Passed, _) => format!("{name}: ran for {} in {time}", self.what),
                    (outcome, true) => format!("{name}: {}", outcome.name()),
                    (_, false) => {
                        format!("{name}: recorded {}, {} in {time}", got.join(", "), size(*bytes))
                    }
                }
            }
        };
        self.teller.tell(text, None);
    }
}

#[expect(clippy::cast_precision_loss, reason = "only four digits are shown")]
fn size(bytes: u64) -> String {
    text::bytes(bytes as f64)
}
