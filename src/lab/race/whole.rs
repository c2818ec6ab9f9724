//! Finds the run of a capture that was done to its end, and lets the next one record the same.

use std::mem::take;
use std::path::Path;

use read::bundle::set::{Outcome, Run};
use tools::capture::plan::Known;
use tools::capture::{Report, Start};

use super::error::RunError;

/// Returns the run of a report that was done to its end and answers the questions. If there is none, the error has what is
/// left of the report. The next capture of `start` records the same again.
pub fn whole(report: &mut Report, start: &mut Start, folder: &Path) -> Result<Run, RunError> {
    if let Some(failure) = report.failure.take() {
        return Err(failure.into());
    }
    if report.is_interrupted {
        return Err(RunError::Interrupted);
    }
    if !report.has_recorded() {
        let (wanted, folder) = (start.wanted.clone(), folder.to_owned());
        return Err(RunError::Nothing { report: taken(report), wanted, folder });
    }
    let mut questions = start.wanted.questions.iter().copied();
    if let Some(question) = questions.find(|it| report.known.answer(it).is_none()) {
        return Err(RunError::Unanswered { report: taken(report), question });
    }
    let is_whole = |run: &&Run| run.outcome == Outcome::Captured && run.bundle.is_some();
    let run = report.runs.iter().rfind(is_whole).cloned().ok_or(RunError::NoEnd)?;
    start.known = Known { captured: Vec::new(), before: 0, ..take(&mut report.known) };
    Ok(run)
}

/// Moves the contents of a report.
fn taken(report: &mut Report) -> Box<Report> {
    Box::new(Report {
        known: take(&mut report.known),
        runs: take(&mut report.runs),
        failure: report.failure.take(),
        is_interrupted: report.is_interrupted,
        is_removed: report.is_removed,
        manifest: take(&mut report.manifest),
    })
}
