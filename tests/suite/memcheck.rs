//! Runs commands under valgrind's memcheck, which reports reads and writes outside of what was allocated.

use std::process::Command;

use libtest_mimic::Trial;

use super::growth::no_valgrind;
use super::profile::optimized;
use crate::support::ask::root;
use crate::{skipped_if, trial};

const COMMANDS: &[&[&str]] = &[
    &["top"],
    &["dispatch", "--format=jsonl"],
    &[
        "sql",
        "--format=csv",
        "-c",
        "SELECT bundle, key, duration_ns FROM dispatches ORDER BY key, byte_offset",
    ],
    &["export"],
];

pub fn trials() -> Vec<Trial> {
    let one = |words: &'static [&'static str]| {
        let name = format!("memcheck::{}_has_no_invalid_access", words[0]);
        skipped_if(no_valgrind(), trial(name, move || checked(words)))
    };
    COMMANDS.iter().map(|words| one(words)).collect()
}

fn checked(words: &[&str]) {
    let ran = Command::new("valgrind")
        .args(["--quiet", "--error-exitcode=99", "--undef-value-errors=no"])
        .arg(optimized())
        .args(words)
        .arg(root().join("tests/data/mlp-vulkan.ireeprof"))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    assert!(!ran.stdout.is_empty());
}
