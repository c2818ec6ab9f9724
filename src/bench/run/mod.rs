//! Compiles, verifies and profiles dispatches, and stores the results.
//!
//! Invariants: a failing tool does not end the sweep, and every dispatch gets a row; device times, host times and wall
//! times are never mixed; nothing is printed, progress is reported as [`Event`]s.

mod cache;
mod compile;
pub mod folders;
mod known;
mod modules;
mod profile;
pub mod row;
pub mod statistics;
pub mod store;
mod sweep;
mod tool_run;
pub mod tools;
mod verify;

use std::path::Path;
use std::time::Duration;

pub use compile::command_line as compile_line;
pub use folders::{Folders, Mode};
pub use profile::arguments as profile_arguments;
pub use row::{DispatchRun, Outcome, Stage, Verification};
pub use sweep::{Done, Plan, Tell, generate, sweep};
pub use tools::Tools;
pub use verify::arguments as verify_arguments;

/// The options of compilation and measurement.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Settings {
    /// Number of compilers that run in parallel.
    pub jobs: usize,
    /// Compile even if the module is up to date.
    pub force_compile: bool,
    /// Measure even if an earlier command has measured the same module.
    pub force: bool,
    pub compile_limit: Duration,
    /// Timeout of each run of a dispatch.
    pub run_limit: Duration,
    pub verify: bool,
    pub profile: bool,
    pub repetitions: u32,
    /// Repetitions before the measured ones, which are discarded.
    pub warmup: u32,
    /// Runs of the dispatch per call of its function.
    pub batch_size: u32,
    /// Keep each command line with its output in a file.
    pub save_commands: bool,
    pub tags: Vec<(String, String)>,
    /// Flags for the compiler in addition to those of the target.
    pub compiler_flags: Vec<String>,
    pub seed: u64,
}

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
