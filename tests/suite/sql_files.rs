//! Runs the SQL tests in tests/sql/<name>.slt, which name bundles to open, and queries with their results as CSV.
//!
//! ```text
//! # What this shows.
//! open gpu
//!
//! query
//! SELECT count(*) FROM dispatches
//! ----
//! count(*)
//! 8
//! ```
//!
//! `open` takes names of captures in tests/data and of bundles in tests/support/built.rs. A result that starts with
//! `error: ` is the text of an error. `BLESS=1` rewrites the results.

use std::path::{Path, PathBuf};

use ireescope::engine::Engine;
use libtest_mimic::Trial;
use tempfile::TempPath;

use crate::support::ask::{csv, engine_over, file, open, root};
use crate::support::built;
use crate::trial;

/// Returns a trial for each file.
pub fn trials() -> Vec<Trial> {
    let files = files(&root().join("tests/sql"), "slt");
    files
        .into_iter()
        .map(|path| trial(format!("sql::{}", stem(&path)), move || check(&path)))
        .collect()
}

/// Returns the files of a folder with an extension, sorted. Panics if there are none.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == extension));
    paths.sort();
    assert!(!paths.is_empty(), "{} holds tests", folder.display());
    paths
}

/// Returns the files of captures, which may be built ones, with their names. Those of built ones are removed with what comes third.
pub fn captures(names: &[String]) -> Vec<(String, PathBuf, Option<TempPath>)> {
    let place = |name: &String| {
        let built = built::ALL.contains(&name.as_str());
        let made = built.then(|| file(&built::named(name)).into_temp_path());
        let captured = root().join(format!("tests/data/{name}.ireeprof"));
        (name.clone(), made.as_ref().map_or(captured, |made| made.to_path_buf()), made)
    };
    names.iter().map(place).collect()
}

/// Returns the name of a file without its extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// True if expected results are to be rewritten.
pub fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Compares the expected text of a file with the actual one, or rewrites the file if `BLESS` is set.
pub fn settle(path: &Path, before: &str, after: &str) {
    if bless() {
        std::fs::write(path, after).unwrap();
    } else {
        let changed =
            before.lines().zip(after.lines()).enumerate().find(|(_, (one, other))| one != other);
        assert!(
            before == after,
            "{} differs at line {}: {:?} (expected, found); BLESS=1 rewrites it",
            path.display(),
            changed.map_or(before.lines().count().min(after.lines().count()), |(line, _)| line + 1),
            changed.map(|(_, pair)| pair),
        );
    }
}

fn check(path: &Path) {
    let before = std::fs::read_to_string(path).unwrap();
    let mut engine = None;
    let mut after = String::new();
    let mut lines = before.lines();
    while let Some(line) = lines.next() {
        after.push_str(line);
        after.push('\n');
        if let Some(names) = line.strip_prefix("open ") {
            engine = Some(engine_named(names));
        }
        if line != "query" {
            continue;
        }
        let query: Vec<&str> = lines.by_ref().take_while(|line| *line != "----").collect();
        for _ in lines.by_ref().take_while(|line| !line.is_empty()) {}
        let query = query.join("\n");
        let engine = engine.as_ref().expect("`open` precedes `query`");
        let answer = csv(engine, &query).unwrap_or_else(|error| format!("error: {error}\n"));
        after.push_str(&format!("{query}\n----\n{answer}\n"));
    }
    let after = format!("{}\n", after.trim_end());
    settle(path, &before, &after);
}

/// Returns the bundles of the last `open` of a file, and the queries after it.
pub fn queries(path: &Path) -> (Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut names, mut queries) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(opened) = line.strip_prefix("open ") {
            names = opened.split_whitespace().map(str::to_owned).collect();
            queries.clear();
        }
        if line == "query" {
            let query: Vec<&str> = lines.by_ref().take_while(|line| *line != "----").collect();
            queries.push(query.join("\n"));
        }
    }
    (names, queries)
}

fn engine_named(names: &str) -> Engine {
    let bundles = names.split_whitespace().map(|name| {
        let capture = root().join(format!("tests/data/{name}.ireeprof"));
        if capture.exists() {
            return open(&capture, name).unwrap();
        }
        open(file(&built::named(name)).path(), name).unwrap()
    });
    engine_over(bundles.collect(), None)
}
