//! `tune`: finds configurations of a model's dispatches that are faster, and proves that they are.

mod args;
mod error;
mod progress;

use super::error::{CliError, exit};
use super::open::Opening;
use super::output::print;
use super::signals::listen;
use crate::tune::{TuneOutcome, TuneRequest, run as tune};

pub use args::Tune;

/// Runs the command. Returns the exit code. Wrong usage leaves no folder.
pub fn run(args: &Tune, opening: &Opening) -> Result<u8, CliError> {
    let request = args.request(opening)?;
    let is_new = !request.folder.exists();
    let outcome = outcome(&request);
    if is_new && matches!(outcome, Err(CliError::Usage(_))) {
        // What is left if this fails harms nothing.
        let _ = std::fs::remove_dir_all(&request.folder);
    }
    match outcome? {
        TuneOutcome::NothingToTune(_) => Err(CliError::No("there is nothing to tune".to_owned())),
        TuneOutcome::Planned(_) => Ok(exit::FINE),
        TuneOutcome::Compiled(count) => {
            progress::compiled(&request.folder, &count);
            Ok(if count.compiled > 0 { exit::FINE } else { exit::NO })
        }
        TuneOutcome::NotFaster { report, .. } | TuneOutcome::NotMeasured { report, .. } => {
            print(&report)?;
            Ok(exit::NO)
        }
        TuneOutcome::Faster(it) => {
            print(&it.report)?;
            Ok(exit::FINE)
        }
    }
}

fn outcome(request: &TuneRequest) -> Result<TuneOutcome, CliError> {
    Ok(tune(request, &listen()?, &mut |event| progress::print(&event))?)
}
