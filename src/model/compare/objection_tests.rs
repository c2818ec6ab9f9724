//! Tests of what makes the times of two sides say nothing about their code.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use schemas::Clock;

use super::objection::uncertain_calls;
use super::tests::rows;
use super::*;

/// A side of two runs.
fn side(name: &str, change: fn(&mut Run)) -> Runs {
    let run = |name: &str| Run { name: name.into(), driver: "hip".into(), ..Run::default() };
    let mut runs = vec![run("1"), run("2")];
    runs.iter_mut().for_each(change);
    Runs { name: name.into(), runs, ..Runs::default() }
}

#[test]
fn what_recorded_the_runs_has_to_be_the_same() {
    let base = side("base", |_| ());
    assert_eq!(objection(&base, &side("new", |_| ())), None);
    for (new, part) in [
        (side("new", |run| run.driver = "cuda".into()), "drivers: base by hip, new by cuda"),
        (side("new", |run| run.devices = "B".into()), "different devices"),
        (
            side("new", |run| run.has_counters = true),
            "only new was recorded with hardware counters",
        ),
        (side("new", |run| run.is_throttled = run.name == "2"), "2 says that its device throttled"),
        (side("new", |run| run.is_cut = run.name == "1"), "1 is truncated"),
    ] {
        let found = objection(&base, &new).unwrap_or_default();
        assert!(found.contains(part), "{found}");
        assert!(objection(&new, &base).is_some(), "{part}");
    }
    let counted = side("base", |run| run.has_counters = true);
    assert_eq!(objection(&counted, &side("new", |run| run.has_counters = true)), None);
}

#[test]
fn calls_that_may_be_others_are_not_compared() {
    let side = |name: &str, calls: [f64; 2]| {
        let run = Run { name: format!("run of {name}"), calls: Some(calls), ..Run::default() };
        Runs { name: name.into(), runs: vec![run.clone(), run], ..Runs::default() }
    };
    let base = side("base", [0.97, 3.0]);
    // Certain, or counted alike.
    assert_eq!(uncertain_calls(&base, &side("new", [0.95, 2.0])), None);
    assert_eq!(uncertain_calls(&base, &side("new", [0.5, 3.0])), None);
    assert_eq!(uncertain_calls(&base, &Runs::default()), None);
    let found = uncertain_calls(&base, &side("new", [0.73, 9.0])).unwrap();
    assert!(found.contains("run of new is not certain (73 %)"), "{found}");
    assert!(found.contains("9 dispatches in new instead of 3 in base"), "{found}");
}

#[test]
fn other_machines_are_told_if_both_are_known() {
    let [large, small] = [
        side("base", |run| run.machine = Some("Zen 4, 8 processors".into())),
        side("new", |run| run.machine = Some("Zen 4, 2 processors".into())),
    ];
    assert_eq!(
        objection(&large, &small).unwrap(),
        "they ran on different machines: base on Zen 4, 8 processors, new on Zen 4, 2 processors"
    );
    assert_eq!(objection(&large, &large), None);
    assert_eq!(objection(&large, &side("new", |_| ())), None);
    let [large, small] = [large, small].map(|mut side| {
        side.runs.iter_mut().for_each(|run| run.build = Some("a digest".into()));
        side
    });
    assert!(are_identical(&large, &small));
    let found = objection(&large, &small).unwrap();
    assert!(found.starts_with("their modules are identical, but they ran on"), "{found}");
    assert!(!are_identical(&large, &side("new", |run| run.build = Some("another".into()))));
    assert!(!are_identical(&large, &side("new", |_| ())));
}

#[test]
fn flags_of_one_side_are_named() {
    let flags = |all: &[&str]| Some(all.iter().map(|flag| (*flag).to_owned()).collect());
    let mut base = side("base", |_| ());
    let mut new = base.clone();
    for run in &mut base.runs {
        run.flags = flags(&["--a", "--b=1"]);
    }
    assert_eq!(other_flags(&base, &new), None, "those of one side are not known");
    for run in &mut new.runs {
        run.flags = flags(&["--b=2", "--a"]);
    }
    assert_eq!(other_flags(&base, &new), Some([vec!["--b=1".into()], vec!["--b=2".into()]]));
    assert_eq!(other_flags(&base, &base), None);
}

#[test]
fn both_sides_have_the_same_filter() {
    let [whole, one, two] = [
        side("base", |_| ()),
        side("new", |run| run.untimed_functions = u64::from(run.name == "2")),
        side("new", |run| run.untimed_functions = 2),
    ];
    let why = "new has no times of 1 function that ran, as if a filter left them out";
    assert_eq!(objection(&whole, &one).unwrap(), why);
    assert_eq!(objection(&one, &whole).unwrap(), why);
    assert!(objection(&one, &two).unwrap().contains("2 functions"));
    assert_eq!(objection(&two, &two), None);
}

#[test]
fn a_run_that_contradicts_itself_is_not_compared() {
    let new = side("new", |run| {
        run.contradiction = (run.name == "2").then(|| "dispatches outlast their submission".into());
    });
    let found = objection(&side("base", |_| ()), &new).unwrap();
    assert_eq!(found, "2 contradicts itself: dispatches outlast their submission");
}

#[test]
fn numbers_of_calls_that_are_not_certain_are_told() {
    assert_eq!(side("base", |_| ()).uncertain(), None);
    assert_eq!(side("base", |run| run.calls = Some([0.95, 3.0])).uncertain(), None);
    let found = side("base", |run| run.calls = Some([0.73, 3.0])).uncertain().unwrap();
    assert!(
        found.starts_with(
            "the number of calls of 1 is not certain (73 %), nor that of 1 other run:"
        ),
        "{found}"
    );
}

#[test]
fn iterations_without_valid_times_do_not_count() {
    let side = |name: &str, is_untimed: fn(&Measured) -> bool| {
        let mut host = rows(&mut ChaCha8Rng::seed_from_u64(12), 5, 0.01, &[1.0, 2.0]);
        for row in host.iter_mut().filter(|row| row.function == "f01" && is_untimed(row)) {
            row.ns = None;
        }
        let runs = (0..5).map(|nth| Run { name: format!("run-{nth:02}"), ..Run::default() });
        Runs { name: name.into(), runs: runs.collect(), host, ..Runs::default() }
    };
    let compared = |new: &Runs| {
        let base = side("base", |_| false);
        compare_runs([&base, new], (Clock::Host, true), &Rules::default())
    };
    let one = side("new", |row| row.run == "run-00" && row.iteration == Some(1));
    let ([_, times], found) = compared(&one);
    assert_eq!(times.total.iter().map(BTreeMap::len).collect::<Vec<_>>(), [9, 10, 10, 10, 10]);
    assert!(found.all().all(|(_, it)| it.reason.is_none()), "{found:?}");
    let whole = side("new", |row| row.run == "run-02");
    let (_, found) = compared(&whole);
    assert_eq!(found.total.verdict, Verdict::NotComparable);
    assert_eq!(
        found.total.reason.unwrap(),
        "10 of 50 iterations of new have dispatches without valid times, and all of run-02"
    );
}
