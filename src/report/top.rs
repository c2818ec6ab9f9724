//! The text of `top`: the functions by total time.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};
use exporters::printable;

use super::rows::{Row, Rows};
use super::text::{bar, count, counted, duration, shorten};

/// Width of the bar of a share in characters.
const BAR: usize = 12;

/// Width of all columns except the name of the function, in characters.
const FIGURES: usize = 92;

/// The limits of the output.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Maximum number of functions per timing source.
    pub limit: usize,
    /// Width of the terminal in columns; `None` if the output is no terminal.
    pub width: Option<usize>,
}

/// Writes the report: the health, and one table per timing source and unit.
pub fn draw(
    out: &mut dyn Write,
    health: &[String],
    functions: &Rows,
    layout: Layout,
) -> io::Result<()> {
    for line in health {
        writeln!(out, "{line}")?;
    }
    for (source, converted) in [("device", true), ("device", false), ("host", true)] {
        let is_here = |row: &Row<'_>| {
            row.text("timing_source") == source && row.number("total_ns").is_some() == converted
        };
        let rows: Vec<Row<'_>> = functions.iter().filter(is_here).collect();
        if !rows.is_empty() {
            section(out, source, converted, &rows, layout)?;
        }
    }
    Ok(())
}

fn section(
    out: &mut dyn Write,
    source: &str,
    converted: bool,
    rows: &[Row<'_>],
    layout: Layout,
) -> io::Result<()> {
    let total: f64 = rows.iter().filter_map(|row| row.number("total_ns")).sum();
    let ticks: u64 = rows.iter().map(|row| row.count("total_ticks")).sum();
    let dispatches: u64 = rows.iter().map(|row| row.count("dispatch_count")).sum();
    let time = if converted { duration(total) } else { counted(ticks, "tick") };
    let clock = match (source, converted) {
        ("device", true) => "on the device's clock",
        ("device", false) => "on devices whose clock cannot be converted",
        _ => "on the host's clock",
    };
    writeln!(
        out,
        "\n{time} in {} of {}, {clock}\n",
        counted(dispatches, "dispatch").replace("dispatchs", "dispatches"),
        counted(rows.len() as u64, "function")
    )?;
    let mut table = Table::new();
    table.load_preset(NOTHING);
    let header =
        ["share", "", "total", "count", "mean", "median", "p90", "p99", "min", "max", "function"];
    table.set_header(
        header.iter().enumerate().map(|(column, name)| aligned(column, (*name).to_owned())),
    );
    let width = layout.width.map(|width| width.saturating_sub(FIGURES).max(24));
    for row in rows.iter().take(layout.limit) {
        table.add_row(
            cells(row, width).into_iter().enumerate().map(|(column, text)| aligned(column, text)),
        );
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    let left = rows.len().saturating_sub(layout.limit);
    if left > 0 {
        writeln!(out, " … and {} more", counted(left as u64, "function"))?;
    }
    Ok(())
}

fn cells(row: &Row<'_>, width: Option<usize>) -> Vec<String> {
    let share = row.number("share").unwrap_or(0.0);
    let time = |name| row.number(name).map_or_else(|| "-".to_owned(), duration);
    let total = match row.number("total_ns") {
        Some(ns) => duration(ns),
        None => counted(row.count("total_ticks"), "tick"),
    };
    let key = printable(&row.text("key"));
    vec![
        format!("{:.1} %", share * 100.0),
        bar(share, BAR),
        total,
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

fn aligned(column: usize, text: String) -> Cell {
    let left = matches!(column, 1 | 10);
    Cell::new(text).set_alignment(if left { CellAlignment::Left } else { CellAlignment::Right })
}
