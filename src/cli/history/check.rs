//! `history check`: compares a new result with the baseline of its branch, or with the entries before it.

use std::collections::BTreeSet;
use std::path::Path;

use super::args::{Check, FirstRun};
use super::entries::{Entries, Entry, Labels, last, listed};
use crate::cli::compare::{Asked, Given, judge, open};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::engine::Parameters;
use crate::engine::comparison::KERNEL_TIME;
use crate::history::History;

/// Number of entries that are compared with if none is accepted.
const WINDOW: u32 = 10;

/// The branch of bundles if the history has no entries.
const MAIN: &str = "main";

/// Runs the command.
pub fn run(args: &Check, opening: &Opening) -> Result<(), CliError> {
    let kept = History::open(&args.folder)?;
    let entries = Entries::read(&kept, &args.labels)?;
    let new = checked(args, &entries)?;
    let branch: &str = match (&args.branch, new) {
        (Some(branch), _) => branch,
        (None, Some(new)) => &new.branch,
        (None, None) => entries.newest(None).map_or(MAIN, |newest| newest.branch.as_str()),
    };
    let labels = labels(args, &entries, branch, new)?;
    let Some(baseline) = baseline(args, &entries, (branch, &labels), new)? else {
        let what = format!(
            "there is nothing to compare with: {branch} has no accepted entry and no earlier one{}",
            of_labels(&labels)
        );
        return match args.first_run {
            FirstRun::Pass => {
                eprintln!("ireescope: passed: {what} (--first-run=pass)");
                Ok(())
            }
            FirstRun::Unjudged => Err(CliError::Unjudged(what)),
        };
    };
    let name = new.map_or_else(|| args.new.clone().unwrap_or_default(), Entry::name);
    eprintln!("ireescope: {name} is compared with {}{}", baseline.told, of_labels(&labels));
    let base = entries.side(baseline.name, &baseline.entries)?;
    let new = if let Some(new) = new {
        entries.side(name, &[new])?
    } else {
        let parameters = Parameters { warmup: args.warmup, ..Parameters::default() };
        open(&Given::of(&name), &KERNEL_TIME, &parameters, opening)?
    };
    judge(&mut [base, new], &Asked::default(), &args.judging, &opening.files)
}

/// Returns the entry that is checked; `None` for bundles.
fn checked<'a>(args: &Check, entries: &'a Entries) -> Result<Option<&'a Entry>, CliError> {
    // With a baseline of another branch, the newest entry of all is what is checked.
    let Some(text) = &args.new else { return entries.newest(None).map(Some) };
    if Path::new(text).exists() {
        return Ok(None);
    }
    let found = entries.find(text)?;
    if found.is_none() && text.chars().all(|letter| letter.is_ascii_hexdigit()) {
        let folder = args.folder.display();
        return Err(CliError::Unjudged(format!(
            "{folder} has no entry {text}; `ireescope history list` shows its entries"
        )));
    }
    Ok(found)
}

/// Returns the labels of the entries that are compared with: those of the new entry or, as bundles have none, those that the
/// entries of the branch have in common.
fn labels<'a>(
    args: &Check,
    entries: &'a Entries,
    branch: &str,
    new: Option<&'a Entry>,
) -> Result<Labels<'a>, CliError> {
    if let Some(new) = new {
        return Ok(new.labels_without(&args.across));
    }
    let of_branch = entries.all.iter().filter(|entry| entry.branch == branch);
    let all: BTreeSet<Labels<'_>> =
        of_branch.map(|entry| entry.labels_without(&args.across)).collect();
    if all.len() > 1 {
        let all: Vec<String> = all.iter().map(listed).collect();
        return Err(CliError::Usage(format!(
            "the entries of {branch} have different labels: {}; say with --label which the bundles have, or with --across that a label does not matter",
            all.join("; ")
        )));
    }
    Ok(all.into_iter().next().unwrap_or_default())
}

/// What is compared with.
struct Baseline<'a> {
    name: String,
    /// The same, with the entries.
    told: String,
    entries: Vec<&'a Entry>,
}

/// Returns what is compared with; `None` if there is nothing.
fn baseline<'a>(
    args: &Check,
    entries: &'a Entries,
    (branch, labels): (&str, &Labels<'_>),
    new: Option<&Entry>,
) -> Result<Option<Baseline<'a>>, CliError> {
    let is_alike = |entry: &Entry| entry.labels_without(&args.across) == *labels;
    let accepted = entries.accepted(branch, is_alike).filter(|_| args.window.is_none());
    if let Some(accepted) = accepted {
        let name = accepted.name();
        if new.is_some_and(|new| new.id == accepted.id) {
            return Err(CliError::Unjudged(format!(
                "{name} is the accepted baseline of {branch} itself; add a new result, or compare with --window"
            )));
        }
        let name = format!("accepted {name}");
        let told = format!("{name} of {branch}");
        return Ok(Some(Baseline { name, told, entries: vec![accepted] }));
    }
    let count = usize::try_from(args.window.unwrap_or(WINDOW)).unwrap_or(usize::MAX);
    let before = entries.before(branch, count, new, is_alike);
    let Some((newest, oldest)) = before.first().zip(before.last()) else { return Ok(None) };
    let name = last(&before, branch);
    let told = if before.len() > 1 {
        format!("{name}, {} to {}", oldest.name(), newest.name())
    } else {
        format!("{name}, {}", newest.name())
    };
    Ok(Some(Baseline { name, told, entries: before }))
}

/// Returns the labels in words; nothing if there are none.
fn of_labels(labels: &Labels<'_>) -> String {
    if labels.is_empty() {
        return String::new();
    }
    format!(" with {}", listed(labels))
}
