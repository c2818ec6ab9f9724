//! Tests the number of calls: of captures with the real tools, and of programs that are played, with how certain it is.

use std::collections::{BTreeMap, HashMap};
use std::process::Command;
use std::sync::Arc;

use ireescope::fold::{BestClocks, Invocations, read_clocks};
use libtest_mimic::Trial;

use super::differential::TOOLS;
use crate::capture::Place;
use crate::support::ask::{cell, engine, file, open, root, rows};
use crate::support::played_calls::{Played, play};
use crate::support::random::Random;
use crate::support::random_program::scene;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[("readings_are_right_as_often_as_they_say", calibration)];

/// The tests that need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("calls::captures_have_the_calls_that_were_made".into(), matrix)]
}

/// Runs benches/calls, and checks each of its captures; then the same functions in capture sets, which tell what was called.
fn matrix() {
    let folder = tempfile::tempdir().unwrap();
    let mut script = Command::new(root().join("benches/calls"));
    script.arg(folder.path()).arg("quick").env("IREESCOPE", env!("CARGO_BIN_EXE_ireescope"));
    let output = script.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = std::fs::read_to_string(folder.path().join("calls.csv")).unwrap();
    let captures: Vec<Vec<&str>> =
        listed.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(captures.len() > 20, "{listed}");
    for capture in captures {
        let [name, calls, is_decided] = capture[..] else { panic!("{capture:?}") };
        let engine = engine(&folder.path().join(format!("{name}.ireeprof")));
        let found = "SELECT count(*), max(invocation), count(DISTINCT devices) FROM invocations";
        let found = rows(&engine, found);
        // What a bundle cannot decide is said.
        let others = "SELECT max(confidence) < 0.9 FROM invocations_readings";
        let counts = rows(&engine, "SELECT invocation_count FROM invocations_readings");
        let is_said = cell(&engine, others) == "true" && counts.concat().contains(&calls.into());
        let is_right = found == [[calls, calls, "1"]];
        assert!(is_right || is_decided == "false" && is_said, "{name}: {found:?} of {counts:?}");
    }
    let devices = engine(&folder.path().join("devices.ireeprof"));
    assert_eq!(cell(&devices, "SELECT DISTINCT devices FROM invocations"), "\"0, 1\"");
    // Both devices begin and end the session, and count their events on their own.
    assert_eq!(rows(&devices, "SELECT ended FROM sessions"), [["true"]]);
    for nothing in ["problems", "repeated_ids"] {
        let count = cell(&devices, &format!("SELECT count(*) FROM {nothing}"));
        assert_eq!(count, "0", "{nothing}");
    }
    for (module, calls) in [("async", "40"), ("mlp", "10")] {
        told(&folder.path().join(format!("{module}.llvm-cpu.vmfb")), calls);
    }
}

/// Captures a set of batches of four, and checks that what it tells decides.
fn told(module: &std::path::Path, calls: &str) {
    let place = Place::new();
    let mut command = place.command("", &["capture", "--for=kernel-time", "-o", "set"]);
    command.arg("--iree-bin-dir").arg(&*TOOLS).args(["--", "iree-benchmark-module"]);
    command.args(["--device=local-task", "--function=main", "--batch_size=4"]);
    command.arg(format!("--module={}", module.display())).arg("--benchmark_min_time=40x");
    for input in
        ["32x128xf32=1", "128x256xf32=0.01", "256xf32=0.5", "256x64xf32=0.01", "64xf32=0.25"]
    {
        command.arg(format!("--input={input}"));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let columns = "SELECT r.iterations, r.items, r.calls, min(confidence) > 0.6 AS sure
        FROM runs AS r JOIN invocations AS i ON i.bundle = r.bundle GROUP BY ALL";
    assert_eq!(place.sql(columns), format!("iterations,items,calls,sure\n40,40,{calls},true\n"));
}

/// How many programs are played.
const SCENES: u64 = 1_500;

/// The confidences between which readings are counted together.
const BINS: [f64; 7] = [0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95];

fn calibration() {
    // For each bin: the number of readings, the sum of their confidences, and the number of those that are right.
    let mut bins: BTreeMap<usize, (u32, f64, u32)> = BTreeMap::new();
    for seed in 0..SCENES {
        let mut random = Random(seed);
        let scene = scene(&mut random);
        let played = play(&scene, &mut random);
        let Some((confidence, is_right)) = read(&played) else { continue };
        let nth = BINS.iter().rposition(|least| confidence >= *least).unwrap();
        let bin = bins.entry(nth).or_default();
        *bin = (bin.0 + 1, bin.1 + confidence, bin.2 + u32::from(is_right));
    }
    for (nth, (count, sum, right)) in &bins {
        let (said, is) = (sum / f64::from(*count), f64::from(*right) / f64::from(*count));
        println!("from {}: {count} readings, {said:.3} said, {is:.3} right", BINS[*nth]);
        // What chance leaves of it, at one side of 95 %.
        let chance = 1.645 * (said * (1.0 - said) / f64::from(*count)).sqrt();
        assert!(is + chance >= said, "{is} of {count} are right, not {said}");
    }
    let certain = bins.get(&(BINS.len() - 1)).map_or(0, |bin| bin.0);
    assert!(u64::from(certain) > SCENES / 4, "only {certain} of {SCENES} are certain");
}

/// Returns the confidence of the best reading of a bundle, and whether it divides the dispatches as they were called; `None`
/// if it has no dispatch.
fn read(played: &Played) -> Option<(f64, bool)> {
    let file = file(&played.bytes);
    let bundle = Arc::new(open(file.path(), "b").unwrap());
    let clocks = read_clocks(&bundle).unwrap();
    let best = BestClocks::read(&bundle, &clocks).unwrap();
    let found = Invocations::read(&bundle, &clocks, &best, None).unwrap();
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    let is_same = |(call, submission): (&Option<usize>, &[u64; 6])| {
        let number = found.find(*submission).map(|invocation| invocation.number);
        call.is_some() == number.is_some()
            && *there.entry(*call).or_insert(number) == number
            && *back.entry(number).or_insert(*call) == *call
    };
    let is_right = played.calls.iter().zip(&played.submissions).all(is_same);
    Some((found.readings.first()?.confidence, is_right))
}
