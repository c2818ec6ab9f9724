//! Texts about captures that several commands print.

use std::path::Path;

use schemas::questions::Question;

use crate::capture::Report;
use crate::capture::plan::Wanted;

/// Says why a capture recorded nothing: the reason of most modes in the first line, then what became of the folder,
/// then the other reasons.
pub fn nothing(report: &Report, wanted: &Wanted, folder: &Path) -> String {
    let mut nothing = report.nothing(wanted, folder);
    if nothing.is_unsupported {
        nothing.outcome.push_str("; --mode NAME asks for a mode anyway");
    }
    nothing.to_string()
}

/// Describes how a question is answered, or why it is not.
pub fn answer(report: &Report, question: &Question) -> String {
    report.known.conclude(question).to_string()
}

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
