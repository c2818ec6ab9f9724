//! An order to capture: what, with which tool, and where.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::args::Running;
use crate::capture::plan::{Known, Wanted};
use crate::capture::{CaptureError, Filters, Settings};
use crate::cli::error::CliError;

/// What is to be captured, and where.
#[derive(Debug)]
pub struct Order {
    pub wanted: Wanted,
    /// What is known before anything runs.
    pub known: Known,
    pub tool: String,
    pub arguments: Vec<String>,
    /// Variables for the tool, beside those that it has anyway.
    pub environment: BTreeMap<String, String>,
    pub directory: PathBuf,
    pub folder: PathBuf,
    pub given: Option<PathBuf>,
    pub settings: Settings,
}

/// The settings that the flags ask for.
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

/// The tool and its arguments, without flags that are ours to give.
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
            "leave {flag} to this command: --for, --mode, --counter, --filter-…, --flush-interval-ms and --replay stand before --"
        )));
    }
    Ok((tool.clone(), arguments.to_vec()))
}

/// The working directory.
pub fn here() -> Result<PathBuf, CliError> {
    std::env::current_dir()
        .map_err(|source| CliError::System { action: "find the working directory", source })
}

/// Whether an error only says that the tool is not there.
pub const fn is_no_tool(error: &CaptureError) -> bool {
    matches!(error, CaptureError::NoTool { .. })
}
