//! `completions` and `man`: scripts for shells, and the manual page, both generated from the flags.

use clap::{Args, Command};
use clap_complete::Shell;

use super::error::CliError;
use super::output::print;

#[derive(Debug, Args)]
pub struct Completions {
    /// Shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub shell: Shell,
}

/// Prints the script of a shell for the command line `known`.
pub fn run(args: &Completions, mut known: Command) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut known, "ireescope", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program and its commands.
pub fn man(mut known: Command) -> Result<(), CliError> {
    known.build();
    let mut page = Vec::new();
    let pages = std::iter::once(&known).chain(known.get_subcommands());
    for command in pages {
        clap_mangen::Man::new(command.clone()).render(&mut page).map_err(CliError::output)?;
    }
    print(&String::from_utf8_lossy(&page))
}
