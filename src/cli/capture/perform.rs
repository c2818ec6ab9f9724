//! Runs a capture and converts its outcome to the result of the command.

use std::path::Path;

use super::progress;
use crate::capture::plan::{Known, Wanted};
use crate::capture::{CaptureRequest, Report, Start, Stop, capture};
use crate::cli::error::{CliError, exit};
use crate::cli::flags::FLAGS;
use crate::cli::signals::interrupted;

/// Prepares a capture. In a dry run, the tool may be missing.
pub fn start(request: CaptureRequest, is_dry_run: bool, stop: &Stop) -> Result<Start, CliError> {
    match request.preview(stop)? {
        (start, None) => Ok(start),
        (start, Some(missing)) if is_dry_run => {
            eprintln!("ireescope: warning: {}", FLAGS.spell(&missing.to_string()));
            Ok(start)
        }
        (_, Some(missing)) => Err(missing.into()),
    }
}

/// Runs a capture and prints its progress on standard error.
pub fn perform(start: Start, stop: &Stop) -> Result<Report, CliError> {
    let mut progress = progress::Lines::default();
    Ok(capture(start, stop, &mut |event| progress.take(event))?)
}

/// Prints why the tool failed, or why nothing was recorded. Returns the exit code; `None` if neither is the case.
pub fn trouble(report: &mut Report, wanted: &Wanted, folder: &Path) -> Option<u8> {
    let error = match report.failure.take() {
        Some(failure) => CliError::Capture(failure),
        None if report.has_recorded() => return None,
        None if report.is_interrupted => interrupted(nothing(report, wanted, folder)),
        None => CliError::No(nothing(report, wanted, folder)),
    };
    error.report();
    Some(error.code())
}

/// Returns the result of a capture that recorded something. Fails if it was interrupted, or if something requested is
/// missing. Without explicit requests, any bundle is enough.
pub fn finish(report: &Report, wanted: &Wanted, is_explicit: bool) -> Result<u8, CliError> {
    if report.is_interrupted {
        return Err(interrupted("interrupted; the records so far are kept"));
    }
    let is_enough = !is_explicit && report.runs.iter().any(|run| run.bundle.is_some());
    if is_enough { Ok(exit::FINE) } else { complete(&report.known, wanted) }
}

/// Fails if something requested was not recorded.
pub fn complete(known: &Known, wanted: &Wanted) -> Result<u8, CliError> {
    let missing = known.missing(wanted);
    if missing.is_empty() {
        return Ok(exit::FINE);
    }
    Err(CliError::No(format!("not available: {}", missing.join(", "))))
}

/// Says why a capture recorded nothing: the reason of most modes in the first line, then what became of the folder,
/// then the other reasons.
fn nothing(report: &Report, wanted: &Wanted, folder: &Path) -> String {
    let mut nothing = report.nothing(wanted, folder);
    if nothing.is_unsupported {
        nothing.outcome.push_str("; --mode NAME asks for a mode anyway");
    }
    nothing.to_string()
}
