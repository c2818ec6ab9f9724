//! What can go wrong before a tool is started.

use std::path::PathBuf;

/// Why there are no dispatches, sources or references.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A sweep that is none.
    #[error(
        "{given:?} is no sweep: {reason}; give a value, a list like 128,256 or a range like 64:1024:128"
    )]
    Sweep { given: String, reason: String },
    /// A name that is none of those known.
    #[error("there is no {what} {given:?}; there are {known}")]
    Unknown { what: &'static str, given: String, known: String },
    /// A pattern over the names of dispatches.
    #[error("cannot match dispatches by {pattern:?}")]
    Pattern { pattern: String, source: Box<regex::Error> },
    /// A shape that cannot be computed.
    #[error("cannot make the operation {operation}: {reason}")]
    Operation { operation: String, reason: String },
    /// Another sweep.
    #[error("another sweep is under way in {}; wait for it, or give another --generated-dir", .0.display())]
    Busy(PathBuf),
    /// A file.
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
}
