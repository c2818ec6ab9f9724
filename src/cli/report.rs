//! `report`: writes one page about captures, a comparison or a history.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::open::Opening;
use super::output::Destination;
use crate::page::{Page, PageError, html, markdown, of_captures, of_comparison, of_history};
use crate::report::comparison::Terms;
use crate::workspace::is_history;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Report {
    /// Captures; or `base=BUNDLE` and `new=BUNDLE`, which are compared; or a history
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// File or object (docs/objects.md) to write (default: standard output)
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// `html` (one page that needs nothing else) or `markdown` (in short, for a pull request); by default chosen by the
    /// extension of FILE, else html
    #[arg(long, value_enum)]
    pub format: Option<PageFormat>,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    Html,
    Markdown,
}

const AFTER: &str = "\
Examples:
  ireescope report -o run.html run.ireeprof
  ireescope report -o change.html base=main.capture new=branch.capture
  ireescope report -o history.html HISTORY
  ireescope report --format=markdown run.ireeprof >> \"$GITHUB_STEP_SUMMARY\"";

/// Runs the command.
pub fn run(args: &Report, opening: &Opening) -> Result<(), CliError> {
    let options = opening.options();
    let page = page(&args.bundles, opening)?;
    let is_markdown =
        args.output.as_ref().and_then(|path| path.extension()).is_some_and(|end| end == "md");
    let format =
        args.format.unwrap_or(if is_markdown { PageFormat::Markdown } else { PageFormat::Html });
    let text = match format {
        PageFormat::Html => html(&page).map_err(|error| CliError::Lacking(error.to_string()))?,
        PageFormat::Markdown => markdown(&page),
    };
    let destination = Destination::new(args.output.as_deref(), [])?.of_files(&options.files);
    destination.fill(|out| out.write_all(text.as_bytes()).map_err(CliError::output))
}

/// Makes the page that the arguments ask for.
fn page(bundles: &[String], opening: &Opening) -> Result<Page, CliError> {
    let options = opening.options();
    let made = match bundles {
        [folder] if is_history(folder, &options) => of_history(Path::new(folder), &options),
        [base, new] if base.starts_with("base=") && new.starts_with("new=") => {
            of_comparison([base, new], &options, &Terms::default())
        }
        all => of_captures(all, &options),
    };
    made.map_err(CliError::from)
}

impl From<PageError> for CliError {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Open(error) => error.into(),
            PageError::Panel(error) => error.into(),
            PageError::Compare(error) => error.into(),
            PageError::History(error) => error.into(),
            PageError::Tracking(error) => error.into(),
        }
    }
}
