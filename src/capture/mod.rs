//! Captures profiles: plans the runs that answer the wanted questions, runs IREE's tools, and plans again when a driver
//! refuses a mode or counter.
//!
//! The result is a capture set ([`crate::bundle::set`]): a folder of bundles with a manifest, opened like any other
//! bundles.
//! Invariant: this layer prints nothing and runs no queries. It reports its progress as [`Event`]s.

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

/// The options of a capture.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub filters: Filters,
    pub flush_interval_ms: Option<u32>,
    /// How many times each run is done; 0 means once.
    pub repeat: u32,
    pub time_limit: Option<Duration>,
    /// Record the work once and profile replays of it.
    pub replay: bool,
    /// Add a run in which the tool prints its device statistics.
    pub statistics: bool,
}

/// A progress event.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run begins.
    Begins { name: &'a str, what: &'a str },
    /// A run is still going; `bytes` is the size of its bundle so far.
    GoesOn { name: &'a str, elapsed: Duration, bytes: u64 },
    /// The driver or the tool refused a request; the remaining runs are planned again.
    Refused { name: &'a str, what: &'a str, reason: &'a str },
    /// A run has ended.
    Ended {
        name: &'a str,
        outcome: Outcome,
        got: &'a [&'static str],
        bytes: u64,
        elapsed: Duration,
    },
}

/// A stop request, made from another thread.
#[derive(Debug, Default)]
pub struct Stop {
    asked: AtomicU32,
    /// The process groups that are running.
    groups: Mutex<Vec<u32>>,
}

impl Stop {
    /// Requests a stop. Returns the number of requests so far.
    pub fn ask(&self) -> u32 {
        self.asked.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Whether a stop was requested.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }

    /// Whether a stop was requested more than once: the tool is then killed without waiting for the grace period.
    pub fn is_urgent(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 1
    }

    /// Kills all running process groups, for a caller that exits the program.
    pub fn kill(&self) {
        self.groups().iter().for_each(|group| process::kill(*group));
    }

    /// Registers a running process group.
    fn begin(&self, group: u32) {
        self.groups().push(group);
    }

    /// Removes a process group that has ended.
    fn end(&self, group: u32) {
        self.groups().retain(|known| *known != group);
    }

    fn groups(&self) -> MutexGuard<'_, Vec<u32>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a capture, or one of its runs, failed.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The tool was not found.
    #[error(
        "there is no {tool} {looked}; install it (pip install {}), name its folder with --iree-bin-dir, or give its path",
        package(tool)
    )]
    NoTool { tool: String, looked: String },
    /// The `--help` of the tool lists no profiling flags: it is another program, or too old.
    #[error("{} cannot profile: its --help does not list --device_profiling_mode; IREE's tools have it from 3.12 on", path.display())]
    CannotProfile { path: PathBuf },
    /// The tool could not be started.
    #[error("cannot run {}", path.display())]
    Start { path: PathBuf, source: std::io::Error },
    /// The tool failed, or wrote no bundle.
    #[error("{tool} {ended}; {kept}\nits last lines, of {}:\n{}", log.display(), indented(.last))]
    Failed {
        tool: String,
        /// How it ended: `failed with exit code 1`, `was ended by signal 6`.
        ended: String,
        /// What was kept of the bundle, in words.
        kept: String,
        log: PathBuf,
        last: Vec<String>,
    },
    /// The recording to replay is missing or incomplete.
    #[error("there is no recording to replay: {why}; what there is of it is not profiled")]
    NoReplay { why: String },
    /// Another capture holds the lock of the set's folder.
    #[error("another capture into {} is under way; wait for it, or capture into another folder", .0.display())]
    Busy(PathBuf),
    /// A file or folder of the set could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    /// An existing set or bundle could not be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The folder is neither empty nor a capture set.
    #[error("{} is not empty and no capture set; capture into a folder of its own", .0.display())]
    NotASet(PathBuf),
}

/// Returns the Python package that installs a tool.
fn package(tool: &str) -> &'static str {
    if tool.ends_with("iree-compile") { "iree-base-compiler" } else { "iree-base-runtime" }
}

fn indented(lines: &[String]) -> String {
    if lines.is_empty() {
        return "  (it printed nothing)".to_owned();
    }
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
