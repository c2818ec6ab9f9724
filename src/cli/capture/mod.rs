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
use self::perform::{finish, perform};
use super::error::CliError;
use super::names;
use crate::capture::plan::Known;
use crate::capture::{REPLAYER, Start};

/// Runs `capture`.
pub fn run(args: &Capture) -> Result<(), CliError> {
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
    let start = Start {
        wanted: wanted.clone(),
        known: Known::default(),
        directory: here()?,
        tool: order::tool(&tool, &args.running)?,
        arguments,
        environment: BTreeMap::new(),
        folder: folder.clone(),
        given: None,
        settings: settings(&args.running),
    };
    if args.running.dry_run {
        return dry::print(&start);
    }
    let report = perform(start)?;
    summary::print(&report, &wanted, &folder)?;
    finish(report, &wanted, is_explicit)
}

/// Returns an unused folder name, derived from the module, the replay or the tool.
fn free_folder(arguments: &[String], tool: &str) -> PathBuf {
    let module = arguments.iter().rev().find_map(|word| word.strip_prefix("--module="));
    let replay = arguments.iter().rev().find(|word| word.ends_with(".ireereplay"));
    let subject = module.or(replay.map(String::as_str)).unwrap_or(tool);
    let stem = Path::new(subject).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..=u32::MAX).map(|number| format!("{stem}.capture-{number}"));
    let names = std::iter::once(format!("{stem}.capture")).chain(numbered);
    names.map(PathBuf::from).find(|path| !path.exists()).unwrap_or_default()
}
