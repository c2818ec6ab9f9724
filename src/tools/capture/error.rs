//! Errors of a capture.

use std::io;
use std::path::{Path, PathBuf};

use read::bundle::BundleError;

/// Why a capture, or one of its runs, failed.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The tool was not found.
    #[error(
        "there is no {tool} {looked}; install it (pip install {}), set option `iree_bin_dir` to its folder, or give its path",
        package(tool)
    )]
    NoTool { tool: String, looked: String },
    /// The `--help` of the tool lists no profiling flags: it is another program, or too old.
    #[error("{} cannot profile: its --help does not list --device_profiling_mode, which IREE's tools have since version 3.12", path.display())]
    CannotProfile { path: PathBuf },
    /// The tool could not be started.
    #[error("cannot run {}", path.display())]
    Start { path: PathBuf, source: io::Error },
    /// The tool failed, or wrote no bundle.
    #[error("{why}\n{kept}{}{}", whereabouts(place), indented(others))]
    Failed {
        /// The tool, how it ended, and the line of its output that says why: `iree-run-module failed: NOT_FOUND; …`.
        why: String,
        /// What was recorded, in words.
        kept: String,
        place: Place,
        /// The last lines of the same output besides the cause.
        others: Vec<String>,
    },
    /// The recording to replay is missing or incomplete.
    #[error("there is no complete recording to replay: {why}")]
    NoReplay { why: String },
    /// Another capture holds the lock of the set's folder.
    #[error("another capture into {} is running; wait for it, or capture into another folder", .0.display())]
    Busy(PathBuf),
    /// A file or folder of the set could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    /// An existing set or bundle could not be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// There is no command to run.
    #[error("give the tool and its arguments")]
    NoCommand,
    /// The command has a flag that only a capture may set.
    #[error("{0} is set by this command")]
    ReservedFlag(String),
    /// A mode is too large to be recorded of all dispatches.
    #[error("{0} of all dispatches are very large and slow to record")]
    Bulky(&'static str),
    /// The working directory is unknown.
    #[error("cannot find the working directory")]
    Directory(#[source] io::Error),
    /// The folder is neither empty nor a capture set.
    #[error("{} is neither empty nor a capture set; capture into another folder", .0.display())]
    NotASet(PathBuf),
}

/// Formats an error with its causes in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Where the output of a failed tool is.
#[derive(Debug)]
pub enum Place {
    /// In this file.
    Log(PathBuf),
    /// Nowhere: this folder was removed, because nothing was recorded into it.
    Removed(PathBuf),
}

impl CaptureError {
    /// Returns a function that wraps the error of an operation on a file or folder.
    pub fn file(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::File { action, path: path.to_owned(), source }
    }

    /// Notes that the folder of the set was removed, and the output of the tool with it.
    #[must_use]
    pub fn without(self, folder: &Path) -> Self {
        match self {
            Self::Failed { why, kept, others, .. } => {
                Self::Failed { why, kept, place: Place::Removed(folder.to_owned()), others }
            }
            other => other,
        }
    }
}

/// Returns the path from the working directory on, if it is below it.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    below.filter(|path| !path.as_os_str().is_empty()).unwrap_or(path).display().to_string()
}

fn whereabouts(place: &Place) -> String {
    match place {
        Place::Log(path) => format!("; its output is in {}", shown(path)),
        Place::Removed(folder) => format!(", so the folder {} was removed again", shown(folder)),
    }
}

/// Returns the Python package that installs a tool.
fn package(tool: &str) -> &'static str {
    if tool.ends_with("iree-compile") { "iree-base-compiler" } else { "iree-base-runtime" }
}

fn indented(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("\n  {line}")).collect();
    format!("\nother last lines of its output:{}", lines.concat())
}
