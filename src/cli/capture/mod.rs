//! `capture` and `fill`: run IREE's tools and report what they recorded.

pub mod args;
mod before;
mod dry;
pub mod fill;
pub mod order;
pub mod perform;
pub mod progress;
mod subject;
pub mod summary;

use std::collections::BTreeMap;
use std::path::Path;

use self::args::Capture;
use self::order::{command, free_folder, here, settings};
use self::perform::{finish, perform, trouble};
use super::error::{CliError, exit};
use super::names;
use super::signals::listen;
use crate::capture::{REPLAYER, Start};

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
    let directory = here()?;
    let known = order::known(&wanted, &arguments, &directory);
    let settings = settings(&args.running);
    order::check_filters(&wanted, &known, &settings)?;
    let folder = args.output.clone().unwrap_or_else(|| free_folder(&tool, &arguments, "capture"));
    let stop = listen()?;
    let start = Start {
        wanted: wanted.clone(),
        known,
        directory,
        tool: order::tool(&tool, &args.running, &stop)?,
        arguments,
        environment: BTreeMap::new(),
        folder: folder.clone(),
        side: None,
        given: None,
        settings,
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
