//! Rules about how the time of calls and workers is used. They are no contradictions: what they find may be meant.

use base::words::{count, duration};
use read::bundle::Severity;

use super::rule::{Case, Facts, Rule};

pub const RULES: &[Rule] = &[
    Rule {
        name: "one_worker",
        find: one_worker,
        what: "one of {total} workers did all the work at any time: {detail}",
        evidence: "host_execution_events WHERE type = 'dispatch'",
        advice: "check whether the process may use several processors (taskset, containers), and --task_topology_group_count",
    },
    Rule {
        name: "idle_calls",
        find: idle_calls,
        what: "less than half of the calls is dispatches: {detail}",
        evidence: "runs WHERE bundle IS NOT NULL",
        advice: "kernel times say little of these calls: compare --measure=wall, and see idle_gaps for what waits",
    },
];

/// Number of dispatches of several tiles from which on it is no chance that one worker ran all: if another one takes a tile
/// of every second dispatch, it takes none of eight in one case of 256.
const SEVERAL: u64 = 8;

/// Finds that tiles never ran side by side, though there were workers and tiles for it.
fn one_worker(facts: &Facts<'_>) -> Vec<Case> {
    let tiles = &facts.held.tiles;
    if tiles.workers < 2 || tiles.shared > 0 || tiles.several + tiles.single == 0 {
        return Vec::new();
    }
    let total = Some(tiles.workers);
    if tiles.several == 0 {
        let detail = format!("dispatches of a single tile: {}", count(tiles.single));
        return vec![Case { total, count: tiles.single, ..Case::meant(detail) }];
    }
    let detail =
        format!("tiles never ran side by side (dispatches with several: {})", count(tiles.several));
    let severity = if tiles.several < SEVERAL { Severity::Info } else { Severity::Warning };
    vec![Case { total, count: tiles.several, ..Case::told(severity, detail) }]
}

/// Finds that a benchmark took more than twice as long as all dispatches that were recorded.
fn idle_calls(facts: &Facts<'_>) -> Vec<Case> {
    let process = facts.bundle.own_run().and_then(|run| run.process.as_ref());
    let benchmark = process.and_then(|process| process.benchmark.as_ref());
    let (Some(benchmark), Some([most, _])) = (benchmark, facts.held.busy_ns) else {
        return Vec::new();
    };
    #[expect(clippy::cast_precision_loss, reason = "times are rounded when they are told")]
    let all = benchmark.iterations.saturating_mul(benchmark.wall_ns) as f64;
    let what = || {
        let (busy, all) = (duration(most), duration(all));
        Case::told(Severity::Info, format!("{busy} of {all}, as the benchmark measured them"))
    };
    (most * 2.0 < all).then(what).into_iter().collect()
}
