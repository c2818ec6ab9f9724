//! `capture` and `fill`: run IREE's tools and report what they recorded.

pub mod args;
mod dry;
pub mod fill;
mod perform;
mod progress;
mod summary;

use std::path::Path;

use self::args::Capture;
use self::perform::{finish, perform, start, trouble};
use super::error::{CliError, exit};
use super::names;
use super::signals::listen;
use crate::capture::plan::Wanted;
use crate::capture::{CaptureRequest, REPLAYER, command, undisturbing};

/// Runs `capture`. Returns the exit code.
pub fn run(args: &Capture) -> Result<u8, CliError> {
    let is_explicit = !(args.questions.is_empty() && args.modes.is_empty());
    let questions = if is_explicit { names::questions(&args.questions) } else { undisturbing() };
    let wanted = Wanted::of(questions, &args.modes, &args.running.counters);
    let (tool, arguments) = command(&args.tool)?;
    let is_replayer = Path::new(&tool).file_name().is_some_and(|name| name == REPLAYER);
    if args.running.replay && is_replayer {
        let what =
            format!("--replay cannot be used with {REPLAYER}, which replays a recording itself");
        return Err(CliError::Usage(what));
    }
    let request = CaptureRequest {
        wanted: wanted.clone(),
        tool,
        arguments,
        tool_folder: args.running.iree_bin_dir.clone(),
        folder: args.output.clone(),
        settings: args.running.settings(),
        ..CaptureRequest::default()
    };
    let stop = listen()?;
    let start = start(request, args.running.dry_run, &stop)?;
    if args.running.dry_run {
        return dry::print(&start).map(|()| exit::FINE);
    }
    let folder = start.folder.clone();
    let mut report = perform(start, &stop)?;
    // A signal ends the program from here on.
    drop(stop);
    let code = trouble(&mut report, &wanted, &folder);
    if report.has_recorded() {
        summary::print(&report, &wanted, &folder)?;
    }
    code.map_or_else(|| finish(&report, &wanted, is_explicit), Ok)
}
