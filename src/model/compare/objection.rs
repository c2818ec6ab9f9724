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
pub const CERTAIN: f64 = 0.9;

/// Returns why times per call say nothing: the number of calls of a run is not certain, and calls of the runs differ in their number
/// of dispatches, as they do if one of them was counted wrongly. If they do not, all were counted alike, and their ratio does
/// not depend on it.
pub(super) fn uncertain_calls(base: &Runs, new: &Runs) -> Option<String> {
    let sides = [base, new].into_iter();
    let runs = sides.flat_map(|side| side.runs.iter().map(move |run| (side, run)));
    let known: Vec<_> = runs.filter_map(|(side, run)| Some((side, run, run.calls?))).collect();
    let (first_side, _, [_, first]) = known.first()?;
    let (side, _, [_, other]) = known.iter().find(|(.., [_, it])| (it - first).abs() >= 1e-3)?;
    let (_, run, [confidence, _]) = known.iter().find(|(.., [it, _])| *it < CERTAIN)?;
    let [first, other] = [first, other].map(|dispatches| (dispatches * 1e3).round() / 1e3);
    Some(format!(
        "the number of calls of {} is not certain ({:.0} %), and a call has {other} dispatches in {} instead of {first} in {}",
        run.name,
        confidence * 100.0,
        side.name,
        first_side.name
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
