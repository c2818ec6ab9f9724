//! Runs a capture and converts its outcome to the result of the command.

use std::path::Path;

use super::{progress, summary};
use crate::capture::plan::Wanted;
use crate::capture::{Report, Start, Stop, capture};
use crate::cli::error::{CliError, exit};
use crate::cli::signals::interrupted;

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
        None if report.is_interrupted => interrupted(summary::nothing(report, wanted, folder)),
        None => CliError::No(summary::nothing(report, wanted, folder)),
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
    let missing = summary::missing(report, wanted);
    let is_enough = !is_explicit && report.runs.iter().any(|run| run.bundle.is_some());
    if missing.is_empty() || is_enough {
        return Ok(exit::FINE);
    }
    Err(CliError::No(format!("not available: {}", missing.join(", "))))
}
