//! `capture` and `fill`: run IREE's tools and report what they recorded.

pub mod args;
mod before;
mod dry;
pub mod fill;
mod order;
mod perform;
mod progress;
mod subject;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::args::Capture;
use self::order::{command, here, settings};
use self::perform::{finish, listening, perform, trouble};
use super::error::{CliError, exit};
use super::names;
use crate::capture::plan::{Known, Wanted};
use crate::capture::{REPLAYER, Start, device, driver_of, unsupported, values};

/// Runs `capture`. Returns the exit code.
pub fn run(args: &Capture) -> Result<u8, CliError> {
    let is_explicit = !(args.questions.is_empty() && args.modes.is_empty());
    let questions = if is_explicit { names::questions(&args.questions) } else { args::harmless() };
    let wanted = args::wanted(questions, &args.modes, &args.running.counters);
    let (tool, arguments) = command(&args.tool)?;
    let is_replayer = Path::new(&tool).file_name().is_some_and(|name| name == REPLAYER);
    if args.running.replay && is_replayer {
        let what =
            format!("--replay cannot be used with {REPLAYER}, which replays a recording itself");
        return Err(CliError::Usage(what));
    }
    let folder = args.output.clone().unwrap_or_else(|| free_folder(&arguments, &tool));
    let directory = here()?;
    let stop = listening()?;
    let start = Start {
        wanted: wanted.clone(),
        known: known(&wanted, device(&arguments, &directory).as_deref()),
        directory,
        tool: order::tool(&tool, &args.running, &stop)?,
        arguments,
        environment: BTreeMap::new(),
        folder: folder.clone(),
        given: None,
        settings: settings(&args.running),
    };
    if args.running.dry_run {
        return dry::print(&start).map(|()| exit::FINE);
    }
    let mut report = perform(start, &stop)?;
    // A signal ends the program from here on.
    drop(stop);
    let code = trouble(&mut report, &wanted, &folder);
    if report.has_recorded() {
        summary::print(&report, &wanted, &folder)?;
    }
    code.map_or_else(|| finish(&report, &wanted, is_explicit), Ok)
}

/// Returns the modes that the driver of the devices never records, except those that were requested by name.
fn known(wanted: &Wanted, devices: Option<&str>) -> Known {
    let mut refused = devices.and_then(driver_of).map(unsupported).unwrap_or_default();
    refused.retain(|mode, _| !wanted.modes.contains(mode));
    Known { refused, ..Known::default() }
}

/// Returns an unused folder name in the working directory, derived from the module, the replay or the tool.
fn free_folder(arguments: &[String], tool: &str) -> PathBuf {
    let module = values(arguments, "--module").pop();
    let replay = arguments.iter().rev().find(|word| word.ends_with(".ireereplay"));
    let subject = module.or(replay.map(String::as_str)).unwrap_or(tool);
    let stem = Path::new(subject).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..=u32::MAX).map(|number| format!("{stem}.capture-{number}"));
    let names = std::iter::once(format!("{stem}.capture")).chain(numbered);
    names.map(PathBuf::from).find(|path| !path.exists()).unwrap_or_default()
}
