//! `gaps`: reports which questions captures answer, and which captures would answer the others.

use clap::Args;

use super::error::{CliError, exit};
use super::names::{Asked, asked, list_of_questions, questions};
use super::open::Opening;
use super::printed;
use super::printing::Printing;
use crate::bundle::set::shell_words;
use crate::report::{gaps, rows};
use crate::workspace::of_questions;

#[derive(Debug, Args)]
#[command(after_help = list_of_questions())]
pub struct Gaps {
    /// Bundles to check
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Only these questions, separated by commas; may be repeated
    #[arg(
        long = "for",
        value_name = "QUESTION",
        value_delimiter = ',',
        value_parser = asked,
        default_value = "all",
        hide_default_value = true
    )]
    pub questions: Vec<Asked>,
    /// Functions to trace in the commands for `instructions`: `*` matches any characters, `?` matches one
    #[arg(long, value_name = "PATTERN", visible_alias = "function")]
    pub filter_function: Option<String>,
    /// Exit with 1 if a question is not answered completely
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command. With `--check`, the exit code is [`exit::NO`] if a question has a gap.
pub fn run(args: &Gaps, opening: &Opening) -> Result<u8, CliError> {
    let mut only = of_questions(&questions(&args.questions));
    if let Some(pattern) = &args.filter_function {
        only.function = format!("function={}", shell_words([pattern.as_str()]));
    }
    let bundles = (args.bundles.as_slice(), opening);
    let gaps = printed::print("gap", &only, bundles, &args.printing, gaps::draw)?;
    Ok(if args.check && gaps::has_gap(&rows(&gaps)) { exit::NO } else { exit::FINE })
}
