//! What the errors of `tune` are to the command line.

use crate::cli::error::CliError;
use crate::cli::nothing::Asked;
use crate::cli::signals::interrupted;
use crate::report::text::time;
use crate::tune::TuneError;

impl From<TuneError> for CliError {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Compiler(error) => error.into(),
            TuneError::Capture(error) => error.into(),
            TuneError::Open(error) => error.into(),
            TuneError::Engine(error) => error.into(),
            TuneError::Compare(error) => error.into(),
            TuneError::Run(error) => error.into(),
            TuneError::Read { path, source } => Self::Read { path, source },
            TuneError::Write { path, source } => Self::Write { path, source },
            TuneError::NothingToResume(_) => Self::Usage(error.to_string()),
            TuneError::NamesModule(word) => {
                Self::Usage(format!("{word}: leave out the module, which is compiled from MODEL"))
            }
            TuneError::NoMatch { option, pattern, dispatches } => {
                let asked = Asked::default().pattern(&format!("--{option}"), &pattern);
                let none = || "the model has no dispatches to tune".to_owned();
                let names = dispatches.iter().map(String::as_str);
                Self::Usage(asked.unmatched("dispatch", names).unwrap_or_else(none))
            }
            TuneError::ShortBudget { budget, run, needed } => Self::Usage(format!(
                "--budget={} is too short to try and prove anything, as a run of the model takes {}; give at least {}",
                time(budget),
                time(run),
                time(needed)
            )),
            TuneError::NoClock(words) => Self::Unjudged(words),
            TuneError::UntunedFails(_) | TuneError::Refused(_) | TuneError::NotApplied(_) => {
                Self::Lacking(error.to_string())
            }
            TuneError::Interrupted => interrupted(error.to_string()),
        }
    }
}
