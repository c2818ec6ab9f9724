//! Rules about contradictions: what families of a bundle say of the same work, and cannot all be true.
//!
//! Their words begin the text of reports.

use base::words::{count, duration};
use read::bundle::Severity;

use super::rule::{Case, Facts, Rule};
use crate::fold::contradictions::{Amount, Contradiction, Kind};

/// Template for rules about one kind of contradiction.
const CONTRADICTION: Rule =
    Rule { name: "", find: |_| Vec::new(), what: "{detail}", evidence: "", advice: "" };

/// What to do about times that cannot be.
const DO_NOT_COMPARE: &str = "times of this capture say nothing: capture again, and report it to the developers of the driver if it happens again; compare, race and history check give no verdict on it";

/// What to do about clocks that cannot be.
const CLOCKS: &str = "durations by one clock hold, but do not compare times of the device with times of the host, as queue-wait and timelines do; capture again";

/// The rules, the most telling first.
pub const RULES: &[Rule] = &[
    Rule {
        name: "outlasting_dispatches",
        find: |facts| {
            shown(facts, Kind::OutlastingDispatches, Severity::Error, |it| {
                let them = plural(
                    it.count,
                    "dispatch outlasts its submission",
                    "dispatches outlast their submissions",
                );
                format!("{them}: {} of {}", amount(it.sum), amount(it.of))
            })
        },
        evidence: "outlasting_dispatches",
        advice: DO_NOT_COMPARE,
        ..CONTRADICTION
    },
    Rule {
        name: "unordered_dispatches",
        find: |facts| {
            shown(facts, Kind::UnorderedDispatches, Severity::Error, |it| {
                let them = plural(it.count, "dispatch ends", "dispatches end");
                format!("{them} after a dispatch behind a barrier: by up to {}", amount(it.most))
            })
        },
        evidence: "unordered_dispatches",
        advice: DO_NOT_COMPARE,
        ..CONTRADICTION
    },
    Rule {
        name: "missing_dispatches",
        find: |facts| {
            shown(facts, Kind::MissingDispatches, Severity::Error, |it| {
                format!(
                    "{} of {} dispatches of executed command buffers are missing",
                    count(it.count),
                    count(it.total)
                )
            })
        },
        evidence: "missing_dispatches",
        advice: "totals, means and counts cover only the dispatches that are there: capture again; compare, race and history check give no verdict on it",
        ..CONTRADICTION
    },
    Rule {
        name: "repeated_ids",
        find: |facts| {
            shown(facts, Kind::RepeatedIds, Severity::Error, |it| {
                let (table, have) = (it.table, if it.count == 1 { "has" } else { "have" });
                format!("{} of {table} {have} ids of others", plural(it.count, "record", "records"))
            })
        },
        evidence: "repeated_ids WHERE \"table\" = '{table}'",
        advice: "totals count these records twice: copy the file again, or capture again; compare, race and history check give no verdict on it",
        ..CONTRADICTION
    },
    Rule {
        name: "uncovered_events",
        find: |facts| {
            shown(facts, Kind::UncoveredEvents, Severity::Error, |it| {
                let them = plural(it.count, "event lies", "events lie");
                format!(
                    "{them} outside of what the clock correlations cover: by up to {}",
                    amount(it.most)
                )
            })
        },
        evidence: "uncovered_events",
        advice: DO_NOT_COMPARE,
        ..CONTRADICTION
    },
    Rule {
        name: "early_submissions",
        find: |facts| {
            shown(facts, Kind::EarlySubmissions, Severity::Warning, |it| {
                let them = plural(
                    it.count,
                    "submission starts before the host submitted it",
                    "submissions start before the host submitted them",
                );
                format!("{them}: by up to {}", amount(it.most))
            })
        },
        evidence: "early_submissions",
        advice: CLOCKS,
        ..CONTRADICTION
    },
    Rule {
        name: "shifted_clock",
        find: |facts| {
            shown(facts, Kind::ShiftedClock, Severity::Warning, |it| {
                let (some, all) = (count(it.count), count(it.total));
                format!(
                    "{some} of {all} clock correlations are later than what was recorded after them: by {}",
                    amount(it.most)
                )
            })
        },
        evidence: "shifted_correlations",
        advice: CLOCKS,
        ..CONTRADICTION
    },
    Rule {
        name: "excessive_tiles",
        find: |facts| {
            shown(facts, Kind::ExcessiveTiles, Severity::Error, |it| {
                let them = plural(it.count, "dispatch has tiles", "dispatches have tiles");
                format!(
                    "{them} that take longer than all workers have: by up to {}",
                    amount(it.most)
                )
            })
        },
        evidence: "excessive_tiles",
        advice: DO_NOT_COMPARE,
        ..CONTRADICTION
    },
    Rule {
        name: "excessive_time",
        find: excessive,
        evidence: "runs WHERE bundle IS NOT NULL",
        advice: DO_NOT_COMPARE,
        ..CONTRADICTION
    },
];

/// Returns the cases of a kind, with their words.
fn shown(
    facts: &Facts<'_>,
    kind: Kind,
    severity: Severity,
    said: fn(&Contradiction) -> String,
) -> Vec<Case> {
    let those = facts.held.contradictions.iter().filter(|it| it.kind == kind);
    let found = |it: &Contradiction| Case {
        count: it.count,
        total: Some(it.total),
        table: Some(it.table),
        device: it.device,
        ..Case::told(severity, said(it))
    };
    those.map(found).collect()
}

/// The flag that makes a benchmark run a fixed number of times, so that a capture has no other calls.
const FIXED: &str = "--benchmark_min_time=";

/// Finds that dispatches took longer than the benchmark that ran them. The mean of an iteration is rounded to a nanosecond.
fn excessive(facts: &Facts<'_>) -> Vec<Case> {
    let process = facts.bundle.own_run().and_then(|run| run.process.as_ref());
    let is_fixed = |word: &String| word.starts_with(FIXED) && word.ends_with('x');
    let process = process.filter(|process| process.ran.iter().any(is_fixed));
    let benchmark = process.and_then(|process| process.benchmark.as_ref());
    let (Some(benchmark), Some([_, least])) = (benchmark, facts.held.busy_ns) else {
        return Vec::new();
    };
    let most = float(benchmark.iterations.saturating_mul(benchmark.wall_ns.saturating_add(1)));
    let what = || {
        let (took, had) = (duration(least), duration(most));
        Case::told(Severity::Error, format!("dispatches take {took}, but the benchmark took {had}"))
    };
    (least > most).then(what).into_iter().collect()
}

fn plural(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

fn amount(amount: Option<Amount>) -> String {
    match amount {
        Some(Amount::Ns(ns)) => duration(ns),
        Some(Amount::Ticks(ticks)) => format!("{ticks} ticks"),
        None => "0".to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "times are rounded when they are told")]
const fn float(ns: u64) -> f64 {
    ns as f64
}
