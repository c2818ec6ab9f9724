//! What is said of a race or a run that fails.

use std::path::Path;

use crate::bundle::set::Run;
use crate::capture::{Report, Start};
use crate::cli::capture::summary::{answer, nothing};
use crate::cli::error::CliError;
use crate::race::{self, RaceError, RunError};

impl From<RaceError> for CliError {
    fn from(error: RaceError) -> Self {
        match error {
            RaceError::Capture(error) => error.into(),
            RaceError::Run(error) => error.into(),
            RaceError::Compare(error) => error.into(),
            RaceError::OtherCommands(_) => {
                Self::Usage(format!("{error}; give the race a folder of its own with --output"))
            }
            RaceError::OtherSide { .. } => Self::Usage(format!(
                "{error}: give --seed as when the race began, or another --output"
            )),
            RaceError::NotComparable(_) | RaceError::NoClock(_) | RaceError::OtherClock { .. } => {
                Self::Unjudged(error.to_string())
            }
        }
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Capture(error) => error.into(),
            RunError::Nothing { report, wanted, folder } => {
                Self::Unjudged(nothing(&report, &wanted, &folder))
            }
            RunError::Unanswered { report, question } => {
                Self::Unjudged(format!("{} is {}", question.name, answer(&report, question)))
            }
            RunError::Interrupted | RunError::NoEnd => Self::Unjudged(error.to_string()),
        }
    }
}

/// Why a capture has no run with kernel times.
pub enum End {
    Interrupted,
    Failed(CliError),
}

/// Returns the run of a report that was done to its end and answers the question.
pub fn whole(report: &mut Report, start: &Start, folder: &Path) -> Result<Run, End> {
    race::whole(report, start, folder).map_err(|error| match error {
        RunError::Interrupted => End::Interrupted,
        error => End::Failed(error.into()),
    })
}
