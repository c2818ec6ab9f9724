//! Tests `serve` by the clients that people use, driven by `tests/tools/check_postgres.py` and, beside PostgreSQL itself, by
//! `tests/tools/check_clients.py`.

use std::process::Command;

use exporters::Format;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::differential::BIN;
use super::profile::ours;
use super::sql_files::{captures, files, queries, stem};
use crate::support::ask::{encoded, engine_over, open, root};
use crate::support::certificates::certify;
use crate::trial;

/// The tests that need other tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 10] = [
        ("postgres_answers_as_the_engine", same_answers),
        ("postgres_clients_are_served", clients),
        ("postgres_access_is_limited", access),
        ("changed_files_are_read_again", watch),
        ("hostile_clients_disturb_nobody", hostile),
        ("values_are_those_of_postgresql", values),
        ("rows_are_read_in_parts_as_from_postgresql", reading),
        ("programs_read_whole_results", programs),
        ("all_relations_have_the_rows_of_flight_sql", relations),
        ("what_clients_abandon_ends", abandoned),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("servers::{name}"), test)).collect()
}

/// Runs a check of the script, and returns what it prints.
fn check(name: &str, words: &[&str]) -> String {
    check_of("check_postgres.py", name, words)
}

fn check_of(script: &str, name: &str, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools").join(script))
        .args([name, &ours().display().to_string()])
        .args(words)
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn capture(name: &str) -> String {
    root().join(format!("tests/data/{name}.ireeprof")).display().to_string()
}

/// Every query of tests/sql, whose answers are written as files of Arrow.
fn same_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (mut kept, mut parts) = (Vec::new(), Vec::new());
    for path in files(&root().join("tests/sql"), "slt") {
        let (names, asked) = queries(&path);
        let captures = captures(&names);
        let opened = captures.iter().map(|(name, place, _)| open(place, name).unwrap()).collect();
        let engine = engine_over(opened, None);
        let asked = asked.iter().enumerate().map(|(nth, query)| {
            let answer = folder.path().join(format!("{}-{nth}.arrow", stem(&path)));
            let answered = encoded(&engine, query, Format::Arrow).ok();
            let answer = answered.map(|bytes| std::fs::write(&answer, bytes).map(|()| answer));
            json!({ "query": query, "answer": answer.transpose().unwrap() })
        });
        let asked: Vec<Value> = asked.collect();
        let bundles = captures.iter().map(|(name, place, _)| format!("{name}={}", place.display()));
        parts.push(json!({ "bundles": bundles.collect::<Vec<_>>(), "queries": asked }));
        kept.push(captures);
    }
    let plan = folder.path().join("plan.json");
    std::fs::write(&plan, Value::from(parts).to_string()).unwrap();
    let compared = check("queries", &[&plan.display().to_string()]);
    let compared: u32 = compared.trim().parse().unwrap();
    assert!(compared >= 200, "{compared} answers were compared");
}

fn clients() {
    check("clients", &[&capture("mlp-local-task")]);
}

fn access() {
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    check("access", &[&capture("mlp-local-task"), &folder.path().display().to_string()]);
}

fn watch() {
    check("watch", &[&capture("mlp-local-task"), &capture("loop-vulkan")]);
}

fn values() {
    let docs = root().join("docs/servers.md").display().to_string();
    let compared = check_of("check_clients.py", "values", &[&capture("mlp-local-task"), &docs]);
    let compared: u32 = compared.trim().parse().unwrap();
    assert!(compared >= 200, "{compared} answers were compared");
}

fn reading() {
    check_of("check_clients.py", "reading", &[&capture("mlp-local-task")]);
}

fn programs() {
    check_of("check_clients.py", "programs", &[&capture("mlp-local-task")]);
}

fn relations() {
    let bundles = ["mlp-local-task", "mlp-vulkan", "loop-local-task"].map(capture);
    let compared =
        check_of("check_clients.py", "relations", &bundles.each_ref().map(String::as_str));
    let compared: u32 = compared.trim().parse().unwrap();
    assert!(compared > 5000, "{compared} rows were compared");
}

fn abandoned() {
    check_of("check_clients.py", "abandoned", &[&capture("mlp-local-task")]);
}

/// Rounds of broken messages; 10000 were run by hand.
fn hostile() {
    let rounds = std::env::var("IREESCOPE_ROUNDS").unwrap_or_else(|_| "1000".into());
    let said = check("hostile", &[&capture("mlp-local-task"), &rounds]);
    if rounds != "1000" {
        eprintln!("{said}");
    }
}
