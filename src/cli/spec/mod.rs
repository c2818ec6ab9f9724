//! `spec`: tuning specs, and the knobs that they set.

mod args;
mod compiler;
mod diff;
mod knobs;
mod merge;
mod relation;
mod results;
mod show;
mod trial;
mod verify;
mod write;

use super::error::{CliError, exit};
use super::open::Opening;
use args::Command;

pub use args::Spec;

/// Runs the command. Returns the exit code.
pub fn run(args: &Spec, opening: &Opening) -> Result<u8, CliError> {
    match &args.command {
        Command::Knobs(args) => knobs::run(args, opening).map(|()| exit::FINE),
        Command::Show(args) => show::run(args).map(|()| exit::FINE),
        Command::Verify(args) => verify::run(args),
        Command::Write(args) => write::run(args).map(|()| exit::FINE),
        Command::Merge(args) => merge::run(args),
        Command::Diff(args) => diff::run(args),
    }
}
