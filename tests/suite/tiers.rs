//! Which tests run, and how many at a time. A test is named by the beginning of its name.

use std::env;

/// Tests that wait for servers, time limits, signals and other programs more than they compute. They run side by side.
const WAITING: &[&str] = &[
    "capture",
    "changing::",
    "cluster::",
    "flight::",
    "interrupted::",
    "limits::",
    "mcp::",
    "objects::",
    "race::",
    "remote_",
    "servers::",
];

pub fn is_waiting(name: &str) -> bool {
    WAITING.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a test runs, of those that no name selects. `IREESCOPE_LEFT_OUT` lists others: `tests/run` says which, and why.
pub fn is_run(name: &str) -> bool {
    let left_out = env::var("IREESCOPE_LEFT_OUT").unwrap_or_default();
    !left_out.split_whitespace().any(|prefix| name.starts_with(prefix))
}
