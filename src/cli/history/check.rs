//! `history check`: compares a new result with the baseline of its branch, or with the entries before it.

use super::args::{Check, FirstRun};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::comparison::CompareOptions;
use crate::history::Kept;
use crate::tracking::{CheckRequest, Entries, Labels, listed};
use crate::workspace::open_history;

/// Runs the command.
pub fn run(args: &Check, opening: &Opening) -> Result<(), CliError> {
    let options = opening.options();
    let history = open_history(&args.folder, Kept::Times, &options)?;
    let entries = Entries::read(&history, &args.labels)?;
    let request = CheckRequest {
        new: args.new.clone(),
        branch: args.branch.clone(),
        across: args.across.clone(),
        window: args.window,
        warmup: args.warmup,
    };
    let check = entries.check(&request)?;
    let of_labels = of_labels(&check.labels);
    if let Some(baseline) = &check.baseline {
        let (name, description) = (&check.name, &baseline.description);
        eprintln!("ireescope: {name} is compared with {description}{of_labels}");
    }
    if let Some(sides) = entries.sides(&check, &request, &options)? {
        let options = args.judging.options(CompareOptions::default());
        return args.judging.judge(sides, &options, &opening.files);
    }
    let what = format!(
        "there is nothing to compare with: {} has no accepted entry and no earlier one{of_labels}",
        check.branch
    );
    match args.first_run {
        FirstRun::Pass => {
            eprintln!("ireescope: passed: {what} (--first-run=pass)");
            Ok(())
        }
        FirstRun::Unjudged => Err(CliError::Unjudged(what)),
    }
}

/// Returns the labels in words; nothing if there are none.
fn of_labels(labels: &Labels<'_>) -> String {
    if labels.is_empty() {
        return String::new();
    }
    format!(" with {}", listed(labels))
}
