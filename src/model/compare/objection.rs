//! Why the times of two sides say nothing about their code.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;

use super::measured::{Run, Runs};
use super::side::Side;

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
        .or_else(|| machines(base, new))
        .or(counted)
        .or_else(|| one(|run| run.is_throttled, "says that its device throttled its clocks"))
        .or_else(|| one(|run| run.is_cut, "is truncated: records are missing"))
        .or_else(|| filtered(sides))
        .or_else(|| contradiction(sides))
        .or_else(|| shared(base, new))
}

/// Returns that the machines are others, if they are known: what the times differ by may be the machine.
fn machines(base: &Runs, new: &Runs) -> Option<String> {
    let known = |side: &Runs| -> Option<BTreeSet<String>> {
        side.runs.iter().map(|run| run.machine.clone()).collect()
    };
    let (of_base, of_new) = (known(base)?, known(new)?);
    if of_base == of_new {
        return None;
    }
    let [of_base, of_new] =
        [of_base, of_new].map(|all| all.into_iter().collect::<Vec<_>>().join(" and "));
    let modules = if are_identical(base, new) { "their modules are identical, but " } else { "" };
    Some(format!(
        "{modules}they ran on different machines: {} on {of_base}, {} on {of_new}",
        base.name, new.name
    ))
}

/// Whether all runs of both sides ran the same modules, as far as that is known.
pub fn are_identical(base: &Runs, new: &Runs) -> bool {
    let builds: Option<BTreeSet<&str>> =
        base.runs.iter().chain(&new.runs).map(|run| run.build.as_deref()).collect();
    builds.is_some_and(|builds| builds.len() == 1)
}

/// Returns the flags that only the commands of one side have, of each side.
pub fn other_flags(base: &Runs, new: &Runs) -> Option<[Vec<String>; 2]> {
    let of = |side: &Runs| -> Option<BTreeSet<String>> {
        let all: Option<Vec<&Vec<String>>> =
            side.runs.iter().map(|run| run.flags.as_ref()).collect();
        Some(all?.into_iter().flatten().cloned().collect())
    };
    let (of_base, of_new) = (of(base)?, of(new)?);
    let only = |one: &BTreeSet<String>, other| one.difference(other).cloned().collect::<Vec<_>>();
    let only = [only(&of_base, &of_new), only(&of_new, &of_base)];
    only.iter().any(|flags| !flags.is_empty()).then_some(only)
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

/// Returns why the total of a side says nothing: in a run, each iteration has dispatches without valid times.
pub(super) fn untimed(runs: &Runs, side: &Side) -> Option<String> {
    let run = side.total.iter().position(BTreeMap::is_empty)?;
    let name = side.runs.get(run)?;
    Some(format!(
        "{} of {} iterations of {} have dispatches without valid times, and all of {name}",
        side.untimed, side.iterations, runs.name
    ))
}

impl Runs {
    /// Says that the number of calls of a run is not certain, and so the times of an iteration; `None` if all are certain.
    pub fn uncertain(&self) -> Option<String> {
        let confidence = |run: &Run| Some(run.calls?[0]).filter(|it| *it < CERTAIN);
        let mut doubtful = self.runs.iter().filter_map(|run| Some((run, confidence(run)?)));
        let (run, confidence) = doubtful.next()?;
        let others = match doubtful.count() {
            0 => String::new(),
            count => format!(", nor that of {}", counted(count as u64, "other run")),
        };
        Some(format!(
            "the number of calls of {} is not certain ({:.0} %){others}: an iteration may be another part of the run",
            run.name,
            confidence * 100.0
        ))
    }
}

/// Returns that the times of functions are missing on one side, as if a filter left them out.
fn filtered(sides: [&Runs; 2]) -> Option<String> {
    let [base, new] = sides
        .map(|side| side.runs.iter().map(|run| run.untimed_functions).max().unwrap_or_default());
    let (side, count) = if base > new { (sides[0], base) } else { (sides[1], new) };
    (base != new).then(|| {
        format!(
            "{} has no times of {} that ran, as if a filter left them out",
            side.name,
            counted(count, "function")
        )
    })
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
