//! Why a race fails.

use std::path::PathBuf;

use schemas::Clock;
use schemas::questions::Question;

use tools::capture::plan::Wanted;
use tools::capture::{CaptureError, Report, chain};
use workspace::comparison::CompareError;

/// Why a race fails.
#[derive(Debug, thiserror::Error)]
pub enum RaceError {
    /// The capture set could not be opened or made.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A run could not be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The times of a run could not be read.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The folder has other runs.
    #[error("{} has runs of other commands or modules", .0.display())]
    OtherCommands(PathBuf),
    /// An earlier race had another order.
    #[error("{run} in {} is of the other side", folder.display())]
    OtherSide { run: String, folder: PathBuf },
    /// The times of both sides say nothing about their code.
    #[error("the sides are not comparable: {0}")]
    NotComparable(String),
    /// No clock timed both sides.
    #[error("{0}")]
    NoClock(String),
    /// A run lacks the clock of the others.
    #[error("{run} has no times on the {clock}'s clock, but earlier runs have")]
    OtherClock { run: String, clock: Clock },
}

/// Why a capture has no run with kernel times.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The tool could not be run, or failed.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A stop was requested.
    #[error("interrupted")]
    Interrupted,
    /// Nothing was recorded.
    #[error("nothing was recorded")]
    Nothing { report: Box<Report>, wanted: Wanted, folder: PathBuf },
    /// What was recorded does not answer a question.
    #[error("{} is not answered", question.name)]
    Unanswered { report: Box<Report>, question: &'static Question },
    /// The tool ended early.
    #[error("the tool did not come to its end")]
    NoEnd,
}

impl RunError {
    /// Returns the message with all causes.
    pub fn explained(&self) -> String {
        match self {
            Self::Capture(error) => chain(error),
            Self::Nothing { report, wanted, folder } => report.nothing(wanted, folder).to_string(),
            Self::Unanswered { report, question } => {
                format!("{} is {}", question.name, report.known.conclude(question))
            }
            other => other.to_string(),
        }
    }
}
