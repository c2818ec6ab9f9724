//! The final table: the configurations of each operation, fastest first.

use crate::bench::run::{DispatchRun, Outcome, Verification};
use crate::report::text::{count, duration};

/// Returns the tables of all operations; empty if there are fewer than two rows.
pub fn text(rows: &[DispatchRun]) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let mut operations: Vec<&str> = Vec::new();
    for row in rows {
        if !operations.contains(&row.operation.as_str()) {
            operations.push(&row.operation);
        }
    }
    let each = operations.iter().map(|operation| {
        let of: Vec<&DispatchRun> =
            rows.iter().filter(|row| row.operation == **operation).collect();
        table(operation, &of)
    });
    each.collect()
}

fn table(operation: &str, rows: &[&DispatchRun]) -> String {
    let mut ranked: Vec<&DispatchRun> =
        rows.iter().copied().filter(|row| row.outcome == Outcome::Passed).collect();
    ranked.retain(|row| row.median_ns.is_some());
    ranked.sort_by(|a, b| {
        let key = |row: &DispatchRun| row.median_ns.unwrap_or(f64::INFINITY);
        key(a).total_cmp(&key(b))
    });
    let first = rows.first();
    let place = first.map_or_else(String::new, |row| format!("{} on {}", row.target, row.device));
    let mut text = format!("\n{operation}, {place}\n");
    let best = ranked.first().and_then(|row| row.median_ns);
    let cells: Vec<[String; 8]> = std::iter::once(HEADINGS.map(str::to_owned))
        .chain(ranked.iter().enumerate().map(|(at, row)| cells(at + 1, row, best)))
        .collect();
    if cells.len() > 1 {
        text.push_str(&aligned(&cells));
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

const HEADINGS: [&str; 8] =
    ["", "runtime", "95 % interval", "wall", "GFLOP/s", "GB/s", "verified", "configuration"];

fn cells(rank: usize, row: &DispatchRun, best: Option<f64>) -> [String; 8] {
    let time = |ns: Option<f64>| ns.map_or_else(String::new, duration);
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{rate:.2}"));
    let slower = best.zip(row.median_ns).map_or(1.0, |(best, own)| own / best);
    let clock = row.timing_source.as_deref().unwrap_or_default();
    let mut runtime = format!("{} ({clock})", time(row.median_ns));
    if rank > 1 {
        runtime.push_str(&format!(" {slower:.2}x"));
    }
    [
        format!("{rank}"),
        runtime,
        format!("{} to {}", time(row.median_low_ns), time(row.median_high_ns)),
        time(row.wall_median_ns),
        rate(row.gflops),
        rate(row.gbps),
        row.verification.name().to_owned(),
        row.configuration.clone(),
    ]
}

/// Formats a table. The run time and the last two columns are left-aligned, the others right-aligned.
fn aligned(rows: &[[String; 8]]) -> String {
    let mut widths = [0; 8];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; 8]| {
        let mut text = String::new();
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let room = " ".repeat(width - cell.chars().count());
            let is_text = at == 1 || at >= 6;
            let cell = if is_text { format!("{cell}{room}") } else { format!("{room}{cell}") };
            text.push_str("  ");
            text.push_str(&cell);
        }
        format!("{}\n", text.trim_end())
    };
    rows.iter().map(line).collect()
}
