//! Texts about captures that several commands print.

/// Returns the line about a refusal.
pub fn refused(name: &str, what: &str, reason: &str) -> String {
    let what = if what.is_empty() { "a part of the request" } else { what };
    format!("{name}: refused {what}: {reason}")
}

/// Returns the line about a ring that was full.
pub fn flushes(name: &str, every_ms: u32, reason: &str) -> String {
    format!(
        "{name}: a ring of events was full ({reason}); again with --flush-interval-ms={every_ms}"
    )
}
