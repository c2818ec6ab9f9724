//! How dispatches are run: compiled, verified and profiled, and what is kept of that.
//!
//! Invariants: whatever a tool does, the sweep goes on and the dispatch has its row; what is timed by a device, by the
//! host or by the wall's clock is never mixed; nothing here prints: it says what happens through [`Event`]s.

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

/// How dispatches are compiled and measured.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Settings {
    /// Compilers at once.
    pub jobs: usize,
    /// Compile what is compiled already.
    pub force_compile: bool,
    /// Measure what is measured already.
    pub force: bool,
    pub compile_limit: Duration,
    /// For each run of a dispatch.
    pub run_limit: Duration,
    pub verify: bool,
    pub profile: bool,
    pub repetitions: u32,
    /// Repetitions before those, which do not count.
    pub warmup: u32,
    /// Runs of the dispatch in one call.
    pub batch_size: u32,
    /// Keep each command with what it printed.
    pub save_commands: bool,
    pub tags: Vec<(String, String)>,
    /// Flags for the compiler beside those of the target.
    pub compiler_flags: Vec<String>,
    pub seed: u64,
}

/// What happens.
#[derive(Debug)]
pub enum Event<'a> {
    /// A source was written, or is as it would be written.
    Generated { path: &'a Path, configurations: Vec<String>, skipped: Vec<(String, String)> },
    /// A tool is run for a dispatch or an operation.
    Command { what: &'a str, line: String },
    /// Modules of so many operations are there.
    Compiled { done: usize, total: usize, operation: &'a str, is_cached: bool },
    /// A dispatch is begun.
    Begins { done: usize, total: usize, dispatch: &'a str },
    /// A dispatch is done; `is_known` says that it was measured by an earlier command.
    Ended { row: &'a DispatchRun, is_known: bool },
}

/// How times are read from a bundle: who can ask it is given by who calls.
pub type ReadTimes<'a> = dyn FnMut(&Path) -> Result<Vec<Timed>, String> + 'a;

/// One timed run of a function, as a bundle has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    pub function: String,
    /// `device` or `host`.
    pub source: String,
    pub duration_ns: f64,
}
