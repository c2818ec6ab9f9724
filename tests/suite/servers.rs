//! Tests `serve` by the clients that people use: psycopg, psql and psqlODBC, driven by `tests/tools/check_postgres.py`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use arrow::ipc::writer::FileWriter;
use futures::TryStreamExt;
use ireescope::engine::Engine;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::differential::BIN;
use super::profile::ours;
use super::sql_files::{files, queries, stem};
use crate::support::ask::{engine_over, file, open, root};
use crate::support::built;
use crate::support::certificates::certify;
use crate::trial;

/// The tests that need other tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("postgres_answers_as_the_engine", same_answers),
        ("postgres_clients_are_served", clients),
        ("postgres_access_is_limited", access),
        ("changed_files_are_read_again", watch),
        ("hostile_clients_disturb_nobody", hostile),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("servers::{name}"), test)).collect()
}

/// Runs a check of the script, and returns what it prints.
fn check(name: &str, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_postgres.py"))
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
    let parts: Vec<Value> = files(&root().join("tests/sql"), "slt")
        .iter()
        .map(|path| part(path, folder.path()))
        .collect();
    let plan = folder.path().join("plan.json");
    std::fs::write(&plan, serde_json::to_vec(&parts).unwrap()).unwrap();
    let compared = check("queries", &[&plan.display().to_string()]);
    let compared: u32 = compared.trim().parse().unwrap();
    assert!(compared >= 200, "{compared} answers were compared");
}

/// Answers the queries of a file in this process.
fn part(path: &Path, folder: &Path) -> Value {
    let (names, asked) = queries(path);
    let mut bundles: Vec<(String, PathBuf)> = Vec::new();
    for name in &names {
        let captured = PathBuf::from(capture(name));
        let place = folder.join(format!("{}-{name}.ireeprof", stem(path)));
        if built::ALL.contains(&name.as_str()) {
            file(&built::named(name)).persist(&place).unwrap();
        } else {
            std::fs::copy(captured, &place).unwrap();
        }
        bundles.push((name.clone(), place));
    }
    let opened = bundles.iter().map(|(name, place)| open(place, name).unwrap()).collect();
    let engine = engine_over(opened, None);
    let asked: Vec<Value> = asked
        .iter()
        .enumerate()
        .map(|(nth, query)| {
            let answer = folder.join(format!("{}-{nth}.arrow", stem(path)));
            json!({ "query": query, "answer": answered(&engine, query, &answer).then_some(answer) })
        })
        .collect();
    let bundles: Vec<String> =
        bundles.iter().map(|(name, place)| format!("{name}={}", place.display())).collect();
    json!({ "bundles": bundles, "queries": asked })
}

/// Writes the answer of the engine to a query, if it has one.
fn answered(engine: &Engine, query: &str, path: &Path) -> bool {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let stream = engine.query(query).await.ok()?;
        let schema = stream.schema();
        Some((schema, stream.try_collect::<Vec<_>>().await.ok()?))
    });
    let Some((schema, batches)) = rows else { return false };
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &schema).unwrap();
    for batch in &batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    true
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

/// Rounds of broken messages; 10000 were run by hand.
fn hostile() {
    let rounds = std::env::var("IREESCOPE_ROUNDS").unwrap_or_else(|_| "1000".into());
    let said = check("hostile", &[&capture("mlp-local-task"), &rounds]);
    if rounds != "1000" {
        eprintln!("{said}");
    }
}
