//! Tests `history`: what is added is kept whole, compared without its bundles, and read by other programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ireescope::comparison::CompareOptions;
use ireescope::history::{self, FunctionRow, History, HistoryError, Kept, RunRow, Sample};
use ireescope::remote::Stores;
use ireescope::tracking::{
    AcceptRequest, AddRequest, Addition, CheckRequest, DriftRequest, Entries, ListRequest, accept,
    list,
};
use ireescope::workspace::WorkspaceOptions;
use libtest_mimic::Trial;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::Serialize;
use serde_json::Value;

use super::compare::sides;
use super::differential::BIN;
use super::profile::ours;
use crate::support::ask::root;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("a_check_is_a_comparison_without_bundles", checked),
    ("the_library_adds_accepts_and_checks_as_the_command_does", by_library),
    ("a_check_compares_with_the_last_accepted_entry_or_those_before", baselines),
    ("entries_of_one_time_are_in_the_order_of_their_addition", one_time),
    ("a_check_stays_within_the_labels_of_its_entry", labels),
    ("a_check_without_a_baseline_is_no_verdict", first_run),
    ("what_is_there_already_is_not_added_again", twice),
    ("calls_that_are_not_certain_are_told_and_kept", uncertain),
    ("raw_tables_are_kept_on_request", raw),
    ("what_cannot_be_done_is_said", refused),
    ("writers_at_once_lose_nothing", together),
    ("commands_that_are_killed_leave_whole_entries", killed),
    ("many_additions_are_few_files", few_files),
    ("ten_thousand_runs_are_checked_in_a_second", fast),
    ("steps_and_drifts_are_found_between_their_commits", drift),
    ("a_drift_stays_within_the_labels_of_the_newest_entry", drift_of_labels),
    ("noise_is_no_drift", noise),
    ("the_history_in_the_test_data_can_be_made_again", fixture),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("history::others_read_it".into(), others_read_it)]
}

fn opened(folder: &Path) -> History {
    History::open_or_create(folder, &Stores::default()).unwrap()
}

fn history(folder: &Path, words: &[&str]) -> Output {
    Command::new(ours()).current_dir(folder).arg("history").args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the lines of an output in order: several threads print rows in any.
fn sorted(output: &Output) -> Vec<String> {
    let mut lines: Vec<String> = said(output).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Runs a command that succeeds, and returns the first line of its output.
fn done(folder: &Path, words: &[&str]) -> String {
    let ran = history(folder, words);
    assert!(ran.status.success(), "{words:?}: {}", said(&ran));
    String::from_utf8_lossy(&ran.stdout).lines().next().unwrap_or_default().to_owned()
}

fn json(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn rows(folder: &Path, words: &[&str]) -> Vec<Value> {
    let ran = history(folder, &[words, &["--format=jsonl"]].concat());
    assert!(ran.status.success(), "{words:?}: {}", said(&ran));
    json(&ran)
}

/// Asks SQL of the history `h` for one row.
fn sql(folder: &Path, query: &str) -> String {
    let ran = Command::new(ours())
        .current_dir(folder)
        .args(["sql", "--format=csv", "-c", query, "h"])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{query}: {}", said(&ran));
    said(&ran).lines().nth(1).unwrap_or_default().to_owned()
}

fn capture(name: &str) -> String {
    root().join(format!("tests/data/{name}.ireeprof")).display().to_string()
}

fn checked() {
    let folder = sides(6, 1.2);
    let place = folder.path();
    let compared = Command::new(ours())
        .current_dir(place)
        .args(["compare", "base/*.jsonl", "new/*.jsonl", "--warmup=keep", "--format=jsonl"])
        .output()
        .unwrap();
    let base = done(
        place,
        &["add", "h", "base/*.jsonl", "--warmup=keep", "--commit=one", "--time=2026-01-01"],
    );
    assert_eq!(base.len(), 12);
    done(place, &["accept", "h"]);
    // The bundles of a new result, and then the result as an entry.
    let words = ["check", "h", "new/*.jsonl", "--warmup=keep", "--format=jsonl"];
    let of_bundles = history(place, &words);
    let new = done(
        place,
        &["add", "h", "new/*.jsonl", "--warmup=keep", "--commit=two", "--time=2026-01-02"],
    );
    for side in ["base", "new"] {
        fs::remove_dir_all(place.join(side)).unwrap();
    }
    let wanted: Vec<Value> = json(&compared).into_iter().map(unnamed).collect();
    assert_eq!(wanted.len(), 5);
    assert_eq!(json(&of_bundles).into_iter().map(unnamed).collect::<Vec<_>>(), wanted);
    for words in [["check", "h"].as_slice(), &["check", "h", &new[..5]]] {
        let found: Vec<Value> = rows(place, words).into_iter().map(unnamed).collect();
        assert_eq!(found, wanted, "{words:?}");
    }
    let ran = history(place, &["check", "h", "--fail-on=total:5%"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    let expected = format!("{new} (two) is slower than accepted {base} (one): ");
    assert!(said(&ran).starts_with(&expected), "{}", said(&ran));
    let ran = history(place, &["check", "h", "--fail-on=total:50%", "--format=junit"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("<testsuite "), "{}", said(&ran));
}

fn by_library() {
    let folder = sides(6, 1.2);
    let place = folder.path();
    let options = WorkspaceOptions::default();
    let add = |side: &str, commit: &str, day: u32| {
        let request = AddRequest {
            bundles: vec![format!("{}/*.jsonl", place.join(side).display())],
            commit: Some(commit.to_owned()),
            time: Some(format!("2026-01-0{day}T00:00:00Z")),
            ..AddRequest::default()
        };
        let addition = Addition::read(&request, &options).unwrap();
        assert!(addition.warnings.is_empty(), "{:?}", addition.warnings);
        addition.store(&place.join("h"), &options).unwrap()
    };
    let base = add("base", "one", 1);
    assert_eq!((base.runs, base.is_new), (6, true));
    assert!(!add("base", "one", 1).is_new);
    let history = History::open(&place.join("h"), &options.objects, Kept::Times).unwrap();
    let accepted = accept(&history, &AcceptRequest::default()).unwrap();
    assert_eq!(accepted.entry, format!("{} (one)", base.entry));
    let new = add("new", "two", 2);
    let words = ["add", "h", "new/*.jsonl", "--commit=two", "--time=2026-01-02"];
    assert_eq!(done(place, &words), new.entry, "the command makes the same entry");
    let entries = Entries::read(&history, &[]).unwrap();
    let request = CheckRequest::default();
    let check = entries.check(&request).unwrap();
    let sides = entries.sides(&check, &request, &options).unwrap().unwrap();
    let compared = sides.compare(&CompareOptions::default()).unwrap();
    let total = compared[0].total();
    let rows = rows(place, &["check", "h"]);
    assert_eq!(rows[0]["matched_by"], "total");
    assert_eq!(rows[0]["verdict"], total.verdict.name());
    assert_eq!(rows[0]["ratio"].as_f64(), total.interval.map(|it| it.ratio));
    let trends = entries.drift(&DriftRequest::default()).unwrap();
    assert_eq!((trends.branch, trends.entries.len(), trends.functions), ("main", 2, 4));
    let listed = list(&place.join("h"), &ListRequest::default(), &options).unwrap();
    assert_eq!((listed.batch.num_rows(), listed.older), (2, 0));
}

/// Removes the name of the side.
fn unnamed(mut row: Value) -> Value {
    row.as_object_mut().unwrap().remove("side");
    row
}

fn baselines() {
    let folder = sides(4, 1.5);
    let place = folder.path();
    let add = |side: &str, day: &str, branch: &str| {
        let (side, time) = (format!("{side}/*.jsonl"), format!("--time=2026-01-{day}"));
        let branch = format!("--branch={branch}");
        done(place, &["add", "h", &side, "--warmup=keep", &time, &branch, "--label=m=x"])
    };
    let ran = history(place, &["check", "h"]);
    assert_eq!(ran.status.code(), Some(3), "{}", said(&ran));
    let first = add("base", "01", "main");
    let ran = history(place, &["check", "h"]);
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
    assert!(said(&ran).contains("no accepted entry and no earlier one"), "{}", said(&ran));
    let text = |words: &[&str]| {
        let ran = history(place, &[&["check", "h"], words].concat());
        assert!(ran.status.success(), "{}", said(&ran));
        said(&ran)
    };
    let second = add("base", "02", "main");
    assert!(
        text(&[]).starts_with(&format!("{second} is the same capture as the last 1 entry of main"))
            || text(&[]).contains("than the last 1 entry of main"),
        "{}",
        text(&[])
    );
    done(place, &["accept", "h", &first, "--time=2026-01-03"]);
    assert!(text(&[]).contains(&format!("accepted {first}")), "{}", text(&[]));
    let third = add("new", "04", "topic");
    let ran = history(place, &["check", "h"]);
    assert!(said(&ran).contains("topic has no accepted entry"), "{}", said(&ran));
    assert!(
        text(&["--branch=main"]).starts_with(&format!("{third} is slower than accepted {first}"))
    );
    assert!(text(&["--branch=main", "--window=5"]).contains("the last 2 entries of main"));
    // The last one counts.
    done(place, &["accept", "h", &third, "--branch=main", "--time=2026-01-05"]);
    assert!(text(&[&second]).contains(&format!("accepted {third}")));
    let ran = history(place, &["check", "h", "--branch=main"]);
    assert!(said(&ran).contains("is the accepted baseline of main itself"), "{}", said(&ran));
    let ran = history(place, &["check", "h", "--label=m=y"]);
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
    let listed = rows(place, &["list", "h", "--branch=main", "--label=m=x"]);
    let ids: Vec<&str> = listed.iter().filter_map(|row| row["entry"].as_str()).collect();
    assert_eq!(ids, [&first, &second]);
    assert_eq!(listed[0]["accepted_time"], "2026-01-03T00:00:00Z");
    assert_eq!(listed[0]["run_count"], 4);
}

fn one_time() {
    let folder = sides(4, 10.0);
    let place = folder.path();
    for nth in 0..6 {
        let h = format!("h{nth}");
        let add = |side: &str| {
            let (bundles, commit) = (format!("{side}/*.jsonl"), format!("--commit={side}{nth}"));
            done(place, &["add", &h, &bundles, "--warmup=keep", "--time=2026-01-01", &commit])
        };
        let (base, new) = (add("base"), add("new"));
        if nth == 5 {
            done(place, &["compact", &h]);
        }
        let listed = rows(place, &["list", &h]);
        let ids: Vec<&str> = listed.iter().filter_map(|row| row["entry"].as_str()).collect();
        assert_eq!(ids, [&base, &new]);
        let ran = history(place, &["check", &h, "--fail-on=slower"]);
        assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
        assert!(
            said(&ran).starts_with(&format!("{new} (new{nth}) is slower than")),
            "{}",
            said(&ran)
        );
        // What is accepted is the newest, and the last acceptance counts.
        let accept = |words: &[&str]| {
            let words = [&["accept", &h, "--time=2026-01-02"], words].concat();
            let ran = history(place, &words);
            assert!(ran.status.success(), "{}", said(&ran));
            said(&ran)
        };
        assert!(accept(&[]).contains(&format!("{new} (new{nth}) is the baseline")));
        accept(&[&base]);
        accept(&[&new]);
        accept(&[&base]);
        let ran = history(place, &["check", &h]);
        assert!(said(&ran).contains(&format!("than accepted {base} ")), "{}", said(&ran));
    }
}

fn labels() {
    let folder = sides(4, 3.0);
    let place = folder.path();
    let add = |side: &str, day: &str, labels: &[&str]| {
        let (side, time) = (format!("{side}/*.jsonl"), format!("--time=2026-01-{day}"));
        done(place, &[&["add", "h", &side, "--warmup=keep", &time], labels].concat())
    };
    let (a, b) = ("--label=model=a", "--label=model=b");
    let first = add("base", "01", &[a]);
    let other = add("new", "02", &[b]);
    let unlabeled = add("new", "03", &[]);
    let second = add("base", "04", &[a]);
    let check = |words: &[&str]| history(place, &[&["check", "h"], words].concat());
    let ran = check(&[]);
    assert!(ran.status.success(), "{}", said(&ran));
    let told =
        format!("{second} is compared with the last 1 entry of main, {first} with model=a\n");
    assert!(said(&ran).contains(&told), "{}", said(&ran));
    // The other model has no baseline, nor have entries without labels.
    for entry in [&other, &unlabeled] {
        let ran = check(&[entry]);
        assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
    }
    assert!(said(&check(&[&other])).contains("no earlier one with model=b"));
    let ran = check(&["--across=model"]);
    assert!(said(&ran).contains("compared with the last 3 entries of main"), "{}", said(&ran));
    // The baseline of one model is none of another.
    done(place, &["accept", "h", &other, "--time=2026-01-05"]);
    assert!(said(&check(&[])).contains("the last 1 entry"), "{}", said(&check(&[])));
    let third = add("new", "06", &[b]);
    assert!(
        said(&check(&[]))
            .contains(&format!("{third} is compared with accepted {other} of main with model=b"))
    );
    let ran = check(&[&second, "--across=model"]);
    assert!(said(&ran).contains(&format!("than accepted {other}")), "{}", said(&ran));
    // Bundles have no labels.
    let ran = check(&["new/*.jsonl"]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("different labels: none; model=a; model=b"), "{}", said(&ran));
    let ran = check(&["new/*.jsonl", "--warmup=keep", a]);
    assert!(
        said(&ran).starts_with("new/*.jsonl is slower than the last 2 entries of main"),
        "{}",
        said(&ran)
    );
}

fn first_run() {
    let folder = sides(4, 3.0);
    let place = folder.path();
    let add = |side: &str, day: &str| {
        let (side, time) = (format!("{side}/*.jsonl"), format!("--time=2026-01-{day}"));
        done(place, &["add", "h", &side, "--warmup=keep", &time])
    };
    let gated =
        |words: &[&str]| history(place, &[&["check", "h", "--fail-on=slower"], words].concat());
    add("base", "01");
    assert_eq!(gated(&[]).status.code(), Some(5), "{}", said(&gated(&[])));
    let ran = gated(&["--first-run=pass"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("passed: there is nothing to compare with"), "{}", said(&ran));
    add("new", "02");
    // The second run is judged.
    assert_eq!(gated(&["--first-run=pass"]).status.code(), Some(1));
    // Nothing to check is no first run.
    let ran = gated(&["--label=model=x", "--first-run=pass"]);
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
}

fn twice() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let words =
        ["add", "h", &capture("mlp-vulkan"), "--time=2026-01-01", "--label=b=1", "--label=a=2"];
    let id = done(place, &words);
    for _ in 0..2 {
        let ran = history(place, &words);
        assert!(said(&ran).contains("has this entry already"), "{}", said(&ran));
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), id);
        done(place, &["compact", "h"]);
        let other = ["add", "h", &capture("mlp-vulkan"), "--time=2026-01-02"];
        done(place, &other);
    }
    assert_eq!(sql(place, "SELECT count(*), count(DISTINCT entry) FROM history_runs"), "2,2");
    assert_eq!(
        sql(place, "SELECT labels FROM history_runs WHERE labels IS NOT NULL LIMIT 1"),
        "\"a=2,b=1\""
    );
    // What is kept is what the bundle says.
    let bundle = capture("mlp-vulkan");
    let query = "SELECT count(*), sum(duration_ns), count(DISTINCT invocation) FROM dispatches WHERE is_valid AND timing_source = 'device' AND invocation IS NOT NULL AND NOT is_warmup";
    let ran =
        Command::new(ours()).args(["sql", "--format=csv", "-c", query, &bundle]).output().unwrap();
    let wanted = said(&ran).lines().nth(1).unwrap().to_owned();
    let kept = format!("SELECT {{}} FROM {{}} WHERE entry = '{id}' AND timing_source = 'device'");
    let ask = |what: &str, table: &str| {
        sql(place, &kept.replacen("{}", what, 1).replacen("{}", table, 1))
    };
    assert_eq!(
        ask("dispatch_count, CAST(total_ns AS BIGINT), iteration_count", "history_runs"),
        wanted
    );
    for table in ["history_functions", "history_samples"] {
        let sums = ask("CAST(sum(dispatch_count) AS BIGINT), CAST(sum(total_ns) AS BIGINT)", table);
        assert!(wanted.starts_with(&sums), "{table}: {sums} and {wanted}");
    }
}

fn uncertain() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let added = history(place, &["add", "h", &capture("loop-vulkan"), "--commit=one"]);
    let told = String::from_utf8_lossy(&added.stderr).into_owned();
    assert!(added.status.success(), "{told}");
    assert!(told.contains("the number of calls of loop-vulkan is not certain (73 %)"), "{told}");
    let kept = sql(place, "SELECT round(calls_confidence, 2) FROM history_runs");
    assert_eq!(kept, "0.73");
    // A number that the user gives is certain.
    let words = ["add", "g", &capture("loop-vulkan"), "--commit=one", "--calls=18"];
    let added = history(place, &words);
    let told = String::from_utf8_lossy(&added.stderr).into_owned();
    assert!(added.status.success() && !told.contains("is not certain"), "{told}");
}

fn raw() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let ran = |query: &str, what: &[&str]| {
        Command::new(ours())
            .current_dir(place)
            .args(["sql", "--format=csv", "-c", query])
            .args(what)
            .output()
            .unwrap()
    };
    let id = done(place, &["add", "h", &capture("mlp-vulkan"), "--time=2026-01-01"]);
    let refused = ran("SELECT count(*) FROM dispatch_events", &["h"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("--keep raw"), "{}", said(&refused));
    let bundle = capture("mlp-local-task");
    let kept = done(place, &["add", "h", &bundle, "--time=2026-01-02", "--keep=raw"]);
    for compacts in [false, true] {
        if compacts {
            done(place, &["compact", "h"]);
        }
        assert_eq!(
            sql(place, "SELECT DISTINCT bundle FROM host_execution_events"),
            format!("{kept}/mlp-local-task")
        );
        for table in
            ["host_execution_events", "queue_events", "sessions", "bundles", "executable_functions"]
        {
            let query = format!("SELECT * EXCLUDE (bundle) FROM {table}");
            let (ours, theirs) = (ran(&query, &["h"]), ran(&query, &[&bundle]));
            assert!(
                ours.status.success() && said(&ours).lines().count() > 1,
                "{table}: {}",
                said(&ours)
            );
            assert_eq!(sorted(&ours), sorted(&theirs), "{table}");
        }
        assert_eq!(sql(place, "SELECT count(DISTINCT entry) FROM history_functions"), "2", "{id}");
    }
}

fn refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::create_dir(place.join("full")).unwrap();
    fs::write(place.join("full/mine.txt"), "mine").unwrap();
    fs::create_dir(place.join("broken")).unwrap();
    fs::write(place.join("broken/history.json"), "{}").unwrap();
    let vulkan = capture("mlp-vulkan");
    done(place, &["add", "h", &vulkan, "--time=2026-01-01"]);
    for (words, code, part) in [
        (["add", "full", &vulkan].as_slice(), 3, "full is no history: it has other files"),
        (&["add", "broken", &vulkan], 3, "history.json cannot be read"),
        (&["add", "h", "h"], 2, "h is a history"),
        (&["add", "h", "missing.ireeprof"], 3, "no bundle at missing.ireeprof"),
        (&["add", "new", &capture("queue-only")], 2, "has no timed dispatches"),
        (&["add", "h", &vulkan, "--label=x"], 2, "a label is KEY=VALUE"),
        (&["add", "h", &vulkan, "--time=noon"], 2, "write a time like"),
        (&["list", "nowhere"], 3, "there is no such folder"),
        (&["list", "full"], 3, "it has no history.json"),
        (&["accept", "h", "ffff"], 5, "h has no entry ffff"),
        (&["accept", "h", "--branch=other"], 5, "no such entry"),
        (&["check", "h", "ffff", "--fail-on=slower", "--first-run=pass"], 5, "h has no entry ffff"),
        (&["check", "h", "missing"], 3, "no bundle at missing"),
        (&["compact", "full"], 3, "it has no history.json"),
    ] {
        let ran = history(place, words);
        assert_eq!(ran.status.code(), Some(code), "{words:?}: {}", said(&ran));
        assert!(said(&ran).contains(part), "{words:?}: {}", said(&ran));
    }
    assert!(!place.join("new").exists(), "nothing was added to it");
    let piece =
        fs::read_dir(place.join("h/month=2026-01")).unwrap().next().unwrap().unwrap().path();
    let file = piece.join("history_runs.parquet");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    for words in [["list", "h"].as_slice(), &["drift", "h"], &["compact", "h"], &["accept", "h"]] {
        // A single piece need not be read to be compacted.
        let ran = history(place, words);
        if words[0] != "compact" {
            assert_eq!(ran.status.code(), Some(3), "{words:?}: {}", said(&ran));
            assert!(said(&ran).contains("history_runs.parquet is damaged"), "{}", said(&ran));
        }
    }
}

fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = Command::new(ours());
    command.current_dir(folder).arg("history").args(words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Checks that every entry of `h` is there once with all its rows, and returns their number.
fn whole(folder: &Path) -> usize {
    let query = "SELECT count(*), count(DISTINCT entry), (SELECT count(*) FROM history_functions), \
                 (SELECT count(*) FROM history_samples) FROM history_runs WHERE timing_source = 'host'";
    let counts = sql(folder, query);
    let counts: Vec<usize> = counts.split(',').map(|it| it.parse().unwrap()).collect();
    let [runs, entries, functions, samples] = counts[..] else { panic!("{counts:?}") };
    assert_eq!(runs, entries, "entries are there once");
    assert_eq!(functions, 4 * runs, "each with four functions");
    let each = samples / runs.max(1);
    assert!(samples == each * runs && (runs == 0 || each > 50), "{samples} times of {runs} runs");
    runs
}

fn together() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let bundle = capture("mlp-local-task");
    for round in 0..6 {
        let times: Vec<String> =
            (1..=6).map(|day| format!("--time=2026-{:02}-{day:02}", 3 + round)).collect();
        let adds = times.iter().map(|time| start(place, &["add", "h", &bundle, time]));
        let mut all: Vec<Child> = adds.collect();
        if round > 0 {
            all.push(start(place, &["compact", "h"]));
        }
        for child in &mut all {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(whole(place), 6 * (round + 1));
    }
    done(place, &["compact", "h"]);
    assert_eq!(whole(place), 36);
    assert!(
        names(&place.join("h")).iter().all(|name| !name.starts_with('.')),
        "nothing is left over"
    );
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn killed() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let bundle = capture("mlp-local-task");
    let begun = Instant::now();
    done(place, &["add", "h", &bundle, "--time=2026-01-01T00:00:00"]);
    let span = begun.elapsed().as_micros() as u64;
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let mut before = 1;
    let mut last = BTreeSet::new();
    for nth in 0..80 {
        let time = format!("--time=2026-01-01T01:{:02}:{:02}", nth / 60, nth % 60);
        let words: &[&str] =
            if nth % 3 == 2 { &["compact", "h"] } else { &["add", "h", &bundle, &time] };
        let mut child = start(place, words);
        sleep(Duration::from_micros(random.next_u64() % (span * 3 / 2)));
        let _ = child.kill();
        child.wait().unwrap();
        let now = whole(place);
        assert!(
            now == before || (nth % 3 != 2 && now == before + 1),
            "{words:?}: {before}, then {now}"
        );
        before = now;
        last.insert(now);
    }
    assert!(last.len() > 3, "no command was faster than its kill");
    done(place, &["add", "h", &bundle, "--time=2026-02-01"]);
    done(place, &["compact", "h"]);
    assert!(
        names(&place.join("h")).iter().all(|name| !name.starts_with('.')),
        "nothing is left over"
    );
    assert_eq!(whole(place), before + 1);
}

/// The rows of one entry with one run.
#[derive(Default)]
struct Rows {
    runs: Vec<RunRow>,
    functions: Vec<FunctionRow>,
    samples: Vec<Sample>,
}

impl Rows {
    /// Adds an entry whose functions take these times, by the host's clock.
    fn put(&mut self, nth: usize, time: &str, times: &[f64], iterations: u64) {
        let (entry, clock) = (format!("{nth:012x}"), "host".to_owned());
        let total: f64 = times.iter().sum();
        self.runs.push(RunRow {
            entry: entry.clone(),
            time: time.to_owned(),
            branch: "main".to_owned(),
            commit: Some(format!("c{nth}")),
            run: "r".to_owned(),
            driver: "local-task".to_owned(),
            timing_source: clock.clone(),
            iteration_count: iterations,
            median_ns: total,
            ..RunRow::default()
        });
        for (place, median_ns) in times.iter().copied().enumerate() {
            let function = format!("f{place}");
            self.functions.push(FunctionRow {
                entry: entry.clone(),
                run: "r".to_owned(),
                timing_source: clock.clone(),
                function: function.clone(),
                position: place as u64,
                iteration_count: iterations,
                median_ns,
                ..FunctionRow::default()
            });
        }
        for iteration in 1..=iterations {
            for (place, total_ns) in times.iter().copied().enumerate() {
                self.samples.push(Sample {
                    entry: entry.clone(),
                    run: "r".to_owned(),
                    timing_source: clock.clone(),
                    iteration: Some(iteration),
                    function: format!("f{place}"),
                    dispatch_count: 1,
                    total_ns: Some(total_ns),
                    ..Sample::default()
                });
            }
        }
    }

    /// Adds the entries as one piece.
    fn add(&self, kept: &History, month: &str, name: &str) {
        let added = kept.add::<HistoryError>(
            month,
            name,
            |_| Ok(false),
            |folder| {
                write(folder, "history_runs", &self.runs)?;
                write(folder, "history_functions", &self.functions)?;
                write(folder, "history_samples", &self.samples)
            },
        );
        assert!(added.unwrap());
    }
}

fn write<Row: Serialize>(folder: &Path, table: &str, rows: &[Row]) -> Result<(), HistoryError> {
    let schema = history::schema(table);
    let batch = history::batch(&schema, rows).unwrap();
    history::write(&folder.join(format!("{table}.parquet")), &schema, [Ok(batch)])
}

/// Returns a factor around 1: uniform noise with this standard deviation.
fn factor(random: &mut ChaCha8Rng, deviation: f64) -> f64 {
    let uniform = f64::from(random.next_u32()) / f64::from(u32::MAX);
    ((uniform - 0.5) * 12_f64.sqrt() * deviation).exp()
}

fn few_files() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("h");
    let pieces = |month: &str| names(&place.join(format!("month={month}"))).len();
    for nth in 0..400 {
        let month = ["2026-01", "2026-02", "2026-03"][nth / 150];
        let time = format!("{month}-01T00:{:02}:{:02}Z", nth / 60, nth % 60);
        let mut rows = Rows::default();
        rows.put(nth, &time, &[1e6, 2e6], 2);
        let kept = opened(&place);
        rows.add(&kept, month, &format!("{nth:012x}"));
        history::compact_if_many(&kept).unwrap();
        // A child process that another test starts holds the lock until it runs its program: the next addition compacts.
        assert!(pieces(month) <= 66);
    }
    assert!(pieces("2026-01") == 1 && pieces("2026-02") == 1, "months that are over are compacted");
    let kept = opened(&place);
    assert!(kept.lock_alone(false).unwrap());
    let before = pieces("2026-03");
    let done = history::compact(&kept).unwrap();
    assert_eq!((done.months, done.pieces), (1, before));
    drop(kept);
    assert_eq!(pieces("2026-03"), 1);
    let sums = "SELECT count(*), count(DISTINCT entry), sum(total_ns) FROM history_samples";
    assert_eq!(sql(folder.path(), sums), "1600,400,2400000000.0");
}

fn fast() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let kept = opened(&folder.path().join("h"));
    let mut nth = 0;
    for year in 2020..2025 {
        for month in 1..=12 {
            let mut rows = Rows::default();
            for run in 0..167 {
                let time = format!("{year}-{month:02}-{:02}T{:02}:00:00Z", 1 + run / 6, run % 6);
                let times: Vec<f64> = (0..20).map(|_| 1e5 * factor(&mut random, 0.01)).collect();
                rows.put(nth, &time, &times, 10);
                nth += 1;
            }
            rows.add(&kept, &format!("{year}-{month:02}"), "piece");
        }
    }
    drop(kept);
    assert!(nth >= 10_000);
    done(folder.path(), &["accept", "h", "000000000000", "--time=2025-01-01"]);
    for words in [["check", "h"].as_slice(), &["check", "h", "--window=20"], &["list", "h"]] {
        let time = |_| {
            let begun = Instant::now();
            done(folder.path(), words);
            begun.elapsed()
        };
        let best = (0..3).map(time).min().unwrap();
        println!("{words:?} of {nth} runs: {best:?}");
        assert!(best < Duration::from_secs(1), "{words:?} took {best:?}");
    }
}

/// A history `h` of 60 entries with six functions, whose times are multiplied by `level(entry, function)`.
fn series(seed: u64, level: impl Fn(usize, usize) -> f64) -> tempfile::TempDir {
    labeled(seed, |_| "", level)
}

/// The same, with labels.
fn labeled(
    seed: u64,
    labels: impl Fn(usize) -> &'static str,
    level: impl Fn(usize, usize) -> f64,
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let kept = opened(&folder.path().join("h"));
    let mut rows = Rows::default();
    for nth in 0..60 {
        let time = format!("2026-{:02}-{:02}T00:00:00Z", 1 + nth / 20, 1 + nth % 20);
        let times = (0..6).map(|function| 1e6 * level(nth, function) * factor(&mut random, 0.01));
        let times: Vec<f64> = times.collect();
        rows.put(nth, &time, &times, 1);
        rows.runs.last_mut().unwrap().labels = Some(labels(nth).to_owned());
    }
    rows.add(&kept, "2026-01", "piece");
    folder
}

fn drift() {
    let folder = series(9, |nth, function| match function {
        2 if nth >= 40 => 1.1,
        // One percent a week, measured every other day.
        4 => (0.01 * f64::from(nth as u32) * 2.0 / 7.0).exp(),
        _ => 1.0,
    });
    let found = rows(folder.path(), &["drift", "h"]);
    let of = |name: &str| -> Vec<&Value> {
        found.iter().filter(|row| row["function"] == name).collect()
    };
    let [step] = of("f2")[..] else { panic!("{found:?}") };
    assert_eq!((&step["previous_commit"], &step["commit"]), (&"c39".into(), &"c40".into()));
    assert_eq!(step["time"], "2026-03-01T00:00:00Z");
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    assert!((number(step, "ratio") - 1.1).abs() < 0.01, "{step}");
    assert!(number(step, "ratio_low") < 1.1 && number(step, "ratio_high") > 1.1, "{step}");
    let slow = of("f4");
    assert!(!slow.is_empty() && slow.iter().all(|row| number(row, "ratio") > 1.0), "{slow:?}");
    // The steps that a drift becomes add up to it, but for the halves at its ends.
    let whole: f64 = slow.iter().map(|row| number(row, "ratio")).product();
    assert!((1.08..1.19).contains(&whole), "{whole} of 1.18");
    for name in ["f0", "f1", "f3", "f5"] {
        assert!(of(name).is_empty(), "{found:?}");
    }
    assert!(found.iter().any(|row| row["scope"] == "total"), "{found:?}");
    assert_eq!(found[0]["scope"], "total", "it comes first");
    let ran = history(folder.path(), &["drift", "h", "--check"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("c39..c40"), "{}", said(&ran));
    // Twenty entries before the step.
    let found = rows(folder.path(), &["drift", "h", "--last=20", "--filter=f2"]);
    assert!(found.iter().all(|row| row["function"] != "f2"), "{found:?}");
}

/// A model in the first forty entries, and one that is twice as slow between and after them.
fn drift_of_labels() {
    let is_slow = |nth: usize| nth % 4 == 3 || nth >= 40;
    let labels = |nth| if is_slow(nth) { "model=b,pr=1" } else { "model=a,pr=2" };
    let folder = labeled(5, labels, |nth, _| if is_slow(nth) { 2.0 } else { 1.0 });
    let of = |words: &[&str]| {
        let ran = history(folder.path(), &[&["drift", "h"], words].concat());
        assert!(ran.status.success(), "{}", said(&ran));
        said(&ran)
    };
    for (words, entries, unlike, newest) in [
        (&[][..], 30, 30, "model=b,pr=1"),
        (&["--across=pr"], 30, 30, "model=b"),
        (&["--label=model=a"], 30, 0, ""),
    ] {
        let told = of(words);
        assert!(told.starts_with(&format!("main: {entries} entries, ")), "{told}");
        assert!(told.contains("No change found."), "{told}");
        let left_out = format!(
            "{unlike} entries left out: their labels are not those of the newest ({newest}).\n"
        );
        assert_eq!(told.contains(&left_out), unlike > 0, "{told}");
    }
    let told = of(&["--across=pr", "--across=model"]);
    assert!(told.starts_with("main: 60 entries, ") && told.contains("all functions"), "{told}");
    let ran = history(folder.path(), &["drift", "h", "--branch=nosuch"]);
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
}

fn noise() {
    let alarms = (0..100).filter(|seed| {
        let folder = series(*seed, |_, _| 1.0);
        let ran = history(folder.path(), &["drift", "h", "--check"]);
        let is_alarm = ran.status.code() == Some(1);
        assert!(is_alarm || said(&ran).contains("No change found."), "{}", said(&ran));
        is_alarm
    });
    // The level of the total is 1 %, and so is that of all functions together.
    let alarms = alarms.count();
    assert!(alarms <= 5, "{alarms} of 100");
}

fn others_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    done(
        place,
        &["add", "h", &capture("mlp-vulkan"), "--time=2026-01-01", "--commit=a", "--label=m=x"],
    );
    done(place, &["add", "h", &capture("mlp-vulkan"), "--time=2026-02-01"]);
    done(place, &["accept", "h", "--time=2026-02-02"]);
    for compacts in [false, true] {
        if compacts {
            done(place, &["add", "h", &capture("mlp-vulkan"), "--time=2026-01-02"]);
            done(place, &["compact", "h"]);
        }
        let checked = Command::new(BIN.join("python"))
            .arg(root().join("tests/tools/check_history.py"))
            .args([ours().as_os_str(), place.join("h").as_os_str()])
            .output()
            .unwrap();
        assert!(checked.status.success(), "{}", said(&checked));
    }
}

/// Compares the rows of tests/data/history with those that the program writes now. `BLESS=1` replaces the folder.
fn fixture() {
    let folder = sides(5, 1.2);
    let place = folder.path();
    for (side, time, commit) in [
        ("base", "2026-01-01", "1f0c54a"),
        ("base", "2026-01-08", "9d31e77"),
        ("new", "2026-02-01", "c2b8a06"),
    ] {
        let (side, time) = (format!("{side}/*.jsonl"), format!("--time={time}"));
        let labels = ["--label=model=mlp", "--label=machine=ci-4"];
        let commit = format!("--commit={commit}");
        let id = done(
            place,
            &[&["add", "h", &side, "--warmup=keep", &time, &commit][..], &labels].concat(),
        );
        if time.ends_with("08") {
            done(place, &["accept", "h", &id, "--time=2026-01-09"]);
        }
    }
    let kept = root().join("tests/data/history");
    if std::env::var_os("BLESS").is_some() {
        let _ = fs::remove_dir_all(&kept);
        copy(&place.join("h"), &kept);
    }
    for table in ["history_runs", "history_functions", "history_samples", "history_accepted"] {
        let [old, new] = [kept.as_path(), &place.join("h")].map(|history| {
            let query = format!("SELECT * FROM {table}");
            let ran = Command::new(ours())
                .args(["sql", "--format=csv", "-c", &query])
                .arg(history)
                .output();
            sorted(&ran.unwrap())
        });
        assert!(new.len() > 1, "{table}: {new:?}");
        assert_eq!(old, new, "{table}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
