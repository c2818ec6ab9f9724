//! `history check`: compares a new result with the baseline of its branch, or with the entries before it.

use super::args::Check;
use super::entries::{Entries, Entry, last};
use crate::cli::compare::{Asked, Given, judge, open};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::engine::Parameters;
use crate::engine::comparison::KERNEL_TIME;
use crate::history::History;

/// Number of entries that are compared with if none is accepted.
const WINDOW: u32 = 10;

/// Runs the command.
pub fn run(args: &Check, opening: &Opening) -> Result<(), CliError> {
    let kept = History::open(&args.folder)?;
    let entries = Entries::read(&kept, &args.labels)?;
    let new = match &args.new {
        Some(text) if std::path::Path::new(text).exists() => None,
        Some(text) => entries.find(text)?,
        // With a baseline of another branch, the newest entry of all is what is checked.
        None => Some(entries.newest(None)?),
    };
    let branch = match (&args.branch, new) {
        (Some(branch), _) => branch,
        (None, Some(new)) => &new.branch,
        (None, None) => &entries.newest(None)?.branch,
    };
    let (name, base) = baseline(args, &entries, branch, new)?;
    let base = entries.side(name, &base)?;
    let new = if let Some(new) = new {
        entries.side(new.name(), &[new])?
    } else {
        let bundles = args.new.as_deref().unwrap_or_default();
        let parameters = Parameters { warmup: args.warmup, ..Parameters::default() };
        open(&Given::of(bundles), &KERNEL_TIME, &parameters, opening)?
    };
    judge(&[base, new], &Asked::default(), &args.judging)
}

/// Returns what is compared with, and its name.
fn baseline<'a>(
    args: &Check,
    entries: &'a Entries,
    branch: &str,
    new: Option<&Entry>,
) -> Result<(String, Vec<&'a Entry>), CliError> {
    let accepted = entries.accepted(branch).filter(|_| args.window.is_none());
    if let Some(accepted) = accepted {
        if new.is_some_and(|new| new.id == accepted.id) {
            return Err(CliError::No(format!(
                "{} is the accepted baseline of {branch} itself; add a new result, or compare with --window",
                accepted.name()
            )));
        }
        return Ok((format!("accepted {}", accepted.name()), vec![accepted]));
    }
    let count = usize::try_from(args.window.unwrap_or(WINDOW)).unwrap_or(usize::MAX);
    let before = entries.before(branch, count, new);
    if before.is_empty() {
        return Err(CliError::No(format!(
            "there is nothing to compare with: {branch} has no accepted entry and no earlier one"
        )));
    }
    Ok((last(&before, branch), before))
}
