//! Progress events of a sweep, and the times that its caller reads.

use std::path::Path;

use super::row::DispatchRun;

/// A progress event.
#[derive(Debug)]
pub enum Event<'a> {
    /// A source was written or is up to date.
    Generated { path: &'a Path, configurations: Vec<String>, skipped: Vec<(String, String)> },
    /// A tool is about to run for a dispatch or an operation.
    Command { what: &'a str, line: String },
    /// The modules of an operation are ready; `done` counts the operations.
    Compiled { done: usize, total: usize, operation: &'a str, is_cached: bool },
    /// A dispatch begins.
    Begins { done: usize, total: usize, dispatch: &'a str },
    /// A dispatch has ended; `is_known` is true if an earlier command has measured it.
    Ended { row: &'a DispatchRun, is_known: bool },
}

/// A callback that reads the dispatch times of a bundle, because this module cannot query bundles.
pub type ReadTimes<'a> = dyn FnMut(&Path) -> Result<Vec<Timed>, String> + 'a;

/// A timed run of a function, as recorded in a bundle.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    pub function: String,
    /// The clock: `device` or `host`.
    pub source: String,
    pub duration_ns: f64,
}
