//! Tests that `compare` tells unlike work and equal captures, on real captures of a model of dynamic shapes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Trial;
use serde_json::Value;
use tempfile::TempDir;

use super::differential::BIN;
use super::profile::ours;
use super::real_captures::no_vulkan;
use crate::support::ask::root;
use crate::support::models;
use crate::{Test, skipped_if, trial};

pub const TESTS: &[Test] = &[
    ("copies_are_the_same_capture", copies),
    ("the_same_capture_is_named_in_sql_and_in_a_history", elsewhere),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("unlike::local_task_shapes_are_kept_apart".into(), || shapes("local-task")),
        skipped_if(
            no_vulkan(),
            trial("unlike::vulkan_shapes_are_kept_apart".into(), || shapes("vulkan")),
        ),
        trial("unlike::a_race_of_other_shapes_is_refused".into(), race),
    ]
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn run(folder: &Path, words: &[&str]) -> String {
    let ran = Command::new(ours()).current_dir(folder).args(words).output().unwrap();
    assert!(ran.status.success(), "{words:?}: {}", said(&ran));
    said(&ran)
}

fn rows(folder: &Path, words: &[&str]) -> Vec<Value> {
    let text = run(folder, &[words, &["--format=jsonl"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder with the model compiled for a device.
fn compiled(device: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), device, "m.vmfb", &[]);
    folder
}

fn compile(folder: &Path, device: &str, module: &str, flags: &[&str]) {
    models::compile("dynamic", &[models::flags(device), flags].concat(), &folder.join(module));
}

/// The command that calls the model with these numbers of rows.
fn benchmark(device: &str, rows: [u32; 2]) -> Vec<String> {
    let inputs = rows.map(|rows| format!("--input={rows}x128xf32=1"));
    let all = [format!("--device={device}"), "--module=m.vmfb".into(), "--function=main".into()];
    let [first, second] = inputs;
    let rest = [first, second, "--input=128x64xf32=0.5".into(), "--benchmark_min_time=10x".into()];
    all.into_iter().chain(rest).collect()
}

fn capture(folder: &Path, device: &str, name: &str, rows: [u32; 2]) {
    let modes = match device {
        "vulkan" => "queue-events,device-queue-events,dispatch-events,executable-metadata",
        _ => "queue-events,host-execution,executable-metadata",
    };
    let mut command = Command::new(BIN.join("iree-benchmark-module"));
    command.current_dir(folder).args(benchmark(device, rows));
    command.arg(format!("--device_profiling_mode={modes}"));
    let ran = command.arg(format!("--device_profiling_output={name}.ireeprof")).output().unwrap();
    assert!(ran.status.success(), "{}", said(&ran));
}

/// Captures of the same model with few and many rows, and with both.
fn shapes(device: &str) {
    let folder = compiled(device);
    let folder = folder.path();
    for (name, rows) in [
        ("few", [64, 64]),
        ("more", [65, 65]),
        ("many", [512, 512]),
        ("mixed", [64, 512]),
        ("again", [64, 512]),
    ] {
        capture(folder, device, name, rows);
    }
    let found = rows(folder, &["compare", "few.ireeprof", "many.ireeprof"]);
    for row in &found {
        assert_eq!(row["verdict"], "not comparable", "{row}");
        let (base, new) = (row["base_workgroups"].as_f64(), row["new_workgroups"].as_f64());
        assert!(
            row["matched_by"] == "total" || (new.unwrap() / base.unwrap() - 8.0).abs() < 1e-9,
            "{row}"
        );
    }
    let (base, new) = (&found[1]["base_workgroups"], &found[1]["new_workgroups"]);
    let how = format!(
        "other shapes or tiles: {} workgroups instead of {}",
        new.as_f64().unwrap(),
        base.as_f64().unwrap()
    );
    assert_eq!(found[1]["reason"], how.as_str());
    let text = run(folder, &["compare", "few.ireeprof", "many.ireeprof"]);
    assert!(
        text.contains(&format!("Not comparable: main_dispatch_0_matmul_Dx64x128_f32: {how}.")),
        "{text}"
    );
    // A row more: the results tell it, whether there are more workgroups or not.
    let found = rows(folder, &["compare", "few.ireeprof", "more.ireeprof"]);
    assert!(found.iter().all(|row| row["verdict"] == "not comparable"), "{found:?}");
    let why = found[1]["reason"].as_str().unwrap();
    assert!(why.contains("workgroups instead of") || why.contains("bytes instead of"), "{why}");
    for measure in ["queue-time", "iteration-time", "wall"] {
        let found =
            rows(folder, &["compare", "few.ireeprof", "many.ireeprof", "--measure", measure]);
        assert!(found.iter().all(|row| row["verdict"] == "not comparable"), "{measure}: {found:?}");
        let why = found[0]["reason"].as_str().unwrap();
        assert!(why.ends_with(&how), "{measure}: {why}");
    }
    let query =
        "SELECT verdict, reason FROM comparison('few', 'many', 'wall') WHERE matched_by = 'total'";
    let found = rows(folder, &["sql", "few.ireeprof", "many.ireeprof", "-c", query]);
    assert!(found[0]["reason"].as_str().unwrap().ends_with(&how), "{found:?}");
    // Both shapes in each call: each is compared with itself.
    let found = rows(folder, &["compare", "mixed.ireeprof", "again.ireeprof"]);
    assert_eq!(found.len(), 3, "{found:?}");
    for row in &found[1..] {
        assert!(
            row["reason"].is_null() && row["base_workgroups"] == row["new_workgroups"],
            "{row}"
        );
    }
    assert_ne!(found[1]["base_workgroups"], found[2]["base_workgroups"]);
    assert!(found[0]["reason"].is_null(), "{found:?}");
    let text = run(folder, &["compare", "mixed.ireeprof", "again.ireeprof"]);
    let shapes = text.matches(" workgroups)").count() + text.matches(" workgroup)").count();
    assert_eq!(shapes, 2, "{text}");
    // So do the tables.
    let shapes = "SELECT count(*) AS n FROM function_shapes";
    let roofs = "SELECT count(DISTINCT workgroup_count_x) AS n FROM report.roofline";
    for query in [shapes, roofs] {
        assert_eq!(rows(folder, &["sql", "mixed.ireeprof", "-c", query])[0]["n"], 2, "{query}");
    }
    let top = rows(folder, &["top", "--by=shape", "mixed.ireeprof"]);
    assert_eq!(top.len(), 2, "{top:?}");
    for row in &top {
        let key = row["key"].as_str().unwrap();
        let shape = key.strip_prefix("main_dispatch_0_matmul_Dx64x128_f32 ").expect(key);
        assert_eq!(shape.split('x').count(), 3, "{key}");
    }
    assert_eq!(rows(folder, &["top", "mixed.ireeprof"]).len(), 1);
}

/// A race says before its first block that the sides do other work; with the same inputs, other numbers of workgroups are other
/// tiles.
fn race() {
    let folder = compiled("local-task");
    let tool = BIN.join("iree-benchmark-module").display().to_string();
    let tiled = ["--iree-llvmcpu-distribution-size=16"];
    compile(folder.path(), "local-task", "tiled.vmfb", &tiled);
    let raced = |new: [u32; 2], module: &str| {
        let mut command = Command::new(ours());
        command.current_dir(folder.path()).args([
            "race",
            "-o",
            "ab.race",
            "--repeat=4",
            "--",
            &tool,
        ]);
        command.args(benchmark("local-task", [64, 64])).args(["--vs", &tool]);
        let new = benchmark("local-task", new);
        command.args(new.iter().map(|word| word.replace("m.vmfb", module))).output().unwrap()
    };
    let ran = raced([512, 512], "m.vmfb");
    assert_eq!(ran.status.code(), Some(5), "{}", said(&ran));
    let text = said(&ran);
    assert!(
        text.contains(
            "the sides are not comparable: main_dispatch_0_matmul_Dx64x128_f32: other shapes or tiles: "
        ),
        "{text}"
    );
    fs::remove_dir_all(folder.path().join("ab.race")).unwrap();
    for module in ["m.vmfb", "tiled.vmfb"] {
        let ran = raced([64, 64], module);
        assert!(ran.status.success() && !said(&ran).contains("not comparable"), "{}", said(&ran));
        let found = rows(folder.path(), &["compare", "ab.race"]);
        assert!(found.iter().all(|row| row["reason"].is_null()), "{found:?}");
        let is_tiled = found[1]["base_workgroups"] != found[1]["new_workgroups"];
        assert_eq!(is_tiled, module == "tiled.vmfb", "{found:?}");
        fs::remove_dir_all(folder.path().join("ab.race")).unwrap();
    }
}

/// Two captures in a folder of their own, and copies of the first.
fn copied() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = root().join("tests/data");
    let from = |name: &str, to: &str| {
        let to = folder.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(data.join(name), to).unwrap();
    };
    from("mlp-local-task.ireeprof", "a/one.ireeprof");
    from("mlp-local-task.ireeprof", "a/two.ireeprof");
    from("mlp-local-task.ireeprof", "b/copy.ireeprof");
    from("matmul-local-task.ireeprof", "c/other.ireeprof");
    from("mlp-local-task.ireeprof", "c/three.ireeprof");
    folder
}

fn copies() {
    let folder = copied();
    let folder = folder.path();
    for new in ["a/one.ireeprof", "b/copy.ireeprof"] {
        let text = run(
            folder,
            &[
                "compare",
                "base=a/one.ireeprof",
                &format!("new={new}"),
                "--fail-on=slower",
                "--ambiguous=fail",
            ],
        );
        assert!(
            text.starts_with("new is the same capture as base: 133.6 µs an iteration"),
            "{text}"
        );
        assert!(!text.contains("certain") && !text.contains("Fewer"), "{text}");
        let found = rows(folder, &["compare", "a/one.ireeprof", new]);
        assert!(
            found.iter().all(|row| row["verdict"] == "same" && row["ratio"] == 1.0),
            "{found:?}"
        );
    }
    // A set with a bundle twice.
    let text = run(folder, &["compare", "a", "b"]);
    assert!(text.contains("\ntwo is a copy of one and does not count.\n"), "{text}");
    assert!(text.starts_with("b is the same capture as a") && text.contains("a: 1 run"), "{text}");
    // A bundle in both sets, beside others.
    let found = rows(folder, &["compare", "a", "c"]);
    assert!(found.iter().all(|row| row["verdict"] == "not comparable"), "{found:?}");
    assert_eq!(found[0]["reason"], "three of c is the same capture as one of a");
    // Another capture is none.
    let found = rows(folder, &["compare", "a/one.ireeprof", "c/other.ireeprof"]);
    assert!(found.iter().all(|row| row["verdict"] != "same"), "{found:?}");
}

fn elsewhere() {
    let folder = copied();
    let folder = folder.path();
    let query = "SELECT verdict FROM comparison('one', 'copy')";
    let found = rows(folder, &["sql", "a/one.ireeprof", "b/copy.ireeprof", "-c", query]);
    assert!(found.len() == 5 && found.iter().all(|row| row["verdict"] == "same"), "{found:?}");
    run(folder, &["history", "add", "h", "a/one.ireeprof", "--time=2026-01-01T00:00:00Z"]);
    let text = run(folder, &["history", "check", "h", "b/copy.ireeprof"]);
    assert!(
        text.starts_with("b/copy.ireeprof is the same capture as the last 1 entry of "),
        "{text}"
    );
}
