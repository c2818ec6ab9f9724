//! Captures: plans the runs that answer questions, runs IREE's tools, and learns from what they refuse.
//!
//! What comes out is a capture set ([`crate::bundle::set`]): bundles like any others, which enter where all bundles do.
//! Invariant: this layer prints nothing and runs no queries. It says what happens through [`Event`]s.

mod attempt;
mod facts;
pub mod find;
mod learn;
mod look;
mod passing;
pub mod plan;
pub mod process;
mod refusal;
mod session;
mod tool;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use look::modes;
pub use session::{Report, Start, capture, held, held_by};
pub use tool::{Filters, Spelling, Tool, command_line};

use crate::bundle::BundleError;
use crate::bundle::set::Outcome;

/// How to capture.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub filters: Filters,
    pub flush_interval_ms: Option<u32>,
    /// How often each run is done; 0 is once.
    pub repeat: u32,
    pub time_limit: Option<Duration>,
    /// Record the work once and profile its replay.
    pub replay: bool,
    /// Let the tool print its statistics, in a run of its own.
    pub statistics: bool,
}

/// What happens while runs are done.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run begins.
    Begins { name: &'a str, what: &'a str },
    /// It still goes on; its bundle has grown to this size.
    GoesOn { name: &'a str, elapsed: Duration, bytes: u64 },
    /// The driver or the tool refused something, and another attempt follows.
    Refused { name: &'a str, what: &'a str, reason: &'a str },
    /// A run is over.
    Ended {
        name: &'a str,
        outcome: Outcome,
        got: &'a [&'static str],
        bytes: u64,
        elapsed: Duration,
    },
}

/// Asks for an early end, from another thread.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// One that nobody has asked for.
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Asks.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why nothing more was captured.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The tool is nowhere.
    #[error(
        "there is no {tool} {looked}; install it (pip install {}), name its folder with --iree-bin-dir, or give its path",
        package(tool)
    )]
    NoTool { tool: String, looked: String },
    /// The tool is there, but is no such tool or too old.
    #[error("{} cannot profile: its --help does not list --device_profiling_mode; IREE's tools have it from 3.12 on", path.display())]
    CannotProfile { path: PathBuf },
    /// It could not be started.
    #[error("cannot run {}", path.display())]
    Start { path: PathBuf, source: std::io::Error },
    /// It failed on its own.
    #[error("{tool} {ended}; {kept}\nits last lines, of {}:\n{}", log.display(), indented(.last))]
    Failed {
        tool: String,
        /// How: `exited with 1`, `was ended by signal 6`.
        ended: String,
        /// What is left of the bundle.
        kept: String,
        log: PathBuf,
        last: Vec<String>,
    },
    /// A file of the set.
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    /// The set that is there.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The folder holds something else.
    #[error("{} is not empty and no capture set; capture into a folder of its own", .0.display())]
    NotASet(PathBuf),
}

/// The package that a tool is of.
fn package(tool: &str) -> &'static str {
    if tool.ends_with("iree-compile") { "iree-base-compiler" } else { "iree-base-runtime" }
}

fn indented(lines: &[String]) -> String {
    if lines.is_empty() {
        return "  (it printed nothing)".to_owned();
    }
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
