//! Errors of a capture.

use std::path::PathBuf;

use crate::bundle::BundleError;

/// Why a capture, or one of its runs, failed.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The tool was not found.
    #[error(
        "there is no {tool} {looked}; install it (pip install {}), set --iree-bin-dir to its folder, or give its path",
        package(tool)
    )]
    NoTool { tool: String, looked: String },
    /// The `--help` of the tool lists no profiling flags: it is another program, or too old.
    #[error("{} cannot profile: its --help does not list --device_profiling_mode, which IREE's tools have since version 3.12", path.display())]
    CannotProfile { path: PathBuf },
    /// The tool could not be started.
    #[error("cannot run {}", path.display())]
    Start { path: PathBuf, source: std::io::Error },
    /// The tool failed, or wrote no bundle.
    #[error("{tool} {ended}; {kept}\nlast lines of {}:\n{}", log.display(), indented(.last))]
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
    #[error("there is no complete recording to replay: {why}")]
    NoReplay { why: String },
    /// Another capture holds the lock of the set's folder.
    #[error("another capture into {} is running; wait for it, or capture into another folder", .0.display())]
    Busy(PathBuf),
    /// A file or folder of the set could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    /// An existing set or bundle could not be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The folder is neither empty nor a capture set.
    #[error("{} is neither empty nor a capture set; capture into another folder", .0.display())]
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
