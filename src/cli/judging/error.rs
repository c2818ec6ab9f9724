//! What is said of sides that cannot be compared, with the flags that are meant.

use crate::cli::error::CliError;
use crate::cli::nothing::Asked;
use crate::comparison::CompareError;

impl From<CompareError> for CliError {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Open(error) => error.into(),
            CompareError::Bundle(error) => error.into(),
            CompareError::Engine(error) => error.into(),
            CompareError::OneSide { argument, is_set } => {
                let what = if is_set { ", because none of its runs is one of a race" } else { "" };
                Self::Usage(format!(
                    "{argument} is one side{what}; give a second one, as in `compare BASE NEW`, or the capture set of a race"
                ))
            }
            CompareError::UnfinishedRace { .. } => Self::Usage(error.to_string()),
            CompareError::ControlOfRace => Self::Usage(
                "--control and a race exclude each other: a race already cancels drift of the machine".to_owned(),
            ),
            CompareError::NoMatch { side, pattern, names } => {
                let what = unmatched("--filter", &pattern, &names);
                Self::Usage(format!("{side} has no times to compare: {what}"))
            }
            CompareError::NoTimes { .. } => Self::Unjudged(error.to_string()),
            CompareError::NoClock { reason, measure } => {
                Self::Unjudged(format!("{reason} (--measure {measure})"))
            }
            CompareError::NoControl { pattern, names } => {
                Self::Usage(unmatched("--control", &pattern, &names))
            }
            CompareError::Uncorrected { base, new } => Self::Usage(format!(
                "--control: not every run has functions that are the same in {base} and {new}; name some with --control=PATTERN"
            )),
        }
    }
}

/// Says that no function matches the pattern of a flag.
pub fn unmatched(flag: &str, pattern: &str, names: &[String]) -> String {
    let asked = Asked::default().pattern(flag, pattern);
    asked.unmatched("function", names.iter().map(String::as_str)).unwrap_or_default()
}
