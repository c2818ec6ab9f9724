//! Tests `ireescope mcp` with the official client of the protocol, in Python.

use std::process::Command;

use libtest_mimic::Trial;

use super::differential::BIN;
use super::profile::ours;
use crate::support::ask::root;
use crate::trial;

/// The parts of `tests/tools/check_mcp.py`.
const PARTS: [(&str, &str); 5] = [
    ("versions_of_the_protocol_are_agreed_on", "versions"),
    ("tools_answer_as_commands_do", "answers"),
    ("replies_and_times_are_limited", "limits"),
    ("nothing_outside_of_the_folders_is_used", "paths"),
    ("standard_output_has_messages_only", "streams"),
];

/// The tests, which need other tools.
pub fn trials() -> Vec<Trial> {
    let part =
        |(name, part): (&str, &'static str)| trial(format!("mcp::{name}"), move || check(part));
    PARTS.into_iter().map(part).collect()
}

fn check(part: &str) {
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_mcp.py"))
        .arg(part)
        .args([ours(), root().join("tests/data")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{}{said}", String::from_utf8_lossy(&checked.stdout));
}
