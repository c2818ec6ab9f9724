//! Commands of this program that other commands run.

use super::error::CliError;

/// A callback that runs a command line of this program, given without the program name.
pub type RunAgain<'a> = &'a dyn Fn(Vec<String>) -> Result<(), CliError>;
