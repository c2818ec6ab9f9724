//! Why sides cannot be compared.

use engine::EngineError;
use read::bundle::BundleError;

use crate::OpenError;

/// Why sides cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A side could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The manifest of a race or the bytes of a bundle could not be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is only one side, which is no race, or a capture set without one.
    #[error("{argument} is one side; give a second one, or the capture set of a race")]
    OneSide { argument: String, is_set: bool },
    /// A race has no whole run of a side.
    #[error("the race in {argument} has no whole run of the side {side}; race again")]
    UnfinishedRace { argument: String, side: String },
    /// Control functions were named for a race, which needs none.
    #[error(
        "times of a race need no control functions: comparing neighboring runs already cancels the drift of the machine"
    )]
    ControlOfRace,
    /// No function of a side matches the filter. There are these names.
    #[error("{side} has no times to compare: no function matches {pattern}")]
    NoMatch { side: String, pattern: String, names: Vec<String> },
    /// A side has no times.
    #[error("{side} has no times to compare: {reason}")]
    NoTimes { side: String, reason: &'static str },
    /// No clock timed all runs.
    #[error("{reason}")]
    NoClock { reason: String, measure: &'static str },
    /// No function of the baseline matches the pattern of control functions. There are these names.
    #[error("no function matches {pattern}, so there is no control function")]
    NoControl { pattern: String, names: Vec<String> },
    /// Some runs have no control functions.
    #[error(
        "not every run has functions that are the same in {base} and {new}; name control functions"
    )]
    Uncorrected { base: String, new: String },
}
