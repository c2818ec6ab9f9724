//! The text of `top`: the functions by total time.

use std::io::{self, Write};

use exporters::printable;

use super::fit::Fit::{Goes, Name, Stays};
use super::fit::{Column, Fit, table};
use super::rows::Row;
use super::text::{bar, count, counted, duration};

/// Width of the bar of a share in characters.
const BAR: usize = 12;

/// The heads of the columns, which are aligned to the left, and what a narrow terminal does with them.
const COLUMNS: [(&str, bool, Fit); 10] = [
    ("share", false, Stays),
    ("", true, Goes(2)),
    ("total", false, Stays),
    ("count", false, Stays),
    ("mean", false, Stays),
    ("median", false, Goes(1)),
    ("p90", false, Goes(3)),
    ("p99", false, Goes(5)),
    ("min", false, Goes(4)),
    ("max", false, Goes(0)),
];

/// Writes one table per timing source and unit, each with at most `limit` rows. `by` is what they are grouped by.
/// `width` is that of the terminal in columns; `None` if the output is no terminal.
pub fn draw(
    out: &mut dyn Write,
    functions: &[Row<'_>],
    by: &str,
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
        let lines: Vec<_> = rows.iter().take(limit).map(|row| cells(row)).collect();
        let columns = COLUMNS.into_iter().chain([(by, true, Name)]).enumerate();
        let columns = columns.map(|(nth, (head, is_left, fit))| {
            let cells = lines.iter().filter_map(|line| line.get(nth).cloned()).collect();
            Column { head: head.to_owned(), cells, is_left, fit }
        });
        write!(out, "{}", table(columns.collect(), width))?;
        let left = rows.len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, " … and {} more", counted(left as u64, by))?;
        }
    }
    Ok(())
}

fn cells(row: &Row<'_>) -> [String; 11] {
    let share = row.number("share").unwrap_or(0.0);
    let time = |name| row.number(name).map_or_else(|| "-".to_owned(), duration);
    let ticks = || counted(row.count("total_ticks"), "tick");
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
        printable(&row.text("key")),
    ]
}
