//! Rules about the runs of a capture set: the run of the bundle, and, for the first bundle of the set, the runs that
//! recorded nothing.

use read::bundle::set::{CaptureSet, Flaw, Outcome, Run};
use read::bundle::{Severity, StandIn};

use super::rule::{Case, Facts, Rule};

pub const RULES: &[Rule] = &[
    Rule {
        name: "lost_bundle",
        find: |facts| {
            let is_lost = facts.bundle.stand_in == Some(StandIn::Lost);
            let path = || facts.bundle.path.display().to_string();
            is_lost.then(|| Case::told(Severity::Error, path())).into_iter().collect()
        },
        what: "the capture set lists {detail}, but the file is missing",
        evidence: "runs",
        advice: "copy it back into the set, or capture again (`gaps` prints the command)",
    },
    Rule {
        name: "nothing_recorded",
        find: |facts| {
            let is_empty = facts.bundle.stand_in == Some(StandIn::Nothing);
            let set = facts.bundle.set.as_ref().filter(|_| is_empty);
            let found = set.map(|set| {
                let why = set.why_nothing().map_or_else(String::new, |why| format!("; {why}"));
                Case::told(Severity::Error, why)
            });
            found.into_iter().collect()
        },
        what: "no run of the capture set recorded anything{detail}",
        evidence: "runs",
        advice: "run `gaps` for what this device can record",
    },
    Rule {
        name: "failed_run",
        find: |facts| {
            flaws(facts, |_, flaw| match flaw {
                Flaw::Failed(why) => Some(Case::told(Severity::Error, why)),
                _ => None,
            })
        },
        what: "{detail}; its records until then are available",
        evidence: "runs WHERE outcome = 'failed'",
        advice: "check the output of the tool in the folder of the set, and capture again",
    },
    Rule {
        name: "cut_run",
        find: |facts| {
            flaws(facts, |run, flaw| match flaw {
                Flaw::Cut(why) if run.outcome == Outcome::TimeLimit => Some(Case::meant(why)),
                Flaw::Cut(why) => Some(Case::told(Severity::Error, why)),
                _ => None,
            })
        },
        what: "{detail}; its records until then are available",
        evidence: "runs WHERE outcome IN ('time_limit', 'interrupted', 'running')",
        advice: "capture again and let the tool exit; `gaps` prints the command",
    },
    Rule {
        name: "filtered_run",
        find: |facts| {
            flaws(facts, |_, flaw| match flaw {
                Flaw::Filtered(why) => Some(Case::told(Severity::Warning, why)),
                _ => None,
            })
        },
        what: "heavy records are {detail}",
        evidence: "runs WHERE command LIKE '%--device_profiling_filter_%'",
        advice: "totals cover only what the filters include; `fill` captures without filters",
    },
    Rule {
        name: "partial_run",
        find: |facts| {
            flaws(facts, |_, flaw| match flaw {
                Flaw::Part(why) => Some(Case::told(Severity::Warning, why)),
                _ => None,
            })
        },
        what: "{detail}",
        evidence: "runs",
        advice: "capture each test (--gtest_filter) or device by itself; iree-benchmark-module records all devices",
    },
    Rule {
        name: "other_build",
        find: |facts| {
            own(facts, |set, own| {
                let (first, _) = set.unlike(own, Run::build)?;
                Some(format!(
                    "{} ran other modules than {}: their digests differ",
                    own.name, first.name
                ))
            })
        },
        what: "{detail}",
        evidence: "runs",
        advice: "capture each build into a set of its own; `compare` compares sets",
    },
    Rule {
        name: "other_inputs",
        find: |facts| {
            own(facts, |set, own| {
                let (first, [has, of_own]) = set.unlike(own, Run::inputs)?;
                Some(format!("{} ran with {of_own}, but {} with {has}", own.name, first.name))
            })
        },
        what: "{detail}",
        evidence: "runs",
        advice: "capture runs with other inputs into a set of their own",
    },
    Rule {
        name: "copied_run",
        find: |facts| {
            own(facts, |set, own| {
                Some(format!("{} is a copy of {}", own.name, set.copied(own)?.name))
            })
        },
        what: "{detail}",
        evidence: "runs",
        advice: "remove the copy: it says nothing more, but doubles sums",
    },
    Rule {
        name: "unrecorded_run",
        find: |facts| {
            let runs = unrecorded(facts).filter_map(|run| {
                let why = failure(run)?.why().to_owned();
                let detail = format!("{}: {why}, and recorded nothing", run.name);
                Some(Case::told(Severity::Warning, detail))
            });
            runs.collect()
        },
        what: "{detail}{first}",
        evidence: "runs WHERE bundle IS NULL",
        advice: "check the output of the tool in the folder of the set",
    },
    Rule {
        name: "refused_run",
        find: |facts| {
            let runs = unrecorded(facts).filter(|run| failure(run).is_none()).filter_map(|run| {
                let refused = run.refused.last().filter(|_| run.outcome != Outcome::Passed)?;
                let (mode, why) = (&refused.mode, &refused.reason);
                let detail = format!("{} recorded nothing: {mode}: {why}", run.name);
                Some(Case::told(Severity::Info, detail))
            });
            runs.collect()
        },
        what: "{detail}{first}",
        evidence: "runs WHERE bundle IS NULL",
        advice: "",
    },
];

/// Returns the cases for flaws of runs that recorded something.
fn flaws(facts: &Facts<'_>, found: impl Fn(&Run, Flaw) -> Option<Case>) -> Vec<Case> {
    let runs = facts.bundle.runs.iter().map(|it| &it.run).filter(|run| run.bundle.is_some());
    runs.flat_map(|run| {
        run.flaws().into_iter().filter_map(|flaw| found(run, flaw)).collect::<Vec<_>>()
    })
    .collect()
}

/// Returns the case of the run of the bundle, in its set.
fn own(facts: &Facts<'_>, found: impl Fn(&CaptureSet, &Run) -> Option<String>) -> Vec<Case> {
    let run = facts.bundle.own_run().filter(|_| facts.bundle.stand_in.is_none());
    let detail = facts.bundle.set.as_deref().zip(run).and_then(|(set, run)| found(set, run));
    detail.map(|detail| Case::told(Severity::Warning, detail)).into_iter().collect()
}

/// Iterates over the runs that recorded nothing.
fn unrecorded<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Run> {
    facts.bundle.runs.iter().map(|it| &it.run).filter(|run| run.bundle.is_none())
}

/// Returns the failure or the early end of a run; `None` if it ended by itself.
fn failure(run: &Run) -> Option<Flaw> {
    run.flaws().into_iter().find(|flaw| matches!(flaw, Flaw::Failed(_) | Flaw::Cut(_)))
}
