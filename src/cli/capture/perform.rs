//! Runs a capture and converts its outcome to the result of the command.

use std::sync::Arc;

use super::{progress, summary};
use crate::capture::plan::Wanted;
use crate::capture::{Report, Start, Stop, capture};
use crate::cli::error::CliError;
use crate::cli::signals::listen;

/// Runs a capture and prints its progress on standard error.
pub fn perform(start: Start) -> Result<Report, CliError> {
    let stop = Arc::new(Stop::default());
    listen(&stop)?;
    let mut progress = progress::Lines::default();
    Ok(capture(start, &stop, &mut |event| progress.take(event))?)
}

/// Returns the result of the command. Fails if the tool failed, if the capture was interrupted, or if something
/// requested is missing. Without explicit requests, any bundle is enough.
pub fn finish(mut report: Report, wanted: &Wanted, is_explicit: bool) -> Result<(), CliError> {
    if let Some(failure) = report.failure.take() {
        return Err(CliError::Capture(failure));
    }
    if report.is_interrupted {
        return Err(CliError::No("interrupted; the records so far are kept".into()));
    }
    let missing = summary::missing(&report, wanted);
    let is_enough = !is_explicit && report.runs.iter().any(|run| run.bundle.is_some());
    if missing.is_empty() || is_enough {
        return Ok(());
    }
    Err(CliError::No(format!("not available: {}", missing.join(", "))))
}
