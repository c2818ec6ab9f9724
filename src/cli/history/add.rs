//! `history add`: adds the runs of a build.

use crate::base::printable;

use super::args::{Add, Keep};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::output::print;
use crate::cli::signals;
use crate::report::text::counted;
use crate::tracking::{AddRequest, Addition};

/// Runs the command.
pub fn run(args: &Add, opening: &Opening) -> Result<(), CliError> {
    let request = AddRequest {
        bundles: args.bundles.clone(),
        commit: args.commit.clone(),
        branch: args.branch.clone(),
        labels: args.labels.clone(),
        time: args.time.clone(),
        warmup: args.warmup,
        with_tables: args.keep == Some(Keep::Raw),
    };
    let options = opening.options();
    let addition = Addition::read(&request, &options)?;
    for line in &addition.warnings {
        eprintln!("ireescope: warning: {}", printable(line));
    }
    signals::end_cleanly()?;
    let added = addition.store(&args.folder, &options)?;
    let folder = args.folder.display();
    if added.is_new {
        let runs = counted(added.runs as u64, "run");
        eprintln!("ireescope: added {runs} to {folder} as {}", added.entry);
    } else {
        eprintln!("ireescope: {folder} has this entry already");
    }
    if let Err(error) = added.compact() {
        CliError::from(error).warn();
    }
    print(&format!("{}\n", added.entry))
}
