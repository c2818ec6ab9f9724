//! `history`: a folder, which may be in an object store, that keeps the results of runs for years.

mod accept;
mod add;
mod args;
mod check;
mod drift;
mod error;
mod list;

use super::error::CliError;
use super::open::Opening;
use crate::history::{self, Kept};
use crate::report::text::counted;
use crate::workspace::open_history;
use args::{Command, Compact};

pub use args::History;

/// Runs the command.
pub fn run(args: &History, opening: &Opening) -> Result<(), CliError> {
    match &args.command {
        Command::Add(args) => add::run(args, opening),
        Command::List(args) => list::run(args, opening),
        Command::Accept(args) => accept::run(args, opening),
        Command::Check(args) => check::run(args, opening),
        Command::Drift(args) => drift::run(args, opening),
        Command::Compact(args) => compact(args, opening),
    }
}

fn compact(args: &Compact, opening: &Opening) -> Result<(), CliError> {
    super::signals::end_cleanly()?;
    let history = open_history(&args.folder, Kept::Runs, &opening.options())?;
    if !history.lock_alone(false)? {
        eprintln!("ireescope: waiting for others that use {}", args.folder.display());
        history.lock_alone(true)?;
    }
    let done = history::compact(&history)?;
    let (months, pieces) =
        (counted(done.months as u64, "month"), counted(done.pieces as u64, "piece"));
    eprintln!("ireescope: compacted {pieces} of {months}");
    Ok(())
}
