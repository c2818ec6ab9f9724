//! The text of `top`: the functions by total time.

use std::io::{self, Write};

use base::printable;

use super::fit::Fit::{Goes, Name, Stays};
use super::fit::{Shown, shown};
use super::rows::Row;
use super::text::{bar, count, counted, duration, percent};

/// Width of the bar of a share in characters.
const BAR: usize = 12;

/// The columns, of which the last one has what the rows are grouped by.
fn columns<'a>(by: &'static str) -> [Shown<Row<'a>>; 11] {
    [
        ("share", |row| percent(share(row)), false, Stays),
        ("", |row| bar(share(row), BAR), true, Goes(2)),
        ("total", total, false, Stays),
        ("count", |row| count(row.count("dispatch_count")), false, Stays),
        ("mean", |row| time(row, "mean_ns"), false, Stays),
        ("median", |row| time(row, "median_ns"), false, Goes(1)),
        ("p90", |row| time(row, "p90_ns"), false, Goes(3)),
        ("p99", |row| time(row, "p99_ns"), false, Goes(5)),
        ("min", |row| time(row, "min_ns"), false, Goes(4)),
        ("max", |row| time(row, "max_ns"), false, Goes(0)),
        (by, |row| printable(&row.text("key")), true, Name),
    ]
}

/// Writes one table per timing source and unit, each with at most `limit` rows. `by` is what they are grouped by.
/// `width` is that of the terminal in columns; `None` if the output is no terminal.
pub fn draw(
    out: &mut dyn Write,
    functions: &[Row<'_>],
    by: &'static str,
    limit: usize,
    width: Option<usize>,
) -> io::Result<()> {
    for (source, converted, clock) in [
        ("device", true, "on the device's clock"),
        ("device", false, "on devices whose clock cannot be converted"),
        ("host", true, "on the host's clock"),
    ] {
        let is_here = |row: &&Row<'_>| {
            row.text("timing_source") == source && row.number("total_ns").is_some() == converted
        };
        let rows: Vec<Row<'_>> = functions.iter().filter(is_here).copied().collect();
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
        let listed = rows.get(..limit).unwrap_or(&rows);
        write!(out, "{}", shown(&columns(by), listed, width))?;
        let left = rows.len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, " … and {}", counted(left as u64, &format!("more {by}")))?;
        }
    }
    Ok(())
}

fn share(row: &Row<'_>) -> f64 {
    row.number("share").unwrap_or(0.0)
}

fn total(row: &Row<'_>) -> String {
    let ticks = || counted(row.count("total_ticks"), "tick");
    row.number("total_ns").map_or_else(ticks, duration)
}

fn time(row: &Row<'_>, name: &str) -> String {
    row.number(name).map_or_else(|| "-".to_owned(), duration)
}
