//! `history drift`: when times changed, by how much, and between which commits.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use exporters::{EncodeError, printable};

use super::args::Drift;
use super::entries::{Entries, Entry, listed};
use super::trends::{Change, Trends, found};
use crate::cli::compare::{change, signed};
use crate::cli::encode;
use crate::cli::error::CliError;
use crate::cli::nothing::Asked;
use crate::cli::open::Opening;
use crate::fold::Pattern;
use crate::history::History;
use crate::report::fit::Fit::{Goes, Name, Stays};
use crate::report::fit::{Shown, shown};
use crate::report::text::{counted, duration};

/// Runs the command.
pub fn run(args: &Drift, _: &Opening) -> Result<(), CliError> {
    let kept = History::open(&args.folder)?;
    let entries = Entries::read(&kept, &args.chosen.labels)?;
    let newest = entries.newest(args.chosen.branch.as_deref())?;
    let (branch, labels) = (&newest.branch, newest.labels_without(&args.across));
    let is_alike = |entry: &Entry| entry.labels_without(&args.across) == labels;
    let last = if args.last == 0 { usize::MAX } else { args.last };
    let mut all: Vec<&Entry> = entries.before(branch, last, None, is_alike);
    all.reverse();
    let unlike = entries.before(branch, usize::MAX, None, |entry| !is_alike(entry)).len();
    let filter = Pattern::new(&args.filter);
    let known = RefCell::new(BTreeSet::new());
    let trends = found(&entries, &all, |name| {
        known.borrow_mut().insert(name.to_owned());
        filter.matches(name)
    })?;
    if trends.functions == 0 {
        let asked = Asked::default().pattern("--filter", &args.filter);
        let known = known.borrow();
        if let Some(what) = asked.unmatched("function", known.iter().map(String::as_str)) {
            return Err(CliError::Usage(what));
        }
    }
    let destination = args.printing.destination([])?;
    match args.printing.of_report() {
        None => {
            let width = destination.target().width;
            let of = Of { branch, labels: &listed(&labels), unlike };
            destination.text(|out| draw(out, &trends, &of, args.limit, width))?;
        }
        Some(format) => {
            let batch = batch(&trends.changes)?;
            encode::write_all(&batch.schema(), vec![batch], format, destination)?;
        }
    }
    if args.check && !trends.changes.is_empty() {
        let changes = counted(trends.changes.len() as u64, "change");
        return Err(CliError::No(format!("--check: {changes} found")));
    }
    Ok(())
}

/// Returns the rows.
fn batch(changes: &[Change<'_>]) -> Result<RecordBatch, EncodeError> {
    let text = |of: &dyn Fn(&Change<'_>) -> String| -> ArrayRef {
        let texts = changes.iter().map(|change| Some(of(change)).filter(|text| !text.is_empty()));
        Arc::new(texts.collect::<StringArray>())
    };
    let number = |of: &dyn Fn(&Change<'_>) -> Option<f64>| -> ArrayRef {
        Arc::new(changes.iter().map(of).collect::<Float64Array>())
    };
    let count = |of: &dyn Fn(&Change<'_>) -> usize| -> ArrayRef {
        Arc::new(changes.iter().map(|change| Some(of(change) as u64)).collect::<UInt64Array>())
    };
    let scope = |change: &Change<'_>| {
        if change.function.is_none() { "total" } else { "function" }.to_owned()
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("scope", text(&scope)),
        ("function", text(&|it| it.function.clone().unwrap_or_default())),
        ("time", text(&|it| it.between[1].time.clone())),
        ("entry", text(&|it| it.between[1].id.clone())),
        ("commit", text(&|it| it.between[1].commit.clone())),
        ("previous_time", text(&|it| it.between[0].time.clone())),
        ("previous_entry", text(&|it| it.between[0].id.clone())),
        ("previous_commit", text(&|it| it.between[0].commit.clone())),
        ("before_ns", number(&|it| Some(it.ns[0]))),
        ("after_ns", number(&|it| Some(it.ns[1]))),
        ("ratio", number(&|it| Some(it.ratio))),
        ("ratio_low", number(&|it| Some(it.interval?.low))),
        ("ratio_high", number(&|it| Some(it.interval?.high))),
        ("p_value", number(&|it| Some(it.p))),
        ("q_value", number(&|it| Some(it.q))),
        ("entries_before", count(&|it| it.entries[0])),
        ("entries_after", count(&|it| it.entries[1])),
    ];
    let nullable = columns.into_iter().map(|(name, column)| (name, column, true));
    Ok(RecordBatch::try_from_iter_with_nullable(nullable)?)
}

/// Which entries the changes are looked for in.
struct Of<'a> {
    branch: &'a str,
    labels: &'a str,
    /// Number of entries of the branch with other labels.
    unlike: usize,
}

fn draw(
    out: &mut dyn Write,
    trends: &Trends<'_>,
    of: &Of<'_>,
    limit: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let entries = counted(trends.entries.len() as u64, "entry");
    let span = match (trends.entries.first(), trends.entries.last()) {
        (Some(first), Some(last)) => format!(", {} to {}", first.time, last.time),
        _ => String::new(),
    };
    let functions = counted(trends.functions as u64, "function");
    let (branch, clock) = (printable(of.branch), trends.clock);
    writeln!(out, "{branch}: {entries}{span}; {functions}; on the {clock}'s clock")?;
    if of.unlike > 0 {
        let (unlike, labels) = (counted(of.unlike as u64, "entry"), printable(of.labels));
        writeln!(out, "{unlike} left out: their labels are not those of the newest ({labels}).")?;
    }
    if trends.left_out > 0 {
        let left_out = counted(trends.left_out as u64, "entry");
        writeln!(out, "{left_out} left out: recorded by another clock or driver.")?;
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
