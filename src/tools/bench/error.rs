//! Errors of requests, reference files and the folder of results.

use std::io;
use std::path::{Path, PathBuf};

/// Why dispatches, sources, references or results are not available.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A sweep cannot be parsed.
    #[error(
        "{given:?} is not a valid sweep: {reason}; expected a value, a list such as 128,256 or a range such as 64:1024:128"
    )]
    Sweep { given: String, reason: String },
    /// A name is not known.
    #[error("unknown {what} {given:?}; known: {known}")]
    Unknown { what: &'static str, given: String, known: String },
    /// A pattern for the names of dispatches is not a regular expression.
    #[error("{pattern:?} is not a valid pattern for dispatches")]
    Pattern { pattern: String, source: Box<regex::Error> },
    /// An operation has an invalid shape.
    #[error("invalid operation {operation}: {reason}")]
    Operation { operation: String, reason: String },
    /// There is nothing to run.
    #[error(transparent)]
    NoDispatch(#[from] NoDispatch),
    /// A tag has the name of another column of the report.
    #[error("the tag {0} has the same name as another column")]
    Tag(String),
    /// A report that is to be continued lacks a column.
    #[error("{} has no column {name}; choose another output file", path.display())]
    Column { path: PathBuf, name: String },
    /// Another sweep holds the lock of the folder.
    #[error("another sweep is running in {}; wait for it, or use another option `generated_dir`", .0.display())]
    Busy(PathBuf),
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
}

/// Why there is no dispatch to run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoDispatch {
    /// All configurations are unsuitable, this one among them.
    #[error("no configuration is suitable; reason for {configuration}: {reason}")]
    Unsuitable { configuration: String, reason: String },
    /// None is known, and the compiler's default was not asked for.
    #[error("there is no configuration for these operations")]
    NoConfiguration,
    /// No name matches one of these patterns.
    #[error("no dispatch matches {}", .0.join(","))]
    Unmatched(Vec<String>),
}

impl BenchError {
    /// Returns a function that wraps the error of an operation on a file or folder.
    pub fn file(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::File { action, path: path.to_owned(), source }
    }
}

/// Finds one of `all` values by its name.
pub fn named<T: Copy>(
    what: &'static str,
    all: &[T],
    name: fn(T) -> &'static str,
    given: &str,
) -> Result<T, BenchError> {
    all.iter().copied().find(|it| name(*it) == given).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|it| name(*it)).collect();
        BenchError::Unknown { what, given: given.to_owned(), known: known.join(", ") }
    })
}
