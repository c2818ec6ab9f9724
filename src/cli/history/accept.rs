//! `history accept`: makes an entry the baseline of a branch.

use super::args::Accept;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::signals;
use crate::history::Kept;
use crate::tracking::{AcceptRequest, accept};
use crate::workspace::open_history;

/// Runs the command.
pub fn run(args: &Accept, opening: &Opening) -> Result<(), CliError> {
    signals::end_cleanly()?;
    let request = AcceptRequest {
        entry: args.entry.clone(),
        branch: args.chosen.branch.clone(),
        labels: args.chosen.labels.clone(),
        time: args.time.clone(),
    };
    let history = open_history(&args.folder, Kept::Runs, &opening.options())?;
    let accepted = accept(&history, &request)?;
    eprintln!("ireescope: {} is the baseline of {}", accepted.entry, accepted.branch);
    Ok(())
}
