//! `history list`: lists the entries.

use std::io::{self, Write};

use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::{concat_batches, filter_record_batch};
use exporters::{EncodeError, printable};

use super::args::List;
use crate::cli::encode;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::history::History;
use crate::report::fit::Fit::{Goes, Stays};
use crate::report::fit::{Shown, shown};
use crate::report::text::{counted, duration};
use crate::report::{Row, rows};
use crate::workspace::Workspace;

/// Runs the command.
pub fn run(args: &List, opening: &Opening) -> Result<(), CliError> {
    // Says what is wrong with a folder that is no history.
    drop(History::open(&args.folder)?);
    let folder = args.folder.to_string_lossy().into_owned();
    let Workspace { engine, runtime } = opening.open_any(&[folder])?;
    let prepared = runtime.block_on(engine.prepare(
        sql::Kind::View,
        "history_entries",
        &crate::engine::Parameters::default(),
    ))?;
    let answer = runtime.block_on(prepared.answer())?;
    let all = concat_batches(&answer.schema, &answer.batches).map_err(EncodeError::from)?;
    let chosen = filter_record_batch(&all, &chosen(args, &all)).map_err(EncodeError::from)?;
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    let left = chosen.num_rows().saturating_sub(limit);
    let batch = chosen.slice(left, chosen.num_rows() - left);
    let destination = args.printing.destination([&engine])?;
    let width = destination.target().width;
    match args.printing.of_report() {
        None => destination.text(|out| draw(out, &rows(&[batch]), left, width)),
        Some(format) => encode::write_all(&batch.schema(), vec![batch], format, destination),
    }
}

/// Returns which rows are of the branch and have the labels.
fn chosen(args: &List, batch: &RecordBatch) -> BooleanArray {
    let is_chosen = |row: Row<'_>| {
        let labels = row.text("labels");
        let has = |label: &String| labels.split(',').any(|own| own == label);
        args.chosen.branch.as_ref().is_none_or(|branch| row.text("branch") == *branch)
            && args.chosen.labels.iter().all(has)
    };
    rows(std::slice::from_ref(batch)).into_iter().map(|row| Some(is_chosen(row))).collect()
}

fn columns<'a>() -> [Shown<Row<'a>>; 9] {
    [
        ("time", |row| row.text("time"), true, Stays),
        ("entry", |row| row.text("entry"), true, Stays),
        ("branch", |row| printable(&row.text("branch")), true, Goes(2)),
        ("commit", commit, true, Goes(1)),
        ("labels", |row| printable(&row.text("labels")), true, Goes(3)),
        ("runs", |row| row.count("run_count").to_string(), false, Goes(4)),
        ("clock", |row| row.text("timing_source"), true, Goes(5)),
        ("iteration", |row| duration(row.number("median_ns").unwrap_or(f64::NAN)), false, Stays),
        ("accepted", |row| row.text("accepted_time"), true, Goes(0)),
    ]
}

fn commit(row: &Row<'_>) -> String {
    printable(&row.text("commit").chars().take(12).collect::<String>())
}

fn draw(
    out: &mut dyn Write,
    entries: &[Row<'_>],
    left: usize,
    width: Option<usize>,
) -> io::Result<()> {
    if entries.is_empty() {
        return writeln!(out, "No entries.");
    }
    if left > 0 {
        writeln!(out, " … {} before", counted(left as u64, "row"))?;
    }
    writeln!(out, "{}", shown(&columns(), entries, width).trim_end())
}
