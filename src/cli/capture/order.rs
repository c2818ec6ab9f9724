//! The order of a capture: what to record, with which tool, and into which folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::args::Running;
use crate::capture::plan::{Known, Wanted};
use crate::capture::{CaptureError, Filters, Settings};
use crate::cli::error::CliError;

/// The order of a capture, from the flags or from an earlier capture.
#[derive(Debug)]
pub struct Order {
    pub wanted: Wanted,
    /// What is known before the first run.
    pub known: Known,
    pub tool: String,
    pub arguments: Vec<String>,
    /// Environment variables in addition to the inherited ones.
    pub environment: BTreeMap<String, String>,
    pub directory: PathBuf,
    pub folder: PathBuf,
    /// A bundle from elsewhere that becomes part of the set.
    pub given: Option<PathBuf>,
    pub settings: Settings,
}

/// Converts flags to settings.
pub fn settings(running: &Running) -> Settings {
    Settings {
        filters: Filters {
            function: running.filter_function.clone(),
            command_buffer: running.filter_command_buffer,
            command_index: running.filter_command_index,
            physical_device: running.filter_physical_device,
            queue: running.filter_queue,
        },
        flush_interval_ms: running.flush_interval_ms,
        repeat: running.repeat,
        time_limit: running.time_limit,
        replay: running.replay,
        statistics: running.print_device_statistics,
    }
}

/// Splits a command into the tool and its arguments. Fails on flags that only this program may set.
pub fn command(words: &[String]) -> Result<(String, Vec<String>), CliError> {
    let Some((tool, arguments)) = words.split_first() else {
        return Err(CliError::Usage(
            "give the tool and its arguments after --, as in: -- iree-run-module --module=m.vmfb"
                .into(),
        ));
    };
    let ours = arguments.iter().find(|word| {
        word.starts_with("--device_profiling_") || word.starts_with("--device_replay_output")
    });
    if let Some(flag) = ours {
        let flag = flag.split('=').next().unwrap_or_default();
        return Err(CliError::Usage(format!(
            "{flag} is set by this command; use --for, --mode, --counter, --filter-…, --flush-interval-ms and --replay before --"
        )));
    }
    Ok((tool.clone(), arguments.to_vec()))
}

/// Returns the working directory.
pub fn here() -> Result<PathBuf, CliError> {
    std::env::current_dir()
        .map_err(|source| CliError::System { action: "find the working directory", source })
}

/// True if the error is that the tool was not found.
pub const fn is_no_tool(error: &CaptureError) -> bool {
    matches!(error, CaptureError::NoTool { .. })
}
