//! The text of `gaps`: for each question, whether it is answered, what is missing, and the commands that capture it.

use std::io::{self, Write};

use base::printable;

use super::rows::Row;
use super::text::counted;

/// True if a question is not answered in full.
pub fn has_gap(questions: &[Row<'_>]) -> bool {
    questions.iter().any(|row| row.text("answerable") != "yes")
}

/// Writes the questions of each bundle or capture set.
pub fn draw(out: &mut dyn Write, questions: &[Row<'_>]) -> io::Result<()> {
    let name = questions.iter().map(|row| row.text("question").len()).max().unwrap_or_default();
    let bundles = questions.chunk_by(|left, right| subject(left) == subject(right));
    for (nth, of_bundle) in bundles.enumerate() {
        if nth > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", headline(of_bundle))?;
        for row in of_bundle {
            question(out, row, name)?;
        }
    }
    Ok(())
}

/// Returns the name of the capture set, or of a single bundle.
fn subject(row: &Row<'_>) -> String {
    let set = row.text("capture_set");
    if set.is_empty() { row.text("bundle") } else { set }
}

fn headline(rows: &[Row<'_>]) -> String {
    let count = |answer| rows.iter().filter(|row| row.text("answerable") == answer).count();
    let bundle = rows.first().map(subject).unwrap_or_default();
    let mut parts = format!(
        "{}: answers {} of {}",
        printable(&bundle),
        count("yes"),
        counted(rows.len() as u64, "question")
    );
    if count("partly") > 0 {
        parts.push_str(&format!(", {} partly", count("partly")));
    }
    parts
}

fn question(out: &mut dyn Write, row: &Row<'_>, width: usize) -> io::Result<()> {
    let answerable = row.text("answerable");
    let clock = match row.text("clock").as_str() {
        "device" => "by the device's clock",
        "host" => "by the host's clock",
        _ => "",
    };
    let line = format!("  {answerable:<7} {:<width$}  {clock:<22}", row.text("question"));
    let told = if answerable == "no" { row.text("asks") } else { row.text("answer") };
    writeln!(out, "{line} {}", printable(&told))?;
    for (nth, reason) in reasons(&row.text("why"), &row.text("missing")).into_iter().enumerate() {
        let head = if nth == 0 { "missing:" } else { "" };
        writeln!(out, "          {head:<9}{}", printable(reason))?;
    }
    if answerable != "yes" && row.text("fill").is_empty() {
        let why = if row.is("has_none") {
            "there is nothing to capture"
        } else if answerable == "partly" && !row.text("capture_set").is_empty() {
            // What a set has a part of may be for the tool.
            "not possible with this tool and driver"
        } else {
            "not possible with this driver"
        };
        writeln!(out, "          fill:    {why}")?;
    }
    for (head, column) in [("fill:", "fill"), ("or:", "capture")] {
        let command = row.text(column);
        if !command.is_empty() {
            writeln!(out, "          {head:<9}{}", printable(&command))?;
        }
    }
    Ok(())
}

/// Splits `why` into the reasons of the missing modes: `MODE: REASON`, separated by `; `. Reasons may contain `; ` as
/// well, so it searches for the modes.
fn reasons<'a>(why: &'a str, missing: &str) -> Vec<&'a str> {
    let starts = missing.split(',').filter_map(|mode| {
        let is_start = |at: &usize| *at == 0 || why.get(..*at).is_some_and(|it| it.ends_with("; "));
        why.match_indices(&format!("{mode}: ")).map(|(at, _)| at).find(is_start)
    });
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([why.len()]);
    let reason = |(start, end): (&usize, usize)| Some(why.get(*start..end)?.trim_end_matches("; "));
    starts.iter().zip(ends).filter_map(reason).collect()
}
