//! The tables of results: the configurations of each operation, fastest first, and the best of every operation.

use crate::bench::run::{DispatchRun, INTERVAL_PROCESSES, Outcome, Verification};
use crate::cli::names::different;
use crate::report::text::{count, counted, duration, table as aligned};

/// Returns a table for each operation, and the table of the best configurations if several were measured.
pub fn text(rows: &[DispatchRun]) -> String {
    let operations = different(rows.iter().map(|row| &row.operation)).into_iter();
    let groups: Vec<Vec<&DispatchRun>> = operations
        .map(|operation| rows.iter().filter(|row| row.operation == *operation).collect())
        .collect();
    let mut tables: Vec<String> = groups.iter().map(|rows| table(rows)).collect();
    let is_swept = different(rows.iter().map(|row| &row.configuration)).len() > 1;
    if is_swept && rows.iter().any(|row| row.rank.is_some()) {
        tables.push(best(&groups));
    }
    tables.join("\n")
}

/// Returns the rows with a rank, by rank and then by time.
fn ranked<'a>(rows: &[&'a DispatchRun]) -> Vec<&'a DispatchRun> {
    let mut ranked: Vec<&DispatchRun> =
        rows.iter().copied().filter(|row| row.rank.is_some()).collect();
    ranked.sort_by(|one, other| {
        let times = one.median_ns.unwrap_or(0.0).total_cmp(&other.median_ns.unwrap_or(0.0));
        one.rank.cmp(&other.rank).then(times)
    });
    ranked
}

fn table(rows: &[&DispatchRun]) -> String {
    let ranked = ranked(rows);
    let mut text = rows.first().map_or_else(String::new, |row| {
        format!("{}, {} on {}{}\n", row.operation, row.target, row.device, processes(&ranked))
    });
    if !ranked.is_empty() {
        let cells = ranked.iter().map(|row| cells(row, &ranked));
        let cells = std::iter::once(HEADINGS.map(str::to_owned)).chain(cells);
        text.push_str(&indented(&aligned(cells, |column| column == 1 || column >= 8)));
    }
    for row in rows.iter().filter(|row| row.outcome != Outcome::Passed) {
        let reason = row.reason();
        text.push_str(&format!("  {}: {} failed: {reason}\n", row.configuration, row.stage.name()));
    }
    let passed = rows.iter().filter(|row| row.outcome == Outcome::Passed).count();
    if ranked.is_empty() && passed > 0 {
        let verified = rows.iter().filter(|row| row.verification == Verification::Success).count();
        text.push_str(&format!(
            "  {} of {} passed, {} verified\n",
            count(passed as u64),
            count(rows.len() as u64),
            count(verified as u64)
        ));
    }
    text
}

/// Says how many processes measured the rows, and whether they suffice for intervals.
fn processes(ranked: &[&DispatchRun]) -> String {
    let Some(processes) = ranked.first().and_then(|row| row.process_count) else {
        return String::new();
    };
    let text = format!(", {}", counted(processes, "process"));
    if ranked.iter().any(|row| row.median_low_ns.is_some()) {
        return text;
    }
    format!("{text} (intervals and ties need --processes={INTERVAL_PROCESSES} or more)")
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!(" {line}\n")).collect()
}

const HEADINGS: [&str; 10] = [
    "rank",
    "runtime",
    "95 % interval",
    "vs best",
    "vs default",
    "wall",
    "GFLOP/s",
    "GB/s",
    "verified",
    "configuration",
];

fn cells(row: &DispatchRun, ranked: &[&DispatchRun]) -> [String; 10] {
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{rate:.2}"));
    let fastest = ranked.first().and_then(|row| row.median_ns);
    let clock = row.timing_source.as_deref().unwrap_or_default();
    [
        place(row, ranked),
        format!("{} ({clock})", time(row.median_ns)),
        interval(row),
        times(row.median_ns.zip(fastest).map(|(own, fastest)| own / fastest)),
        times(row.vs_default),
        time(row.wall_median_ns),
        rate(row.gflops),
        rate(row.gbps),
        row.verification.name().to_owned(),
        row.configuration.clone(),
    ]
}

/// Formats a rank, with `=` before it if other rows share it.
fn place(row: &DispatchRun, ranked: &[&DispatchRun]) -> String {
    let mark = if ties(row, ranked) > 0 { "=" } else { "" };
    row.rank.map_or_else(String::new, |rank| format!("{mark}{rank}"))
}

/// Returns the number of other rows with the rank of a row.
fn ties(row: &DispatchRun, ranked: &[&DispatchRun]) -> u64 {
    ranked.iter().filter(|other| other.rank == row.rank).count() as u64 - 1
}

fn time(ns: Option<f64>) -> String {
    ns.map_or_else(String::new, duration)
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}x"))
}

fn interval(row: &DispatchRun) -> String {
    row.median_low_ns
        .zip(row.median_high_ns)
        .map_or_else(String::new, |(low, high)| format!("{} to {}", duration(low), duration(high)))
}

const BEST_HEADINGS: [&str; 6] =
    ["operation", "configuration", "runtime", "95 % interval", "vs default", "ties"];

/// Returns the table of the fastest configuration of each operation, with the number of configurations that tie with it.
fn best(groups: &[Vec<&DispatchRun>]) -> String {
    let cells = groups.iter().map(|rows| {
        let ranked = ranked(rows);
        let best = ranked.first();
        let none = || "none was measured".to_owned();
        [
            rows.first().map_or_else(String::new, |row| row.operation.clone()),
            best.map_or_else(none, |row| row.configuration.clone()),
            time(best.and_then(|row| row.median_ns)),
            best.map_or_else(String::new, |row| interval(row)),
            times(best.and_then(|row| row.vs_default)),
            best.map_or_else(String::new, |row| count(ties(row, &ranked))),
        ]
    });
    let cells = std::iter::once(BEST_HEADINGS.map(str::to_owned)).chain(cells);
    format!("best configuration by operation\n{}", indented(&aligned(cells, |column| column < 2)))
}
