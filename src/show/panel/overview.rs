//! What a report begins with: what was captured, where the time went, and how sure that is.

use std::collections::BTreeMap;

use model::statistics::{MEAN_RUNS, Mean, mean_of_runs};
use read::bundle::Severity;
use report::text::{counted, duration, percent};
use report::{Row, doubt};

use super::file;
use super::memory::most;
use super::parts::{Panel, PanelError};
use super::subject::{PEAKS, Subject};
use super::table::{Cell, Table};

const CALLS: &str = "SELECT kind, count(*) AS calls, median(wall_ns) AS median_ns, quantile_cont(wall_ns, 0.25) AS first_ns, \
quantile_cont(wall_ns, 0.75) AS third_ns, sum(busy_ns) AS busy_ns, sum(wall_ns) AS wall_ns, count(DISTINCT bundle) AS runs \
FROM invocations WHERE wall_ns IS NOT NULL AND NOT is_warmup GROUP BY kind ORDER BY kind";
const READINGS: &str = "SELECT * FROM report.invocation_reading";
/// Most kinds of calls of which the times are shown.
const KINDS: usize = 8;
/// The median call of each run, of runs that recorded the same of the same module.
const RUNS: &str = "SELECT r.capture_set, r.side, r.module_sha256, r.got, r.counters, r.bundle, median(i.wall_ns) AS ns \
FROM runs AS r JOIN invocations AS i ON i.bundle = r.bundle WHERE i.wall_ns IS NOT NULL AND NOT i.is_warmup \
GROUP BY r.capture_set, r.side, r.module_sha256, r.got, r.counters, r.bundle";
const FOUND: &str = "SELECT bundle, count(*) AS calls, min(method) AS method, min(confidence) AS confidence, \
count(*) FILTER (WHERE is_warmup) AS warmups FROM invocations GROUP BY bundle ORDER BY bundle";
const MADE: &str = "SELECT bundle, started, device, cpu, tool, tool_version, compiler_version, command FROM runs ORDER BY bundle";
const MACHINE: &str = "SELECT b.bundle, b.path, b.file_bytes AS bytes, s.name AS driver, s.status FROM bundles AS b \
LEFT JOIN sessions AS s ON s.bundle = b.bundle ORDER BY b.bundle, s.session_id";

/// Makes the panel: the verdict is its title, the figures are its first table.
pub fn overview(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let mut panel = Panel::of("overview", verdict(subject)?, &["top"]);
    let peak = subject.peaks()?.rows().first().and_then(most);
    let mut figures = Table::new("Figures", &["figure", "#value", "note"]);
    figures.rows.extend(calls(subject)?);
    if subject.has_many() {
        figures.rows.extend(over_runs(subject)?);
        panel.queries.push(RUNS.to_owned());
    }
    if let Some((value, text, note)) = peak {
        let value = Cell { text, value: Some(value) };
        figures.rows.push(vec![Cell::text("peak of memory"), value, Cell::text(note)]);
    }
    panel.tables.push(figures);
    panel.tables.push(captured(subject)?);
    panel.tables.push(made(subject)?);
    if let Some((table, queries)) = file::told(subject)? {
        panel.tables.push(table);
        panel.queries.extend(queries);
    }
    panel.tables.push(found(subject)?);
    let readings = subject.ask(READINGS)?;
    panel.words.extend(
        doubt::said(&readings.rows())
            .map(|doubt| format!("Note: {doubt}; times of a call depend on it.")),
    );
    panel.words.extend(health(subject)?);
    panel.queries.extend([CALLS, PEAKS, FOUND, READINGS, MACHINE, MADE].map(str::to_owned));
    Ok(Some(panel))
}

/// Returns the time of a call of each kind, and how busy the device was.
fn calls(subject: &Subject<'_>) -> Result<Vec<Vec<Cell>>, PanelError> {
    let asked = subject.ask(CALLS)?;
    let kinds = asked.rows();
    let time = |row: &Row<'_>| {
        let note = format!(
            "the median of {} in {}; half of them take {} to {}",
            counted(row.count("calls"), "call"),
            counted(row.count("runs"), "run"),
            duration(row.number("first_ns").unwrap_or(0.0)),
            duration(row.number("third_ns").unwrap_or(0.0))
        );
        let what = match kinds.len() {
            1 => "time of a call".to_owned(),
            _ => format!("time of a call of kind {}", row.count("kind")),
        };
        vec![Cell::text(what), Cell::ns(row.number("median_ns")), Cell::text(note)]
    };
    let mut rows: Vec<Vec<Cell>> = kinds.iter().take(KINDS).map(time).collect();
    if kinds.len() > KINDS {
        let note = format!("{} more have their times in `invocations`", kinds.len() - KINDS);
        rows.push(vec![
            Cell::text("kinds of calls"),
            Cell::count(kinds.len() as u64),
            Cell::text(note),
        ]);
    }
    if !kinds.is_empty() {
        let sum = |column| kinds.iter().filter_map(|row| row.number(column)).sum::<f64>();
        let busy = Cell::share(Some(sum("busy_ns") / sum("wall_ns")).filter(|it| it.is_finite()));
        let note = "the share of calls in which at least one dispatch ran";
        rows.push(vec![Cell::text("busy"), busy, Cell::text(note)]);
    }
    Ok(rows)
}

/// Returns the time of a call with its interval over runs, a row for each group of runs that are alike.
fn over_runs(subject: &Subject<'_>) -> Result<Vec<Vec<Cell>>, PanelError> {
    let mut groups: BTreeMap<[String; 5], Vec<f64>> = BTreeMap::new();
    for row in subject.ask(RUNS)?.rows() {
        let alike = ["capture_set", "side", "module_sha256", "got", "counters"];
        groups.entry(alike.map(|name| row.text(name))).or_default().extend(row.number("ns"));
    }
    let row = |([set, side, ..], values): (&[String; 5], &Vec<f64>)| {
        let of = format!("{} of {set} {side}", counted(values.len() as u64, "run"));
        let (value, note) = match mean_of_runs(values) {
            Some(Mean { mean, low, high }) => {
                let interval = format!("{} to {}", duration(low), duration(high));
                let what = "the geometric mean of the medians of";
                (Some(mean), format!("{what} {}; 95 % interval {interval}", of.trim_end()))
            }
            None => (None, format!("{}; an interval takes {MEAN_RUNS}", of.trim_end())),
        };
        vec![Cell::text("time of a call over runs"), Cell::ns(value), Cell::text(note)]
    };
    Ok(groups.iter().map(row).collect())
}

/// Returns where the time went, in a sentence.
fn verdict(subject: &Subject<'_>) -> Result<String, PanelError> {
    let answer = subject.workspace.top_functions(&workspace::TopRequest::default())?;
    let all = report::rows(&answer.batches);
    let Some(first) = all.iter().find(|row| row.number("total_ns").unwrap_or(0.0) > 0.0) else {
        return Ok("No dispatches with times were recorded".to_owned());
    };
    let clock = first.text("timing_source");
    let of_clock = || all.iter().filter(|row| row.text("timing_source") == clock);
    let total: f64 = of_clock().filter_map(|row| row.number("total_ns")).sum();
    let dispatches: u64 = of_clock().map(|row| row.count("dispatch_count")).sum();
    Ok(format!(
        "{} in {}, {} of it in {}",
        duration(total),
        counted(dispatches, "dispatch"),
        percent(first.number("share").unwrap_or(0.0)),
        first.text("key")
    ))
}

/// What was captured.
fn captured(subject: &Subject<'_>) -> Result<Table, PanelError> {
    let asked = subject.ask(MACHINE)?;
    let mut table = Table::new("Captures", &["bundle", "driver", "status", "#size", "file"]);
    for row in asked.rows() {
        table.rows.push(vec![
            Cell::text(row.text("bundle")),
            Cell::text(row.text("driver")),
            Cell::text(row.text("status")),
            Cell::bytes(row.number("bytes")),
            Cell::text(row.text("path")),
        ]);
    }
    Ok(table)
}

/// How and when captures of a set were made.
fn made(subject: &Subject<'_>) -> Result<Table, PanelError> {
    let asked = subject.ask(MADE)?;
    let columns = ["bundle", "started", "device", "processor", "tool", "compiler", "command"];
    let mut table = Table::new("How they were captured", &columns);
    for row in asked.rows() {
        let tool = format!("{} {}", row.text("tool"), row.text("tool_version"));
        let texts = ["bundle", "started", "device", "cpu"].map(|name| row.text(name));
        let rest = [tool.trim().to_owned(), row.text("compiler_version"), row.text("command")];
        table.rows.push(texts.into_iter().chain(rest).map(Cell::text).collect());
    }
    Ok(table)
}

/// How calls were counted.
fn found(subject: &Subject<'_>) -> Result<Table, PanelError> {
    let asked = subject.ask(FOUND)?;
    let columns = ["bundle", "#calls", "#warm-up", "found by", "#confidence"];
    let mut table = Table::new("How calls were counted", &columns);
    for row in asked.rows() {
        table.rows.push(vec![
            Cell::text(row.text("bundle")),
            Cell::count(row.count("calls")),
            Cell::count(row.count("warmups")),
            Cell::text(row.text("method")),
            Cell::share(row.number("confidence")),
        ]);
    }
    Ok(table)
}

/// What is wrong with the captures, in sentences.
fn health(subject: &Subject<'_>) -> Result<Vec<String>, PanelError> {
    let findings = subject.findings()?;
    let bad = findings.iter().filter(|finding| finding.severity != Severity::Info);
    let said: Vec<String> = bad.map(|it| format!("{}: {}.", it.bundle, it.what)).collect();
    Ok(if said.is_empty() { vec!["The captures are complete.".to_owned()] } else { said })
}
