//! What is said of a history that cannot be used, with the flags and commands that are meant.

use crate::cli::error::CliError;
use crate::cli::judging::unmatched;
use crate::tracking::TrackingError;

impl From<TrackingError> for CliError {
    fn from(error: TrackingError) -> Self {
        let listing = "; `ireescope history list` shows its entries";
        match error {
            TrackingError::Open(error) => error.into(),
            TrackingError::Bundle(error) => error.into(),
            TrackingError::Engine(error) => error.into(),
            TrackingError::History(error) => error.into(),
            TrackingError::Compare(error) => error.into(),
            TrackingError::IsHistory(_) | TrackingError::SeveralEntries(_) => {
                Self::Usage(error.to_string())
            }
            TrackingError::NoTimes(_) => {
                Self::Usage(format!("{error}; `ireescope gaps` tells how to capture them"))
            }
            TrackingError::NoEntry | TrackingError::UnknownEntry { .. } => {
                Self::Unjudged(format!("{error}{listing}"))
            }
            TrackingError::DifferentLabels { .. } => Self::Usage(format!(
                "{error}; say with --label which the bundles have, or with --across that a label does not matter"
            )),
            TrackingError::IsBaseline { .. } => {
                Self::Unjudged(format!("{error}; add a new result, or compare with --window"))
            }
            TrackingError::NoMatch { pattern, names } => {
                Self::Usage(unmatched("--filter", &pattern, &names))
            }
        }
    }
}
