//! `history drift`: when times changed, by how much, and between which commits.

use std::io::{self, Write};

use exporters::EncodeError;

use super::args::Drift;
use crate::base::printable;
use crate::cli::encode;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::history::Kept;
use crate::report::comparison::{change, signed};
use crate::report::fit::Fit::{Goes, Name, Stays};
use crate::report::fit::{Shown, shown};
use crate::report::text::{counted, duration};
use crate::tracking::{Change, DriftRequest, Entries, Entry, Trends, batch, listed};
use crate::workspace::open_history;

/// Runs the command.
pub fn run(args: &Drift, opening: &Opening) -> Result<(), CliError> {
    let history = open_history(&args.folder, Kept::Times, &opening.options())?;
    let entries = Entries::read(&history, &args.chosen.labels)?;
    let trends = entries.drift(&DriftRequest {
        branch: args.chosen.branch.clone(),
        across: args.across.clone(),
        filter: args.filter.clone(),
        last: Some(args.last).filter(|last| *last > 0),
    })?;
    let destination = args.printing.destination([])?;
    match args.printing.of_report() {
        None => {
            let width = destination.target().width;
            destination.text(|out| draw(out, &trends, args.limit, width))?;
        }
        Some(format) => {
            let batch = batch(&trends.changes).map_err(EncodeError::from)?;
            encode::write_all(&batch.schema(), vec![batch], format, destination)?;
        }
    }
    if args.check && !trends.changes.is_empty() {
        let changes = counted(trends.changes.len() as u64, "change");
        return Err(CliError::No(format!("--check: {changes} found")));
    }
    Ok(())
}

fn draw(
    out: &mut dyn Write,
    trends: &Trends<'_>,
    limit: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let entries = counted(trends.entries.len() as u64, "entry");
    let span = match (trends.entries.first(), trends.entries.last()) {
        (Some(first), Some(last)) => format!(", {} to {}", first.time, last.time),
        _ => String::new(),
    };
    let functions = counted(trends.functions as u64, "function");
    let (branch, clock) = (printable(trends.branch), trends.clock);
    writeln!(out, "{branch}: {entries}{span}; {functions}; on the {clock}'s clock")?;
    if trends.unlike > 0 {
        let (unlike, labels) =
            (counted(trends.unlike as u64, "entry"), printable(&listed(&trends.labels)));
        writeln!(out, "{unlike} left out: their labels are not those of the newest ({labels}).")?;
    }
    if trends.left_out > 0 {
        let left_out = counted(trends.left_out as u64, "entry");
        writeln!(out, "{left_out} left out: recorded by another clock or driver.")?;
    }
    let uncertain = trends.entries.iter().filter(|entry| entry.is_uncertain()).count();
    if uncertain > 0 {
        let entries = counted(uncertain as u64, "entry");
        writeln!(
            out,
            "{entries} with runs whose number of calls is not certain: a change may be that of the number."
        )?;
    }
    let total = trends.changes.iter().take_while(|it| it.function.is_none()).count();
    let of_functions = trends.changes.len() - total;
    if trends.changes.is_empty() {
        return writeln!(out, "No change found.");
    }
    let listed = trends.changes.get(..total.saturating_add(limit)).unwrap_or(&trends.changes);
    writeln!(out, "\n{}", shown(&columns(), listed, width).trim_end())?;
    let left = of_functions.saturating_sub(limit);
    if left > 0 {
        writeln!(out, " … and {}", counted(left as u64, "change of functions"))?;
    }
    Ok(())
}

fn columns<'a>() -> [Shown<Change<'a>>; 8] {
    [
        ("change", |it| change(it.ratio), false, Stays),
        ("95 % interval", interval, false, Goes(2)),
        ("delta", delta, false, Stays),
        ("before", |it| duration(it.ns[0]), false, Goes(3)),
        ("after", |it| duration(it.ns[1]), false, Goes(4)),
        ("since", |it| it.between[1].time.clone(), true, Goes(1)),
        ("between", between, true, Goes(0)),
        ("function", function, true, Name),
    ]
}

fn function(it: &Change<'_>) -> String {
    it.function.as_deref().map_or_else(|| "all functions".to_owned(), printable)
}

fn interval(it: &Change<'_>) -> String {
    let range = it.interval.map(|it| format!("{} to {}", change(it.low), change(it.high)));
    range.unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "durations are far below 2^63")]
fn delta(it: &Change<'_>) -> String {
    signed(it.delta().round() as i64)
}

/// Returns the commits before and after, or the entries if they have none.
fn between(it: &Change<'_>) -> String {
    let name = |entry: &Entry| {
        let name = if entry.commit.is_empty() { &entry.id } else { &entry.commit };
        printable(&name.chars().take(12).collect::<String>())
    };
    format!("{}..{}", name(it.between[0]), name(it.between[1]))
}
