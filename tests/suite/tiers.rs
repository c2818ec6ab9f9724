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

/// Whether a test runs, of those that no name selects: what `IREESCOPE_LEFT_OUT` lists does not, and where `IREESCOPE_ONLY` lists
/// some, only those do. `tests/run` says which, and why.
pub fn is_run(name: &str) -> bool {
    let lists = |variable| {
        let prefixes = env::var(variable).ok()?;
        Some(prefixes.split_whitespace().any(|prefix| name.starts_with(prefix)))
    };
    lists("IREESCOPE_ONLY").unwrap_or(true) && !lists("IREESCOPE_LEFT_OUT").unwrap_or(false)
}
