//! `completions` and `man`: scripts for shells, and the manual page, both generated from the flags.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::args::Cli;
use super::error::CliError;
use super::output::print;

#[derive(Debug, Args)]
pub struct Completions {
    /// Shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub shell: Shell,
}

/// Prints the script of a shell.
pub fn run(args: &Completions) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ireescope", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program and its commands.
pub fn man() -> Result<(), CliError> {
    let mut known = Cli::command();
    known.build();
    let mut page = Vec::new();
    let pages = std::iter::once(&known).chain(known.get_subcommands());
    for command in pages {
        clap_mangen::Man::new(command.clone()).render(&mut page).map_err(CliError::output)?;
    }
    print(&String::from_utf8_lossy(&page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_know_all_commands() {
        let known = Cli::command();
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ireescope", &mut script);
            let script = String::from_utf8(script).unwrap();
            for command in known.get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }
}
