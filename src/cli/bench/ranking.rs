//! The final table: the configurations of each operation, fastest first.

use crate::bench::run::{DispatchRun, Outcome, Verification};
use crate::cli::names::different;
use crate::report::text::{count, duration, table as aligned};

/// Returns the tables of all operations; empty if there are fewer than two rows.
pub fn text(rows: &[DispatchRun]) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let each = different(rows.iter().map(|row| &row.operation)).into_iter().map(|operation| {
        let of: Vec<&DispatchRun> = rows.iter().filter(|row| row.operation == *operation).collect();
        table(operation, &of)
    });
    each.collect()
}

fn table(operation: &str, rows: &[&DispatchRun]) -> String {
    let mut ranked: Vec<(f64, &DispatchRun)> = rows
        .iter()
        .filter(|row| row.outcome == Outcome::Passed)
        .filter_map(|row| Some((row.median_ns?, *row)))
        .collect();
    ranked.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let first = rows.first();
    let place = first.map_or_else(String::new, |row| format!("{} on {}", row.target, row.device));
    let mut text = format!("\n{operation}, {place}\n");
    if let Some((best, _)) = ranked.first() {
        let rows = ranked.iter().zip(1..).map(|((_, row), rank)| cells(rank, row, *best));
        let rows = std::iter::once(HEADINGS.map(str::to_owned)).chain(rows);
        let lines = aligned(rows, |column| column == 1 || column >= 6);
        text.extend(lines.lines().map(|line| format!(" {line}\n")));
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

fn cells(rank: usize, row: &DispatchRun, best: f64) -> [String; 8] {
    let time = |ns: Option<f64>| ns.map_or_else(String::new, duration);
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{rate:.2}"));
    let slower = row.median_ns.map_or(1.0, |own| own / best);
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
