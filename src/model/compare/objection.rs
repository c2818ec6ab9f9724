//! Why the times of two sides say nothing about their code.

use std::collections::BTreeSet;

use super::measured::{Run, Runs};

/// Whether both sides are the same bundles, or copies of them.
pub fn are_same_captures(base: &Runs, new: &Runs) -> bool {
    base.digests().zip(new.digests()).is_some_and(|(base, new)| !base.is_empty() && base == new)
}

/// Returns why the times of two sides say nothing about their code; `None` if they may.
pub fn objection(base: &Runs, new: &Runs) -> Option<String> {
    let sides = [base, new];
    let differ = |what: &str, of: fn(&Run) -> &str| {
        let [base_has, new_has] = sides.map(|side| side.all(of));
        let list = |all: BTreeSet<String>| all.into_iter().collect::<Vec<_>>().join(" and ");
        (base_has != new_has).then(|| {
            format!(
                "they were recorded by different {what}: {} by {}, {} by {}",
                base.name,
                list(base_has),
                new.name,
                list(new_has)
            )
        })
    };
    let one = |is: fn(&Run) -> bool, what: &str| {
        let mut runs = sides.into_iter().flat_map(|side| &side.runs).filter(|run| is(run));
        runs.next().map(|run| format!("{} {what}", run.name))
    };
    let has_counters = |side: &Runs| side.runs.iter().any(|run| run.has_counters);
    let counted = sides.into_iter().find(|side| has_counters(side));
    let counted = counted.filter(|_| has_counters(base) != has_counters(new)).map(|side| {
        format!(
            "only {} was recorded with hardware counters, which slow dispatches down",
            side.name
        )
    });
    differ("drivers", |run| &run.driver)
        .or_else(|| differ("devices", |run| &run.devices))
        .or(counted)
        .or_else(|| one(|run| run.is_throttled, "says that its device throttled its clocks"))
        .or_else(|| one(|run| run.is_cut, "is truncated: records are missing"))
        .or_else(|| contradiction(sides))
        .or_else(|| shared(base, new))
}

/// The confidence below which a number of calls is not certain.
const CERTAIN: f64 = 0.9;

/// Returns why times per call say nothing: the number of calls of a run is not certain, and calls of the sides differ in their number
/// of dispatches, as they do if one of them was counted wrongly. If they do not, both sides were counted alike, and their
/// ratio does not depend on it.
pub(super) fn uncertain_calls(base: &Runs, new: &Runs) -> Option<String> {
    let per_call = |side: &Runs| {
        let all = side.runs.iter().filter_map(|run| run.calls);
        all.map(|[_, dispatches]| (dispatches * 1e3).round() / 1e3).collect::<Vec<f64>>()
    };
    let (base_calls, new_calls) = (per_call(base), per_call(new));
    let (first, other) = (base_calls.first()?, new_calls.first()?);
    let is_same = base_calls.iter().chain(&new_calls).all(|it| (it - first).abs() < 1e-3);
    let mut runs = base.runs.iter().chain(&new.runs);
    let doubt = runs.find_map(|run| Some((run, run.calls?)).filter(|(_, [c, _])| *c < CERTAIN));
    let (run, [confidence, _]) = doubt.filter(|_| !is_same)?;
    Some(format!(
        "the number of calls of {} is not certain ({:.0} %), and a call has {other} dispatches in {} instead of {first} in {}",
        run.name,
        confidence * 100.0,
        new.name,
        base.name
    ))
}

/// Returns the first contradiction of a run, if any.
fn contradiction(sides: [&Runs; 2]) -> Option<String> {
    let mut runs = sides.into_iter().flat_map(|side| &side.runs);
    runs.find_map(|run| {
        Some(format!("{} contradicts itself: {}", run.name, run.contradiction.as_ref()?))
    })
}

/// Returns a run that is on both sides, if not all are.
fn shared(base: &Runs, new: &Runs) -> Option<String> {
    let same = |run: &Run| {
        let digest = run.digest.as_ref()?;
        let other = base.runs.iter().find(|other| other.digest.as_ref() == Some(digest))?;
        Some(format!(
            "{} of {} is the same capture as {} of {}",
            run.name, new.name, other.name, base.name
        ))
    };
    new.runs.iter().find_map(same).filter(|_| !are_same_captures(base, new))
}
