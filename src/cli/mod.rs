//! The command line: flags in, exit code out. One file a command.
//!
//! Invariant: nothing below this layer sees clap, prints, or decides how the process ends.

mod args;
mod error;
mod normalize;
mod open;
mod output;
mod shell;
mod sql;
mod tables;
mod top;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use error::{CliError, exit};

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = normalize::flags(arguments);
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let usage = error.use_stderr();
            // Nothing more can be done where even the help cannot be printed.
            let _ = error.print();
            return ExitCode::from(if usage { exit::USAGE } else { exit::FINE });
        }
    };
    match command(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            error.report();
            ExitCode::from(error.code())
        }
    }
}

fn command(cli: Cli) -> Result<(), CliError> {
    let opening = cli.opening;
    match cli.command {
        Command::Sql(args) => sql::run(&args, &opening),
        Command::Tables(args) => tables::run(&args),
        Command::Top(args) => top::run(&args, &opening),
    }
}
