//! `tables`: describes tables, views, reports and functions.

use clap::Args;

use super::error::CliError;
use super::names::unknown_relation;
use super::output::{print, terminal_width};
use crate::report::relations::{self, markdown};

#[derive(Debug, Args)]
pub struct Tables {
    /// Table, view or report to describe with all its columns
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print the complete reference as Markdown
    #[arg(long, conflicts_with = "name")]
    pub markdown: bool,
}

/// Runs the command.
pub fn run(args: &Tables) -> Result<(), CliError> {
    let text = match &args.name {
        Some(name) => relations::describe(name, terminal_width())
            .ok_or_else(|| CliError::Usage(unknown_relation(name)))?,
        None if args.markdown => markdown(),
        None => relations::list(None, &[], terminal_width()),
    };
    print(&text)
}
