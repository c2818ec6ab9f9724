//! `history list`: lists the entries.

use std::io::{self, Write};

use crate::base::printable;

use super::args::List;
use crate::cli::encode;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::report::fit::Fit::{Goes, Stays};
use crate::report::fit::{Shown, shown};
use crate::report::text::{counted, duration};
use crate::report::{Row, rows};
use crate::tracking::{ListRequest, Listed, list};

/// Runs the command.
pub fn run(args: &List, opening: &Opening) -> Result<(), CliError> {
    let request = ListRequest {
        branch: args.chosen.branch.clone(),
        labels: args.chosen.labels.clone(),
        limit: Some(args.limit).filter(|limit| *limit > 0),
    };
    let Listed { batch, older } = list(&args.folder, &request, &opening.options())?;
    let destination = args.printing.destination([])?;
    let width = destination.target().width;
    match args.printing.of_report() {
        None => destination.text(|out| draw(out, &rows(&[batch]), older, width)),
        Some(format) => encode::write_all(&batch.schema(), vec![batch], format, destination),
    }
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
    older: usize,
    width: Option<usize>,
) -> io::Result<()> {
    if entries.is_empty() {
        return writeln!(out, "No entries.");
    }
    if older > 0 {
        writeln!(out, " … {} before", counted(older as u64, "row"))?;
    }
    writeln!(out, "{}", shown(&columns(), entries, width).trim_end())
}
