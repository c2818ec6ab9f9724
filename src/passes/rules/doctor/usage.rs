//! Rules about how the time of calls and workers is used, and what a filter left out. They are no contradictions: what they
//! find may be meant.

use base::words::{count, duration};
use read::bundle::Severity;

use super::rule::{Case, Facts, Rule};
use crate::fold::contradictions::SEVERAL;

pub const RULES: &[Rule] = &[
    Rule {
        name: "one_worker",
        find: one_worker,
        what: "{detail}",
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
    Rule {
        name: "filtered_functions",
        find: filtered,
        what: "functions without a recorded dispatch, though they ran, as if a filter left them out: {detail}",
        evidence: "untimed_dispatches",
        advice: "sums, shares and idle time are those of the other functions; compare gives no verdict unless both sides have the same filter",
    },
];

/// The flag that asks for one worker.
const ONE: &str = "--task_topology_group_count=1";

/// Finds that tiles never ran side by side, though there were tiles for it, and workers, or no region that tells of any.
fn one_worker(facts: &Facts<'_>) -> Vec<Case> {
    let tiles = &facts.held.tiles;
    let is_untold = tiles.workers == 0 && tiles.several < SEVERAL;
    let has_none = tiles.several + tiles.single == 0;
    if tiles.workers == 1 || tiles.shared > 0 || is_untold || has_none {
        return Vec::new();
    }
    let who = match tiles.workers {
        0 => "one worker".to_owned(),
        workers => format!("one of {workers} workers"),
    };
    let case =
        |detail: String| Case::meant(format!("{who} did all the work at any time: {detail}"));
    if tiles.several == 0 {
        let detail = format!("dispatches of a single tile: {}", count(tiles.single));
        return vec![Case { count: tiles.single, ..case(detail) }];
    }
    let detail =
        format!("tiles never ran side by side (dispatches with several: {})", count(tiles.several));
    let found = Case { count: tiles.several, ..case(detail) };
    let process = facts.bundle.own_run().and_then(|run| run.process.as_ref());
    if process.is_some_and(|process| process.ran.iter().any(|word| word == ONE)) {
        return vec![found];
    }
    let severity = if tiles.several < SEVERAL { Severity::Info } else { Severity::Warning };
    vec![Case { severity, is_harmless: false, ..found }]
}

/// Finds functions of executed command buffers of which no dispatch was recorded.
fn filtered(facts: &Facts<'_>) -> Vec<Case> {
    let [functions, all] = facts.held.left_out;
    let what = || Case {
        count: functions,
        total: Some(all),
        ..Case::told(Severity::Info, format!("{} of {}", count(functions), count(all)))
    };
    (functions > 0).then(what).into_iter().collect()
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
