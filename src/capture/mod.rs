//! Captures: plans the runs that answer questions, runs IREE's tools, and learns from what they refuse.
//!
//! What comes out is a capture set ([`crate::bundle::set`]): bundles like any others, which enter where all bundles do.
//! Invariant: this layer prints nothing and runs no queries. It says what happens through [`Event`]s.

mod attempt;
mod facts;
pub mod find;
mod folder;
mod learn;
mod look;
mod passing;
pub mod plan;
pub mod process;
mod refusal;
mod session;
mod tool;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use facts::{device, now};
pub use folder::{has, lock};
pub use look::modes;
pub use passing::{Passes, REPLAYER, passes, recording, replayed, replayer};
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
pub struct Stop {
    asked: AtomicU32,
    /// The groups of processes that run.
    groups: Mutex<Vec<u32>>,
}

impl Stop {
    /// Asks, and says how often that has been done.
    pub fn ask(&self) -> u32 {
        self.asked.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }

    /// Whether somebody asked again, and will not wait.
    pub fn is_urgent(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 1
    }

    /// Ends what runs, for whoever ends the program.
    pub fn kill(&self) {
        self.groups().iter().for_each(|group| process::kill(*group));
    }

    /// A group of processes runs.
    fn begin(&self, group: u32) {
        self.groups().push(group);
    }

    /// It runs no more.
    fn end(&self, group: u32) {
        self.groups().retain(|known| *known != group);
    }

    fn groups(&self) -> MutexGuard<'_, Vec<u32>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// What was to be profiled again and again was not recorded.
    #[error("there is no recording to replay: {why}; what there is of it is not profiled")]
    NoReplay { why: String },
    /// Somebody else writes into the set.
    #[error("another capture into {} is under way; wait for it, or capture into another folder", .0.display())]
    Busy(PathBuf),
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
