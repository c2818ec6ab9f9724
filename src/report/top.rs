//! The text of `top`: the functions by total time.

use std::io::{self, Write};

use exporters::printable;

use super::rows::Row;
use super::text::{bar, count, counted, duration, shorten, table};

/// Width of the bar of a share in characters.
const BAR: usize = 12;

/// Width of all columns except the name of the function, in characters.
const FIGURES: usize = 92;

const HEADINGS: [&str; 10] =
    ["share", "", "total", "count", "mean", "median", "p90", "p99", "min", "max"];

/// Writes one table per timing source and unit, each with at most `limit` rows. `by` is what they are grouped by. `width` is that of the terminal in
/// columns; `None` if the output is no terminal.
pub fn draw(
    out: &mut dyn Write,
    functions: &[Row<'_>],
    by: &str,
    limit: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let width = width.map(|width| width.saturating_sub(FIGURES).max(24));
    for (source, converted, clock) in [
        ("device", true, "on the device's clock"),
        ("device", false, "on devices whose clock cannot be converted"),
        ("host", true, "on the host's clock"),
    ] {
        let is_here = |row: &&Row<'_>| {
            row.text("timing_source") == source && row.number("total_ns").is_some() == converted
        };
        let rows: Vec<&Row<'_>> = functions.iter().filter(is_here).collect();
        if rows.is_empty() {
            continue;
        }
        let total: f64 = rows.iter().filter_map(|row| row.number("total_ns")).sum();
        let ticks: u64 = rows.iter().map(|row| row.count("total_ticks")).sum();
        let time = if converted { duration(total) } else { counted(ticks, "tick") };
        let dispatches: u64 = rows.iter().map(|row| row.count("dispatch_count")).sum();
        let dispatches = counted(dispatches, "dispatch");
        let names = counted(rows.len() as u64, by);
        writeln!(out, "\n{time} in {dispatches} of {names}, {clock}\n")?;
        let lines = rows.iter().take(limit).map(|row| cells(row, width));
        let [share, bar, total, count, mean, median, p90, p99, min, max] = HEADINGS;
        let headings = [share, bar, total, count, mean, median, p90, p99, min, max, by];
        let lines = std::iter::once(headings.map(str::to_owned)).chain(lines);
        write!(out, "{}", table(lines, |column| matches!(column, 1 | 10)))?;
        let left = rows.len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, " … and {} more", counted(left as u64, by))?;
        }
    }
    Ok(())
}

fn cells(row: &Row<'_>, width: Option<usize>) -> [String; 11] {
    let share = row.number("share").unwrap_or(0.0);
    let time = |name| row.number(name).map_or_else(|| "-".to_owned(), duration);
    let ticks = || counted(row.count("total_ticks"), "tick");
    let key = printable(&row.text("key"));
    [
        format!("{:.1} %", share * 100.0),
        bar(share, BAR),
        row.number("total_ns").map_or_else(ticks, duration),
        count(row.count("dispatch_count")),
        time("mean_ns"),
        time("median_ns"),
        time("p90_ns"),
        time("p99_ns"),
        time("min_ns"),
        time("max_ns"),
        width.map_or_else(|| key.clone(), |width| shorten(&key, width)),
    ]
}
