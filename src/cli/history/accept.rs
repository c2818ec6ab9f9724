//! `history accept`: makes an entry the baseline of a branch.

use super::args::Accept;
use crate::cli::error::CliError;
use crate::cli::signals;
use crate::history::History;
use crate::tracking::{AcceptRequest, accept};

/// Runs the command.
pub fn run(args: &Accept) -> Result<(), CliError> {
    signals::end_cleanly()?;
    let request = AcceptRequest {
        entry: args.entry.clone(),
        branch: args.chosen.branch.clone(),
        labels: args.chosen.labels.clone(),
        time: args.time.clone(),
    };
    let accepted = accept(&History::open(&args.folder)?, &request)?;
    eprintln!("ireescope: {} is the baseline of {}", accepted.entry, accepted.branch);
    Ok(())
}
