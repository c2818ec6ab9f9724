//! Tests `compare` on runs whose times are known: those of a real capture, scaled.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::Value;
use tempfile::TempDir;

use super::profile::ours;
use crate::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] = &[
    ("a_slower_function_is_found_and_fails_the_gate", slower),
    ("equal_sides_pass_the_gate", equal),
    ("differences_add_up_to_the_nanosecond", sums),
    ("renamed_functions_match_by_their_order", renamed),
    ("one_run_a_side_is_at_most_likely", one_run),
    ("sides_that_cannot_be_compared_are_refused", refused),
    ("formats_are_well_formed", formats),
];

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
            let lines = text.lines().map(|line| {
                let mut row: Value = serde_json::from_str(line).unwrap();
                if row["record_type"] == "host_execution_event" && row["key"].is_string() {
                    let is_first =
                        row["key"].as_str().is_some_and(|key| key.contains("dispatch_0_"));
                    let own = if is_first { 80_000.0 * factor } else { 40_000.0 };
                    let duration = (own * level * noise(0.003)).round() as u64;
                    let start = row["start_host_time_ns"].as_u64().unwrap();
                    row["end_host_time_ns"] = (start + duration).into();
                    row["duration_ns"] = duration.into();
                }
                row.to_string() + "\n"
            });
            let path = folder.path().join(side).join(format!("run-{run}.jsonl"));
            fs::write(path, lines.collect::<String>()).unwrap();
        }
    }
    folder
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
    assert!(found[0]["further_runs"].is_u64() || found[0]["further_runs"].is_null());
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
    let folder = sides(1, 1.5);
    let ran = compare(folder.path(), &["--fail-on=slower"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("is likely slower than"), "{}", said(&ran));
    assert!(said(&ran).contains("Fewer than 4 runs on a side"), "{}", said(&ran));
}

fn refused() {
    let data = root().join("tests/data");
    for (sides, part) in [
        (["mlp-vulkan.ireeprof", "mlp-local-task.ireeprof"], "different drivers"),
        (["mlp-vulkan.ireeprof", "missing.ireeprof"], "no bundle at missing.ireeprof"),
    ] {
        let ran =
            Command::new(ours()).current_dir(&data).arg("compare").args(sides).output().unwrap();
        assert!(matches!(ran.status.code(), Some(2 | 3)), "{}", said(&ran));
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
