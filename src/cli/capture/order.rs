//! The parts of the start of a capture, from the flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::args::Running;
use crate::bundle::set::ToolFacts;
use crate::capture::plan::{Known, Wanted, plan};
use crate::capture::{
    CaptureError, Filters, Settings, Spelling, Start, Stop, Tool, device, driver_of, unsupported,
    values,
};
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use schemas::questions::{is_bulky, question};

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
        may_be_bulky: running.all,
        options: FLAGS,
    }
}

/// Fails if a mode is planned for all dispatches that is too large for that, unless `--all` allows it.
pub fn check_filters(wanted: &Wanted, known: &Known, settings: &Settings) -> Result<(), CliError> {
    let planned = plan(wanted, known);
    let bulky = planned.iter().flat_map(|run| &run.modes).find(|mode| is_bulky(mode));
    match bulky {
        Some(mode) if !settings.may_be_bulky && !settings.filters.is_narrow() => {
            Err(CliError::Usage(format!(
                "{mode} of all dispatches are very large and slow to record; choose some with --function '*NAME*', --filter-command-buffer or --filter-command-index, or allow all with --all"
            )))
        }
        _ => Ok(()),
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

/// Finds a tool. In a dry run it may be missing.
pub fn tool(name: &str, running: &Running, stop: &Stop) -> Result<Tool, CliError> {
    match Tool::find(name, running.iree_bin_dir.as_deref(), stop) {
        Err(error @ CaptureError::NoTool { .. }) if running.dry_run => {
            eprintln!("ireescope: warning: {}", FLAGS.spell(&error.to_string()));
            let facts = ToolFacts {
                name: name.to_owned(),
                path: name.into(),
                version: None,
                revision: None,
                compiler_version: None,
            };
            Ok(Tool { facts, spelling: Spelling::NEWEST })
        }
        found => Ok(found?),
    }
}

/// Returns what is known before the first run: the modes that the driver of the devices never records, except those that were
/// requested by name.
pub fn known(wanted: &Wanted, arguments: &[String], directory: &Path) -> Known {
    let devices = device(arguments, directory);
    let mut refused = devices.as_deref().and_then(driver_of).map(unsupported).unwrap_or_default();
    refused.retain(|mode, _| !wanted.modes.contains(mode));
    Known { refused, ..Known::default() }
}

/// Returns the start of captures of a command that record its kernel times.
pub fn of_kernel_times(
    (tool, arguments): (String, Vec<String>),
    bin: Option<&Path>,
    stop: &Stop,
) -> Result<Start, CliError> {
    let directory = here()?;
    let questions = question("kernel-time").into_iter().collect();
    let wanted = Wanted { questions, ..Wanted::default() };
    Ok(Start {
        known: known(&wanted, &arguments, &directory),
        wanted,
        directory,
        tool: Tool::find(&tool, bin, stop)?,
        arguments,
        environment: BTreeMap::new(),
        folder: PathBuf::new(),
        side: None,
        given: None,
        settings: Settings { options: FLAGS, ..Settings::default() },
    })
}

/// Returns an unused folder name in the working directory, derived from the module, the replay or the tool, such as
/// `m.capture`.
pub fn free_folder(tool: &str, arguments: &[String], end: &str) -> PathBuf {
    folders(tool, arguments, end).find(|path| !path.exists()).unwrap_or_default()
}

/// Returns the last folder before the unused one, if any.
pub fn last_folder(tool: &str, arguments: &[String], end: &str) -> Option<PathBuf> {
    folders(tool, arguments, end).take_while(|path| path.exists()).last()
}

fn folders(tool: &str, arguments: &[String], end: &str) -> impl Iterator<Item = PathBuf> {
    let module = values(arguments, "--module").pop();
    let replay = arguments.iter().rev().find(|word| word.ends_with(".ireereplay"));
    let subject = module.or(replay.map(String::as_str)).unwrap_or(tool);
    let stem = Path::new(subject).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let first = format!("{stem}.{end}");
    let numbered = (2..=u32::MAX).map(move |number| format!("{stem}.{end}-{number}"));
    std::iter::once(first).chain(numbered).map(PathBuf::from)
}
