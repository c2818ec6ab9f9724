//! `history accept`: makes an entry the baseline of a branch.

use super::add::write;
use super::args::{Accept, now};
use super::entries::Entries;
use crate::bundle::digest;
use crate::cli::error::CliError;
use crate::cli::signals;
use crate::history::{self, Accepted, History};

/// Runs the command.
pub fn run(args: &Accept) -> Result<(), CliError> {
    signals::end_cleanly()?;
    let kept = History::open(&args.folder)?;
    let entries = Entries::read(&kept, &args.chosen.labels)?;
    let found = match &args.entry {
        Some(text) => entries.find(text)?,
        None => Some(entries.newest(args.chosen.branch.as_deref())?),
    };
    let Some(entry) = found else {
        return Err(CliError::Unjudged(format!(
            "{} has no entry {}; `ireescope history list` shows its entries",
            args.folder.display(),
            args.entry.as_deref().unwrap_or_default()
        )));
    };
    let branch = args.chosen.branch.clone().unwrap_or_else(|| entry.branch.clone());
    let time = args.time.clone().unwrap_or_else(now);
    let addition = history::next_addition(&kept, "history_accepted")?;
    let row = Accepted { branch, entry: entry.id.clone(), time, addition: Some(addition) };
    let all = digest::of(format!("{}\n{}\n{}\n{addition}", row.branch, row.entry, row.time));
    let name = format!("accepted-{}", all.get(..12).unwrap_or_default());
    let month = row.time.get(..7).unwrap_or_default();
    kept.add(month, &name, |folder| write(folder, "history_accepted", std::slice::from_ref(&row)))?;
    eprintln!("ireescope: {} is the baseline of {}", entry.name(), row.branch);
    Ok(())
}
