//! Tests that other engines read datasets: Spark, and DuckDB from an object store.

use std::process::Command;

use libtest_mimic::Trial;

use super::differential::folder_of_tools;
use super::objects::{CAPTURES, Server, capture};
use crate::support::ask::root;
use crate::trial;

/// The tests, which need the engines.
pub fn trials() -> Vec<Trial> {
    vec![trial("other_engines::spark_and_httpfs_read_datasets".to_owned(), engines)]
}

/// Spark and DuckDB's httpfs read all relations as pyarrow does, and the engine counts as many rows.
fn engines() {
    let server = Server::start();
    let there = "s3://profiles/nightly";
    for some in [&CAPTURES[..2], &CAPTURES[2..]] {
        let captures: Vec<String> = some.iter().map(|name| capture(name)).collect();
        let names: Vec<&str> = captures.iter().map(String::as_str).collect();
        server.said(
            server.port,
            &[&["export", "--format=parquet", "-o", there][..], &names].concat(),
        );
    }
    let read = Command::new(folder_of_tools("--print-engines").join("python"))
        .arg(root().join("tests/tools/check_engines.py"))
        .args([&server.port.to_string(), "profiles/nightly"])
        .output()
        .unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let read = String::from_utf8(read.stdout).unwrap();
    let relations: Vec<&str> = read.lines().map(|line| line.split_once(',').unwrap().0).collect();
    let counts = relations.iter().map(|name| format!("SELECT '{name}', count(*) FROM {name}"));
    let counts = counts.collect::<Vec<_>>().join(" UNION ALL ") + " ORDER BY 1";
    let counted = server.said(server.port, &["sql", "--format=csv", "-c", &counts, there]);
    assert_eq!(read, counted.split_once('\n').unwrap().1);
}
