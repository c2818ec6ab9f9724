//! Tests what is said of runs that do not belong together: those of a set, and those of a side.

use std::fs;

use crate::Test;
use crate::capture::Place;

pub const TESTS: &[Test] = &[
    ("runs_for_something_else_are_left_out", others),
    ("other_builds_inputs_and_copies_are_named", mixed),
];

/// Captures a run into `set`.
fn run(place: &Place, words: &[&str]) {
    let words = [&["--pace=1000"], words].concat();
    let said = place.capture_with("iree-benchmark-module", "", &["--for=kernel-time"], &words);
    assert_eq!(said.code, Some(0), "{said:?}");
}

fn others() {
    let place = Place::new();
    run(&place, &[]);
    let filled = place.said_by(&["fill", "set", "--for=memory", "--trust"]);
    assert_eq!(filled.code, Some(0), "{filled:?}");
    let others = "run-2 was recorded for something else (";
    for words in [
        ["compare", "base=set", "new=set"].as_slice(),
        &["history", "add", "h", "set", "--time=2026-01-01"],
        &["history", "add", "h", "set", "--time=2026-01-02"],
        &["history", "check", "h", "set"],
        &["history", "check", "h"],
    ] {
        let said = place.said_by(words);
        assert_eq!(said.code, Some(0), "{words:?}: {said:?}");
        let is_of_bundles = words.last() != Some(&"h");
        assert_eq!((said.out + &said.err).contains(others), is_of_bundles, "{words:?}");
    }
    let kept = "SELECT count(*) AS n, count(DISTINCT run) AS runs FROM history_runs WHERE timing_source = 'device'";
    let kept = place.said_by(&["sql", "--format=csv", "-c", kept, "h"]);
    assert_eq!(kept.out, "n,runs\n2,1\n", "{kept:?}");
    let query = "SELECT DISTINCT verdict FROM comparison('a/*', 'b/*')";
    let compared = place.said_by(&["sql", "--format=csv", "-c", query, "a=set", "b=set"]);
    assert_eq!(compared.out, "verdict\nsame\n", "{compared:?}");
    // A set of such runs only has nothing to compare.
    let bin = place.path("bin it's");
    let words = ["capture", "-o", "only", "--for=memory", "--iree-bin-dir", bin.to_str().unwrap()];
    let said = place.said_by(&[&words[..], &["--", "iree-run-module"]].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = place.said_by(&["compare", "set", "only"]);
    assert_eq!(said.code, Some(5), "{said:?}");
}

fn mixed() {
    let place = Place::new();
    let findings = || {
        place.sql("SELECT bundle, finding FROM doctor WHERE finding IN ('other_build', 'other_inputs', 'copied_run') ORDER BY ALL")
    };
    run(&place, &["--function=f", "--input=4xf32=1"]);
    run(&place, &["--function=f", "--input=4xf32=1"]);
    assert_eq!(findings(), "bundle,finding\n");
    let said = || {
        let compared = place.said_by(&["compare", "base=set", "new=set"]);
        assert_eq!(compared.code, Some(0), "{compared:?}");
        let added = place.said_by(&["history", "add", "h", "set"]);
        assert_eq!(added.code, Some(0), "{added:?}");
        [compared.out, added.err]
    };
    for text in said() {
        assert!(!text.contains("builds") && !text.contains("other inputs"), "{text}");
    }
    fs::write(place.path("m.vmfb"), "another module").unwrap();
    run(&place, &["--function=f", "--input=4xf32=1"]);
    run(&place, &["--function=f", "--input=8xf32=1"]);
    assert_eq!(
        findings(),
        "bundle,finding\nrun-3,other_build\nrun-4,other_build\nrun-4,other_inputs\n"
    );
    for (text, name) in said().into_iter().zip(["base", "the entry"]) {
        let builds = format!("{name} has runs of 2 builds, whose modules have other digests: ");
        assert!(text.contains(&builds) && text.contains("run-3"), "{text}");
        let inputs = format!(
            "{name} has runs with other inputs: run-1 with --function=f --input=4xf32=1, run-4 with --function=f --input=8xf32=1."
        );
        assert!(text.contains(&inputs), "{text}");
    }
    let doctor = place.said_by(&["doctor", "set"]);
    assert_eq!(doctor.code, Some(0), "warnings: {doctor:?}");
    assert!(
        doctor.out.contains("run-3 ran other modules than run-1: their digests differ"),
        "{doctor:?}"
    );
    let inputs =
        "run-4 ran with --function=f --input=8xf32=1, but run-1 with --function=f --input=4xf32=1";
    assert!(doctor.out.contains(inputs), "{doctor:?}");
    // The same run twice.
    fs::copy(place.path("set/run-1.ireeprof"), place.path("set/run-2.ireeprof")).unwrap();
    assert!(findings().contains("run-2,copied_run\n"), "{}", findings());
    let [compared, added] = said();
    assert!(compared.contains("run-2 is a copy of run-1 and does not count."), "{compared}");
    assert!(added.contains("warning: run-2 is a copy of run-1."), "{added}");
}
