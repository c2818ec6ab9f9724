//! Tests `compare` on runs whose times are known: those of a real capture, scaled.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Trial;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::Value;
use tempfile::TempDir;

use super::differential::BIN;
use super::profile::ours;
use crate::Test;
use crate::support::ask::root;
use crate::support::changes::{each, get, set};
use crate::support::models;
use crate::support::parts::Parts;
use crate::trial;

pub const TESTS: &[Test] = &[
    ("a_slower_function_is_found_and_fails_the_gate", slower),
    ("equal_sides_pass_the_gate", equal),
    ("differences_add_up_to_the_nanosecond", sums),
    ("renamed_functions_match_by_their_order", renamed),
    ("one_run_a_side_is_at_most_likely", one_run),
    ("sides_without_a_common_clock_are_refused", refused),
    ("formats_are_well_formed", formats),
    ("measures_are_those_of_the_views", measures),
    ("iterations_with_invalid_times_have_no_parts", invalid),
    ("sql_and_parquet_folders_answer_the_same", same_rows),
    ("the_control_corrects_a_slower_machine", control),
    ("a_budget_limits_functions_and_the_total", budget),
    ("what_cannot_be_compared_says_why", not_comparable),
    ("programs_without_a_common_function_are_not_comparable", apart),
    ("a_gate_that_cannot_be_judged_is_neither_passed_nor_a_regression", unjudged),
    ("a_change_against_its_difference_is_explained", signs),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("compare::fused_dispatches_match_as_groups".into(), fused)]
}

/// Folders `base` and `new` with runs of the same program, in which the first matmul takes `factor` times as long.
pub fn sides(runs: u64, factor: f64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bundle = root().join("tests/data/mlp-local-task.ireeprof");
    let exported = Command::new(ours()).args(["export", "-o", "-"]).arg(bundle).output().unwrap();
    let text = String::from_utf8(exported.stdout).unwrap();
    for (side, factor, seed) in [("base", 1.0, 100), ("new", factor, 200)] {
        fs::create_dir(folder.path().join(side)).unwrap();
        for run in 0..runs {
            let mut random = ChaCha8Rng::seed_from_u64(seed + run);
            let mut noise =
                |share: f64| 1.0 + share * (f64::from(random.next_u32()) / 2_147_483_648.0 - 1.0);
            let level = noise(0.01);
            let lines = stretched(&text, |row| {
                let is_first = row["key"].as_str().is_some_and(|key| key.contains("dispatch_0_"));
                let own = if is_first { 80_000.0 * factor } else { 40_000.0 };
                (own * level * noise(0.003)).round() as u64
            });
            let path = folder.path().join(side).join(format!("run-{run}.jsonl"));
            fs::write(path, lines).unwrap();
        }
    }
    folder
}

/// Gives the dispatches of an exported capture other durations, and all else the times that follow from them: the next
/// dispatch behind a barrier starts later, the submission ends later, and tiles take no longer than two workers have.
fn stretched(text: &str, mut duration: impl FnMut(&Value) -> u64) -> String {
    let parsed = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut rows: Vec<Value> = parsed.collect();
    let mut ends: HashMap<u64, u64> = HashMap::new();
    let is_span = |row: &Value| row["record_type"] == "host_execution_event";
    let number = |row: &Value, field: &str| row[field].as_u64().unwrap();
    for row in rows.iter_mut().filter(|row| is_span(row) && row["key"].is_string()) {
        let last = ends.entry(number(row, "submission_id")).or_default();
        let (start, ns) = (number(row, "start_host_time_ns").max(*last), duration(row));
        *last = start + ns;
        row["start_host_time_ns"] = start.into();
        row["end_host_time_ns"] = (*last).into();
        row["duration_ns"] = ns.into();
        row["tile_duration_sum_ns"] = number(row, "tile_duration_sum_ns").min(2 * ns).into();
    }
    for row in rows.iter_mut().filter(|row| is_span(row) && !row["key"].is_string()) {
        let last = ends.get(&number(row, "submission_id")).copied().unwrap_or_default();
        let end = number(row, "end_host_time_ns").max(last);
        row["end_host_time_ns"] = end.into();
        row["duration_ns"] = (end - number(row, "start_host_time_ns")).into();
    }
    rows.iter().map(|row| row.to_string() + "\n").collect()
}

fn compare(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(ours());
    command.current_dir(folder).args(["compare", "base/*.jsonl", "new/*.jsonl", "--warmup=keep"]);
    command.args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn rows(folder: &Path, words: &[&str]) -> Vec<Value> {
    let ran = compare(folder, &[words, &["--format=jsonl"]].concat());
    assert!(ran.status.success(), "{}", said(&ran));
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn slower() {
    let folder = sides(6, 1.2);
    let ran = compare(folder.path(), &["--fail-on=slower:5%"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).starts_with("new/*.jsonl is slower than base/*.jsonl: "), "{}", said(&ran));
    assert!(said(&ran).contains("--fail-on slower:5%: main_dispatch_0_"), "{}", said(&ran));
    let found = rows(folder.path(), &[]);
    assert_eq!(found.len(), 5, "the total and four functions");
    assert_eq!(
        (&found[0]["matched_by"], &found[0]["verdict"]),
        (&"total".into(), &"slower".into())
    );
    let first = &found[1];
    assert_eq!((&first["matched_by"], &first["verdict"]), (&"name".into(), &"slower".into()));
    let (low, high) = (first["ratio_low"].as_f64().unwrap(), first["ratio_high"].as_f64().unwrap());
    assert!(low < 1.2 && 1.2 < high && high - low < 0.05, "{first}");
    for other in &found[2..] {
        assert!(["same", "ambiguous"].contains(&other["verdict"].as_str().unwrap()), "{other}");
    }
    // The total is slower by a tenth, which is less than this rule allows.
    let ran = compare(folder.path(), &["--fail-on=total:15%"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("passed: nothing breaks --fail-on total:15%"), "{}", said(&ran));
}

fn equal() {
    let folder = sides(8, 1.0);
    let ran = compare(folder.path(), &["--fail-on=slower"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let found = rows(folder.path(), &["--noise-floor=3%"]);
    assert!(found.iter().all(|row| row["verdict"] == "same"), "{found:?}");
    let found = rows(folder.path(), &["--noise-floor=0.01%"]);
    assert_eq!(found[0]["verdict"], "ambiguous");
    let ran =
        compare(folder.path(), &["--noise-floor=0.01%", "--fail-on=slower", "--ambiguous=fail"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    assert!(said(&ran).contains("--ambiguous=fail"), "{}", said(&ran));
}

fn sums() {
    let folder = sides(5, 1.3);
    let found = rows(folder.path(), &[]);
    let delta = |row: &Value| row["delta_ns"].as_i64().unwrap();
    assert_eq!(delta(&found[0]), found[1..].iter().map(delta).sum::<i64>());
    let time = |row: &Value, name: &str| row[name].as_i64().unwrap();
    for row in &found {
        assert_eq!(delta(row), time(row, "new_ns") - time(row, "base_ns"));
    }
    // The mean over all iterations, from the files themselves.
    let query = "SELECT sum(duration_ns) / count(DISTINCT (bundle, invocation)) FROM dispatches WHERE is_valid";
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["sql", "--format=csv", "-c", query, "base/*.jsonl"])
        .output()
        .unwrap();
    let mean: f64 = said(&ran).lines().nth(1).unwrap().parse().unwrap();
    assert!((mean - found[0]["base_ns"].as_f64().unwrap()).abs() < 4.0, "{mean} {}", found[0]);
}

fn renamed() {
    let folder = sides(5, 1.0);
    for entry in fs::read_dir(folder.path().join("new")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("main_dispatch_3_", "main_dispatch_7_")).unwrap();
    }
    let found = rows(folder.path(), &[]);
    let renamed: Vec<&Value> = found.iter().filter(|row| row["matched_by"] == "order").collect();
    let [renamed] = renamed.as_slice() else { panic!("{found:?}") };
    assert_eq!(renamed["base_function"], "main_dispatch_3_transpose_32x64_f32");
    assert_eq!(renamed["new_function"], "main_dispatch_7_transpose_32x64_f32");
}

fn one_run() {
    // A process does not tell that the next takes half as long again.
    let folder = sides(1, 1.5);
    let found = rows(folder.path(), &[]);
    assert!(found.iter().all(|row| row["verdict"] == "ambiguous"), "{found:?}");
    assert_eq!(found[0]["further_runs"], 3);
    let text = said(&compare(folder.path(), &[]));
    assert!(text.contains("It takes at least 3 further runs on each side to decide it."), "{text}");
    let folder = sides(1, 10.0);
    let ran = compare(folder.path(), &["--fail-on=slower"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("is likely slower than"), "{}", said(&ran));
    assert!(said(&ran).contains("Fewer than 4 runs on a side"), "{}", said(&ran));
    assert!(said(&ran).contains("likely slower, but there are too few runs"), "{}", said(&ran));
    let ran = compare(folder.path(), &["--fail-on=slower", "--ambiguous=fail"]);
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
}

fn refused() {
    let data = root().join("tests/data");
    for (sides, code, part) in [
        (["mlp-vulkan.ireeprof", "mlp-local-task.ireeprof"], 5, "have times on the same clock"),
        (["mlp-vulkan.ireeprof", "queue-only.ireeprof"], 5, "has no times to compare"),
        (["mlp-vulkan.ireeprof", "missing.ireeprof"], 3, "no bundle at missing.ireeprof"),
    ] {
        let ran =
            Command::new(ours()).current_dir(&data).arg("compare").args(sides).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{}", said(&ran));
        assert!(said(&ran).contains(part), "{}", said(&ran));
    }
}

fn formats() {
    let folder = sides(5, 1.2);
    let junit = said(&compare(folder.path(), &["--format=junit"]));
    assert_eq!(junit.matches("<testcase ").count(), 5, "{junit}");
    assert_eq!(junit.matches("<failure ").count(), 2, "{junit}");
    assert!(junit.contains("tests=\"5\" failures=\"2\""), "{junit}");
    let markdown = said(&compare(folder.path(), &["--format=markdown"]));
    assert!(markdown.starts_with("**new/\\*.jsonl is slower than base/\\*.jsonl"), "{markdown}");
    assert!(markdown.contains("<details>") && markdown.contains("</details>"), "{markdown}");
    let names: Vec<&str> =
        markdown.lines().filter(|line| line.contains("main\\_dispatch")).collect();
    assert_eq!(names.len(), 4, "{markdown}");
    let columns = names.iter().map(|line| line.replace("\\|", "").matches('|').count());
    assert!(columns.eq([8; 4]), "{markdown}");
    let parquet = compare(folder.path(), &["--format=parquet", "-o", "x.parquet"]);
    assert!(parquet.status.success(), "{}", said(&parquet));
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["sql", "--format=csv", "-c", "SELECT count(*), sum(delta_ns) FILTER (WHERE matched_by = 'total') - sum(delta_ns) FILTER (WHERE matched_by <> 'total') FROM 'x.parquet'"])
        .output()
        .unwrap();
    assert_eq!(said(&ran).lines().nth(1), Some("5,0"), "{}", said(&ran));
}

/// Runs a query and returns its first row.
fn sql(folder: &Path, query: &str, paths: &[&str]) -> String {
    let mut command = Command::new(ours());
    command.current_dir(folder).args(["sql", "--format=csv", "-c", query]).args(paths);
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", said(&ran));
    said(&ran).lines().nth(1).unwrap_or_default().to_owned()
}

fn measures() {
    let data = root().join("tests/data");
    let iterations =
        "FROM invocations WHERE timing_source = 'device' AND NOT is_warmup AND busy_ns IS NOT NULL";
    for (measure, query) in [
        ("iteration-time", format!("SELECT round(avg(wall_ns)) {iterations}")),
        (
            "wall",
            "SELECT round(avg(next - start_ns)) FROM (SELECT *, lead(start_ns) OVER (ORDER BY invocation) AS next \
                 FROM invocations WHERE timing_source = 'device') WHERE next IS NOT NULL AND NOT is_warmup"
                .to_owned(),
        ),
        (
            "queue-time",
            "SELECT round(sum(device_ns) / count(DISTINCT n)) FROM (SELECT device_ns, submission_invocation(bundle, \
             session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, submission_id) AS n, \
             submission_is_warmup(bundle, session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, \
             submission_id) AS warm FROM queue_submissions) WHERE n IS NOT NULL AND NOT warm"
                .to_owned(),
        ),
    ] {
        let bundle = "mlp-vulkan.ireeprof";
        let ran = Command::new(ours())
            .current_dir(&data)
            .args(["compare", bundle, bundle, "--format=jsonl", "--measure", measure])
            .output()
            .unwrap();
        assert!(ran.status.success(), "{measure}: {}", said(&ran));
        let rows: Vec<Value> =
            said(&ran).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected: f64 = sql(&data, &query, &[bundle]).parse().unwrap();
        let base = rows[0]["base_ns"].as_f64().unwrap();
        // Each part is rounded to whole nanoseconds.
        assert!((base - expected).abs() <= 2.0, "{measure}: {base} instead of {expected}");
        assert_eq!(rows[0]["delta_ns"], 0, "{measure}");
        assert!(rows.len() > 1, "{measure}: {rows:?}");
    }
    let ran = Command::new(ours())
        .current_dir(&data)
        .args(["compare", "smoke.ireeprof", "smoke.ireeprof", "--measure=queues"])
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("the measures are kernel-time, queue-time"), "{}", said(&ran));
}

/// A capture of which dispatches with these numbers have no end, against the whole one.
fn invalid() {
    let capture = root().join("tests/data/mlp-vulkan.ireeprof");
    let folder = tempfile::tempdir().unwrap();
    let compared = |measure: &str, is_invalid: fn(u64) -> bool| {
        let mut parts = Parts::of(&fs::read(&capture).unwrap());
        each(&mut parts, "dispatch-events", |record| {
            if is_invalid(get(record, "dispatch_event", "event_id")) {
                set(record, "dispatch_event", "end_tick", 0);
            }
        });
        fs::write(folder.path().join("new.ireeprof"), parts.bytes()).unwrap();
        let ran = Command::new(ours())
            .current_dir(folder.path())
            .arg("compare")
            .arg(&capture)
            .args(["new.ireeprof", "--format=jsonl", "--measure", measure])
            .output()
            .unwrap();
        let first = said(&ran).lines().next().unwrap().to_owned();
        serde_json::from_str::<Value>(&first).unwrap_or(Value::String(first))
    };
    for measure in ["iteration-time", "wall"] {
        // A dispatch of every fifth call; the others took as long as they did.
        let some = compared(measure, |id| id % 20 == 3);
        assert_eq!(some["reason"], Value::Null, "{measure}: {some}");
        let ratio = some["ratio"].as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 0.05, "{measure}: {some}");
        let all = compared(measure, |id| id % 4 == 3);
        assert!(all.to_string().contains("no iteration with all of them"), "{measure}: {all}");
    }
}

fn same_rows() {
    let folder = sides(5, 1.2);
    let path = folder.path();
    let without_side = |mut row: Value| {
        row.as_object_mut().unwrap().remove("side");
        row
    };
    let own = |words: &[&str]| -> Vec<Value> {
        let mut command = Command::new(ours());
        let ran = command.current_dir(path).args(words).arg("--format=jsonl").output().unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        text.lines().map(|line| without_side(serde_json::from_str(line).unwrap())).collect()
    };
    let expected = own(&["compare", "base/*.jsonl", "new/*.jsonl"]);
    assert_eq!(expected.len(), 5);
    let query = "SELECT * FROM comparison('base/*', 'new/*')";
    assert_eq!(own(&["sql", "base/*.jsonl", "new/*.jsonl", "-c", query]), expected);
    let query = "SELECT * FROM report.comparison_function";
    assert_eq!(own(&["sql", "base/*.jsonl", "new/*.jsonl", "-c", query]), expected[1..]);
    let query = "SELECT * FROM report.comparison_unmatched";
    assert_eq!(own(&["sql", "base/*.jsonl", "new/*.jsonl", "-c", query]).len(), 0);
    for side in ["base", "new"] {
        let (bundles, to) = (format!("{side}/*.jsonl"), format!("{side}.parquet"));
        let mut command = Command::new(ours());
        command.current_dir(path).args(["export", "--format=parquet", "-o", &to, &bundles]);
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
    }
    assert_eq!(own(&["compare", "base=base.parquet", "new=new.parquet"]), expected);
    // A label has to exist, a pattern need not.
    let ask = |query: &str| {
        let mut command = Command::new(ours());
        command.current_dir(path).args(["sql", "base/*.jsonl", "-c", query, "--format=csv"]);
        command.output().unwrap()
    };
    let ran = ask("SELECT * FROM comparison('base/run-9', '*')");
    assert!(said(&ran).contains("no open bundle is called base/run-9"), "{}", said(&ran));
    let ran = ask("SELECT count(*) FROM comparison('x*', '*')");
    assert_eq!(said(&ran).lines().nth(1), Some("0"), "{}", said(&ran));
    let ran = ask("SELECT * FROM comparison('x*', '*', 'time')");
    assert!(said(&ran).contains("are kernel-time, queue-time"), "{}", said(&ran));
}

fn control() {
    let folder = sides(6, 1.0);
    // The machine of the new side is slower by a fifth, and its runs vary.
    let mut factor = 1.18;
    for entry in fs::read_dir(folder.path().join("new")).unwrap() {
        let path = entry.unwrap().path();
        factor += 0.02;
        let text = fs::read_to_string(&path).unwrap();
        let text = stretched(&text, |row| (row["duration_ns"].as_f64().unwrap() * factor) as u64);
        fs::write(path, text).unwrap();
    }
    let found = rows(folder.path(), &[]);
    assert_eq!(found[0]["verdict"], "slower");
    let found = rows(folder.path(), &["--control=*transpose*", "--noise-floor=2%"]);
    assert!(found.iter().all(|row| row["verdict"] == "same"), "{found:?}");
    let text = said(&compare(folder.path(), &["--control=*transpose*"]));
    assert!(text.contains("times are corrected by it"), "{text}");
    let ran = compare(folder.path(), &["--control=other"]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    let none = "No function matches --control=other; there are 4 functions: main_dispatch_0_";
    assert!(said(&ran).contains(none), "{}", said(&ran));
}

fn budget() {
    let folder = sides(6, 1.2);
    let check = |text: &str| {
        fs::write(folder.path().join("budget.toml"), text).unwrap();
        let ran = compare(folder.path(), &["--budget=budget.toml"]);
        (ran.status.code(), said(&ran))
    };
    for (text, part) in [
        ("[total]\nslower = \"5%\"", "budget.toml, total: all functions changed by +"),
        ("[total]\ntime_ns = 1_000", "total: all functions takes"),
        (
            "[functions.\"*matmul*\"]\nslower = \"5%\"",
            "*matmul*: main_dispatch_0_matmul_32x256x128_f32 changed by +",
        ),
        (
            "functions = { \"*transpose*\" = { time_ns = 30_000 } }",
            "main_dispatch_3_transpose_32x64_f32 takes",
        ),
    ] {
        let (code, said) = check(text);
        assert!(code == Some(1) && said.contains(part), "{text}: {said}");
    }
    let (code, said) =
        check("[total]\nslower = \"15%\"\n[functions.\"*\"]\nslower = \"25%\"\ntime_ns = 200_000");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("passed: nothing breaks --budget budget.toml"), "{said}");
    for (text, part) in [
        ("[total]\nslower = 5", "line 2"),
        ("[total]\nfaster = \"5%\"", "unknown field `faster`"),
        ("[total]\nslower = \"much\"", "write a share like 2%"),
        ("[functions.\"*nosuch*\"]\nslower = \"1%\"", "no function is called *nosuch*"),
        ("", "it has no limits"),
        ("# [total]\n", "it has no limits"),
        ("[functions]\n", "it has no limits"),
        ("[total]\n", "total has no limit"),
        ("[total]\ntime_ns = 1\n[functions.\"*\"]\n", "* has no limit"),
    ] {
        let (code, said) = check(text);
        assert!(code == Some(2) && said.contains(part), "{text}: {said}");
    }
}

fn not_comparable() {
    let folder = sides(5, 1.2);
    let data = root().join("tests/data/mlp-local-task.ireeprof");
    let whole = fs::read(data).unwrap();
    fs::write(folder.path().join("whole.ireeprof"), &whole).unwrap();
    fs::write(folder.path().join("cut.ireeprof"), &whole[..whole.len() - 64]).unwrap();
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["compare", "whole.ireeprof", "cut.ireeprof", "--fail-on=slower", "--ambiguous=fail"])
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
    let text = said(&ran);
    assert!(
        text.contains("error: --fail-on slower cannot be judged, as cut.ireeprof is not"),
        "{text}"
    );
    assert!(text.contains("cut.ireeprof is not comparable with whole.ireeprof"), "{text}");
    assert!(text.contains("Not comparable: cut is truncated: records are missing."), "{text}");
    // What recorded a side differs.
    let name =
        whole.windows(10).position(|part| part == b"local-task").expect("it names its driver");
    let other = [&whole[..name], b"local-sync", &whole[name + 10..]].concat();
    fs::write(folder.path().join("other.ireeprof"), other).unwrap();
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["compare", "whole.ireeprof", "other.ireeprof", "--format=jsonl"])
        .output()
        .unwrap();
    let found: Vec<Value> =
        said(&ran).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(found.iter().all(|row| row["verdict"] == "not comparable"), "{found:?}");
    let why = found[0]["reason"].as_str().unwrap();
    assert!(
        why.starts_with("they were recorded by different drivers: whole.ireeprof by local-task"),
        "{why}"
    );
    assert_eq!(found[0]["ratio"], 1.0, "{found:?}");
}

/// Gives the functions of the new side names of another program.
fn rename(folder: &Path) {
    for entry in fs::read_dir(folder.join("new")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let parts = text.split("main_dispatch_").enumerate().map(|(nth, part)| {
            if nth == 0 { part.to_owned() } else { format!("other_dispatch_{part}") }
        });
        let text: String = parts.collect();
        // Other shapes, too: an operation with its shape at the same place is the same.
        fs::write(path, text.replace("32x", "48x").replace("x64", "x96")).unwrap();
    }
}

fn apart() {
    let folder = sides(6, 0.2);
    rename(folder.path());
    let ran = compare(folder.path(), &["--fail-on=slower"]);
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
    let text = said(&ran);
    assert!(text.starts_with("new/*.jsonl is not comparable with base/*.jsonl: "), "{text}");
    assert!(text.contains("Not comparable: they have no function in common, by code"), "{text}");
    let found = rows(folder.path(), &[]);
    assert!(found.iter().all(|row| row["verdict"] == "not comparable"), "{found:?}");
    assert!(found[0]["ratio"].as_f64().unwrap() < 0.95, "the ratio is given: {}", found[0]);
    for measure in ["iteration-time", "queue-time"] {
        let measure = format!("--measure={measure}");
        assert_eq!(rows(folder.path(), &[&measure])[0]["verdict"], "not comparable", "{measure}");
    }
}

fn unjudged() {
    let folder = sides(6, 1.2);
    rename(folder.path());
    let check = |budget: &str| {
        fs::write(folder.path().join("budget.toml"), budget).unwrap();
        let ran = compare(folder.path(), &["--budget=budget.toml"]);
        (ran.status.code(), said(&ran))
    };
    let slower = "[total]\nslower = \"50%\"";
    let of_function = "[functions.\"*matmul*\"]\nslower = \"50%\"";
    for (budget, part) in [
        (slower, "budget.toml, total cannot be judged, as new/*.jsonl is not comparable"),
        (of_function, "budget.toml, *matmul* cannot be judged: they have no function in common"),
    ] {
        let (code, said) = check(budget);
        assert!(code == Some(5) && said.contains(part), "{budget}: {said}");
    }
    // Times need no baseline.
    assert_eq!(check("[total]\ntime_ns = 1_000_000_000").0, Some(0));
    let (code, said) = check(&format!("{slower}\ntime_ns = 1_000"));
    assert_eq!(code, Some(1), "a limit that is exceeded decides: {said}");
}

fn signs() {
    let folder = sides(5, 1.0);
    // On the base side, one transpose in each run takes very long; on the new side, all take a tenth longer.
    for (side, factor) in [("base", 1.0), ("new", 1.1)] {
        for entry in fs::read_dir(folder.path().join(side)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let mut count = 0;
            let text = stretched(&text, |row| {
                let ns = row["duration_ns"].as_f64().unwrap();
                if !row["key"].as_str().is_some_and(|key| key.contains("transpose")) {
                    return ns as u64;
                }
                count += 1;
                let is_long = side == "base" && count == 9;
                (ns * if is_long { 20.0 } else { factor }) as u64
            });
            fs::write(path, text).unwrap();
        }
    }
    let found = rows(folder.path(), &[]);
    let of = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let is_other = |row: &&Value| (of(row, "ratio") - 1.0) * of(row, "delta_ns") < 0.0;
    let transpose = found
        .iter()
        .find(|row| row["new_function"].as_str().is_some_and(|it| it.contains("transpose")));
    assert!(is_other(&transpose.unwrap()), "{transpose:?}");
    for format in ["text", "markdown"] {
        let text = said(&compare(folder.path(), &[&format!("--format={format}")]));
        let text = text.replace('\\', "");
        let row =
            text.lines().find(|line| line.contains("transpose") && line.contains(" *+")).unwrap();
        assert!(row.contains(" *+") && row.contains(" -"), "{row}");
        assert!(
            text.contains("* The change is the ratio of typical iterations (--stat)"),
            "{text}"
        );
        let marked = text.lines().filter(|line| line.contains(" *+") || line.contains(" *-"));
        assert_eq!(marked.count(), found[1..].iter().filter(is_other).count(), "{text}");
        if is_other(&&found[0]) {
            assert!(text.contains("Times are means, which changed by -"), "{text}");
        }
    }
    let text = said(&compare(folder.path(), &["--stat=mean"]));
    assert!(
        !text.contains("transpose")
            || !text.lines().any(|line| line.contains("transpose")
                && line.contains('*')
                && !line.contains("* The")),
        "{text}"
    );
}

/// Compiles the network of tests/data with two strategies of fusion, and captures a benchmark of each.
fn fused() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["32x128xf32=1", "128x256xf32=1", "256xf32=1", "256x64xf32=1", "64xf32=1"];
    for (name, flags) in [
        ("plain", [].as_slice()),
        ("fused", &["--iree-dispatch-creation-enable-aggressive-fusion"]),
    ] {
        let flags = [models::flags("local-task"), flags].concat();
        models::compile("mlp", &flags, &folder.path().join("m.vmfb"));
        let mut benchmark = Command::new(BIN.join("iree-benchmark-module"));
        benchmark.current_dir(folder.path());
        benchmark.args(["--device=local-task", "--module=m.vmfb", "--function=main"]);
        benchmark.args(inputs.map(|input| format!("--input={input}")));
        benchmark.args([
            "--benchmark_min_time=10x",
            &format!("--device_profiling_output={name}.ireeprof"),
        ]);
        benchmark.arg("--device_profiling_mode=queue-events,host-execution,executable-metadata");
        let ran = benchmark.output().unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
    }
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["compare", "plain.ireeprof", "fused.ireeprof", "--format=jsonl"])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", said(&ran));
    let found: Vec<Value> =
        said(&ran).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rows: Vec<(&str, &str, &str)> = found[1..]
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap_or_default();
            (text("matched_by"), text("base_function"), text("new_function"))
        })
        .collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    let softmax = "main_dispatch_2_softmax_32x64xf32_dispatch_tensor_store + main_dispatch_3_transpose_32x64_f32";
    assert!(rows.contains(&("replaced", softmax, "main_dispatch_2_softmax_32x64xf32")), "{rows:?}");
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["compare", "plain.ireeprof", "fused.ireeprof", "--format=junit", "-o", "junit.xml"])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", said(&ran));
    let parse = "import xml.etree.ElementTree as tree; suites = tree.parse('junit.xml').getroot(); [suite] = suites; \
                 print(suites.tag, suite.tag, suite.get('tests'), len(suite), {case.tag for case in suite})";
    let mut python = Command::new(BIN.join("python"));
    let ran = python.current_dir(folder.path()).args(["-c", parse]).output().unwrap();
    assert_eq!(said(&ran), "testsuites testsuite 4 4 {'testcase'}\n");
    let delta = |row: &Value| row["delta_ns"].as_i64().unwrap();
    assert_eq!(delta(&found[0]), found[1..].iter().map(delta).sum::<i64>());
}
