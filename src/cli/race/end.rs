//! What is said of a race or a run that fails.

use crate::cli::error::CliError;
use crate::cli::signals::interrupted;
use crate::race::{RaceError, RunError};

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
            RunError::Interrupted => interrupted(error.to_string()),
            other => Self::Unjudged(other.explained()),
        }
    }
}
