//! Tests `race` with fake tools, whose `--pace` is the factor of their times (`tests/support/fake_tool.rs`).

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Test;
use crate::capture::{Place, Said, said};

pub const TESTS: &[Test] = &[
    ("a_slower_side_is_found_before_the_last_run", slower),
    ("equal_sides_are_the_same", same),
    ("a_gate_judges_the_race", gate),
    ("a_fixed_number_of_runs_is_done", fixed),
    ("the_order_of_runs_is_drawn_for_each_block", order),
    ("a_set_of_two_sides_is_compared_alone", compared),
    ("runs_of_a_race_are_told_apart", told_apart),
    ("a_tool_that_fails_ends_the_race", failing),
    ("ctrl_c_ends_the_race_and_keeps_its_runs", interrupted),
    ("a_time_limit_begins_no_further_block", time_limit),
    ("a_race_has_a_folder_of_its_own", own_folder),
    ("two_races_into_one_folder_are_one_too_many", locked),
    ("commands_are_two", commands),
    ("fill_captures_beside_a_race", filled),
];

/// The words of a race between tools of these paces.
fn words(place: &Place, flags: &[&str], base: &str, new: &str) -> Vec<String> {
    let bin = place.path("bin it's");
    let before = ["race", "-o", "set", "--iree-bin-dir", bin.to_str().unwrap()];
    let side = |pace: &str| ["iree-benchmark-module".to_owned(), format!("--pace={pace}")];
    let before = before.iter().chain(flags).map(|word| (*word).to_owned());
    let between = ["--vs".to_owned()];
    let tools = side(base).into_iter().chain(between).chain(side(new));
    before.chain(["--".to_owned()]).chain(tools).collect()
}

fn command(place: &Place, fake: &str, flags: &[&str], base: &str, new: &str) -> Command {
    let words = words(place, flags, base, new);
    place.command(fake, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn race(place: &Place, flags: &[&str], base: &str, new: &str) -> Said {
    said(&command(place, "", flags, base, new).output().unwrap())
}

/// The sides of the runs of the set, in their order; `-` for those that warm up.
fn sides(place: &Place) -> String {
    let manifest = place.manifest();
    let runs = manifest["runs"].as_array().unwrap().iter();
    let letter = |run: &Value| match run["side"].as_str() {
        Some("base") => 'A',
        Some("new") => 'B',
        _ => '-',
    };
    runs.map(letter).collect()
}

/// The sides of the whole runs that count, in their order.
fn captured(place: &Place) -> String {
    let manifest = place.manifest();
    let runs = manifest["runs"].as_array().unwrap().iter();
    let whole = runs.filter(|run| run["outcome"] == "captured");
    let sides = whole.filter_map(|run| run["side"].as_str());
    sides.map(|side| if side == "base" { 'A' } else { 'B' }).collect()
}

fn slower() {
    let place = Place::new();
    let ran = race(&place, &[], "1000", "1100");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.starts_with("new is slower than base: 1.2"), "{}", ran.out);
    assert!(ran.out.contains("does not weaken the interval"), "{ran:?}");
    assert!(ran.err.contains("ireescope: block 1: +"), "{}", ran.err);
    assert!(ran.err.ends_with("ireescope: the verdict is decided\n"), "{}", ran.err);
    let runs = sides(&place);
    assert!(runs.starts_with("--") && runs.len() < 22, "{runs}");
    let back = race(&Place::new(), &[], "1000", "900");
    assert!(back.out.starts_with("new is faster than base"), "{}", back.out);
}

fn same() {
    let place = Place::new();
    let ran = race(&place, &["--until=decided"], "1000", "1000");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.starts_with("new is as fast as base"), "{}", ran.out);
    // Half a percent is more than this floor.
    let place = Place::new();
    let ran = race(&place, &["--repeat=4", "--noise-floor=0.01%"], "1000", "1000");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.starts_with("it is not certain whether new is faster than base"), "{ran:?}");
}

fn gate() {
    let ran = race(&Place::new(), &["--fail-on=total:5%"], "1000", "1100");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("--fail-on total:5%: all functions of new changed by +"), "{ran:?}");
    let ran = race(&Place::new(), &["--fail-on=total:20%", "--fail-on=slower:30%"], "1000", "1100");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("nothing breaks --fail-on total:20% or --fail-on slower:30%"));
    // Two runs a side are no race.
    let ran = race(&Place::new(), &["--repeat=2", "--fail-on=slower"], "1000", "2000");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.err.contains("--fail-on slower cannot be judged, as new is not comparable"));
    let ran = race(&Place::new(), &["--fail-on=much"], "1000", "2000");
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

fn fixed() {
    let place = Place::new();
    let ran = race(&place, &["--repeat=5"], "1000", "2000");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let runs = sides(&place);
    // The number is rounded up to blocks of two runs a side.
    assert_eq!((runs.len(), runs.matches('A').count(), runs.matches('B').count()), (14, 6, 6));
    assert!(!ran.err.contains("is decided"), "{}", ran.err);
    // Two runs a side are too few for an interval.
    let ran = race(&Place::new(), &["--repeat=2"], "1000", "2000");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("block 1: +") && ran.err.contains(", too few runs; "), "{}", ran.err);
    assert!(ran.out.starts_with("new is not comparable with base"), "{ran:?}");
    assert!(ran.out.contains("too few pairs of runs for an interval"), "{ran:?}");
}

fn order() {
    let drawn = |seed: &str| {
        let place = Place::new();
        let ran = race(&place, &["--repeat=16", seed], "1000", "1000");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        sides(&place)
    };
    let one = drawn("--seed=1");
    assert_eq!(drawn("--seed=1"), one);
    assert_ne!(drawn("--seed=2"), one);
    let blocks: Vec<&str> = (0..8).map(|block| &one[2 + 4 * block..6 + 4 * block]).collect();
    assert!(blocks.contains(&"ABBA") && blocks.contains(&"BAAB"), "{one}");
    assert!(blocks.iter().all(|block| ["ABBA", "BAAB"].contains(block)), "{one}");
}

fn compared() {
    let place = Place::new();
    let ran = race(&place, &[], "1000", "1100");
    let again = place.said_by(&["compare", "set"]);
    assert_eq!((again.code, &again.out), (Some(0), &ran.out));
    let rows = place.said_by(&["compare", "set", "--format=jsonl"]);
    let rows: Vec<Value> =
        rows.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let delta = |row: &Value| row["delta_ns"].as_i64().unwrap();
    assert_eq!(delta(&rows[0]), rows[1..].iter().map(delta).sum::<i64>());
    assert_eq!((&rows[0]["verdict"], &rows[0]["p_value"]), (&"slower".into(), &Value::Null));
    assert!((rows[0]["ratio"].as_f64().unwrap() - 1.1).abs() < 0.02, "{}", rows[0]);
    assert_eq!(rows.len(), 3, "the total and two functions");
    let gate = place.said_by(&["compare", "set", "--fail-on=total:5%"]);
    assert_eq!(gate.code, Some(1), "{gate:?}");
    // A set of no race has one side.
    std::fs::remove_dir_all(place.path("set")).unwrap();
    assert_eq!(place.capture("", &["--for=kernel-time"], &[]).code, Some(0));
    let alone = place.said_by(&["compare", "set"]);
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert!(alone.err.contains("none of its runs is one of a race"), "{}", alone.err);
    // Nor has a bundle.
    let alone = place.said_by(&["compare", "set/run-1.ireeprof"]);
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert!(alone.err.contains("is one side; give a second one"), "{}", alone.err);
}

fn told_apart() {
    let place = Place::new();
    assert_eq!(race(&place, &["--repeat=4"], "1000", "1100").code, Some(0));
    let query = "SELECT side, count(*) AS runs, count(DISTINCT command LIKE '%--pace=1000 %') AS commands, \
                 count(other_cpu_ns) AS watched FROM runs GROUP BY side ORDER BY side NULLS LAST";
    assert_eq!(place.sql(query), "side,runs,commands,watched\nbase,4,1,4\nnew,4,1,4\n,2,2,2\n");
    // The sides record the same, and no more than kernel times need.
    let asked = place.sql("SELECT DISTINCT got FROM runs");
    assert_eq!(asked, "got\n\"dispatch-events,executable-metadata\"\n");
    for command in ["doctor", "gaps", "top", "summary"] {
        let said = place.said_by(&[command, "set"]);
        assert_eq!(said.code, Some(0), "{command}: {said:?}");
    }
}

fn failing() {
    let place = Place::new();
    let ran = said(
        &command(&place, "fails in:run-9", &["--repeat=20"], "1000", "1100").output().unwrap(),
    );
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("error: iree-benchmark-module failed: it broke"), "{}", ran.err);
    // What is known by then is printed, from whole runs only.
    assert_eq!(place.runs("outcome")[8], "failed");
    assert_eq!(sides(&place).len(), 9);
    assert!(ran.out.contains("A race of 3 pairs of neighboring runs"), "{}", ran.out);
    assert_eq!(place.said_by(&["compare", "set"]).out, ran.out);
    // A tool that never works leaves nothing behind.
    let place = Place::new();
    let ran = said(&command(&place, "fail:no module", &[], "1000", "1100").output().unwrap());
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("no module") && ran.out.is_empty(), "{ran:?}");
    assert!(!place.path("set").exists());
}

/// Waits until the fake tool of a run hangs.
fn wait(place: &Place, run: &str) {
    let started = Instant::now();
    while !place.path(&format!("set/{run}.pid")).exists() {
        assert!(started.elapsed() < Duration::from_mins(1), "the tool starts");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn start(place: &Place, fake: &str) -> std::process::Child {
    let mut command = command(place, fake, &[], "1000", "1010");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &std::process::Child) {
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
}

fn interrupted() {
    let place = Place::new();
    let child = start(&place, "hang in:run-12");
    wait(&place, "run-12");
    interrupt(&child);
    let ran = said(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.err.contains("interrupted; the runs so far are kept in set"), "{}", ran.err);
    assert_eq!(place.runs("outcome")[11], "interrupted");
    assert_eq!(sides(&place).len(), 12, "no other run begins");
    assert!(ran.out.contains("A race of 4 pairs of neighboring runs"), "{}", ran.out);
    assert_eq!(place.said_by(&["compare", "set"]).out, ran.out);
    assert_eq!(place.sql("SELECT count(*) FROM dispatches").lines().nth(1), Some("24"));
    // The same command goes on from its 9 whole runs, and comes to the end that it has without a break.
    let went_on = race(&place, &["--repeat=8"], "1000", "1010");
    assert_eq!(went_on.code, Some(0), "{went_on:?}");
    assert!(went_on.err.contains("going on from 9 runs in set"), "{}", went_on.err);
    let query = "SELECT side, count(*) AS runs FROM runs WHERE outcome = 'captured' GROUP BY side ORDER BY side NULLS LAST";
    assert_eq!(place.sql(query), "side,runs\nbase,8\nnew,8\n,4\n");
    assert!(went_on.out.contains("A race of 8 pairs of neighboring runs"), "{}", went_on.out);
    let counted = |sides: &str| sides.replace('-', "");
    let whole = Place::new();
    assert_eq!(race(&whole, &["--repeat=8"], "1000", "1010").code, Some(0));
    assert_eq!(captured(&place), counted(&sides(&whole)), "the order is that without a break");
    // At its end, it does no run again.
    let before = place.manifest();
    let again = race(&place, &["--repeat=8"], "1000", "1010");
    assert_eq!((again.code, &again.out, place.manifest()), (Some(0), &went_on.out, before));
    let other = race(&place, &["--repeat=8", "--seed=2"], "1000", "1010");
    assert!(
        other.code == Some(2) && other.err.contains("give --seed as when the race began"),
        "{other:?}"
    );
    let other = race(&place, &["--repeat=8"], "1000", "1020");
    assert!(other.code == Some(2) && other.err.contains("of other commands"), "{other:?}");
}

fn time_limit() {
    let place = Place::new();
    let ran = race(&place, &["--repeat=1000", "--time-limit=1ms"], "1000", "1000");
    assert_eq!((ran.code, sides(&place).as_str()), (Some(5), "--"), "{ran:?}");
    assert!(ran.err.contains("the time limit is reached, and no run counts yet"), "{}", ran.err);
}

fn own_folder() {
    let place = Place::new();
    assert_eq!(place.capture("", &["--for=kernel-time"], &[]).code, Some(0));
    let before = place.manifest();
    let ran = race(&place, &[], "1000", "1000");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.err.contains(
            "set has runs of other commands or modules; give the race a folder of its own"
        ),
        "{}",
        ran.err
    );
    assert_eq!(place.manifest(), before);
    // Without --output, the folder is named after the first module.
    let mut words = words(&place, &["--repeat=2"], "1", "1");
    words.drain(1..3);
    words.extend(["--module=m.vmfb".to_owned()]);
    let at = words.iter().position(|word| word == "--vs").unwrap();
    words.insert(at, "--module=m.vmfb".to_owned());
    for name in ["m.race", "m.race-2"] {
        let ran = place.said_by(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(place.path(name).join("manifest.json").exists(), "{name}");
    }
}

fn locked() {
    let place = Place::new();
    let first = start(&place, "hang in:run-3");
    wait(&place, "run-3");
    let second = race(&place, &[], "1000", "1000");
    assert_eq!(second.code, Some(4), "{second:?}");
    assert!(second.err.contains("another capture into "), "{}", second.err);
    interrupt(&first);
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(130));
}

fn commands() {
    let place = Place::new();
    for tools in [
        &["iree-run-module"][..],
        &["iree-run-module", "--vs"],
        &["--vs", "x"],
        &["x", "--vs", "y", "--vs", "z"],
    ] {
        let said = place.said_by(&[&["race", "--"], tools].concat());
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("give two commands after --"), "{}", said.err);
    }
    let said = place.said_by(&["race", "--", "iree-run-module", "--vs", "./no-tool"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("there is no ./no-tool"), "{}", said.err);
    assert!(!place.path("iree-run-module.race").exists(), "nothing was run");
}

fn filled() {
    let place = Place::new();
    assert_eq!(race(&place, &["--repeat=2"], "1000", "1100").code, Some(0));
    let said = place.said_by(&["fill", "set", "--for=memory", "--trust"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(sides(&place).len(), 7, "one run answers the question");
    assert!(sides(&place).ends_with('-'), "it is no run of the race");
}
