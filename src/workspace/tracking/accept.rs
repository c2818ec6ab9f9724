//! Makes an entry the baseline of a branch.

use base::digest;
use read::history::{self, Accepted, History, HistoryError, Piece, ReadOptions};

use super::addition::write;
use super::entries::Entries;
use super::error::TrackingError;
use super::values::now;

/// Which entry becomes the baseline.
#[derive(Debug, Clone, Default)]
pub struct AcceptRequest {
    /// The first characters of its id; `None` for the newest.
    pub entry: Option<String>,
    /// Its branch. If the entry is given, the branch for which it is accepted; `None` for its own.
    pub branch: Option<String>,
    /// Only entries with these labels.
    pub labels: Vec<String>,
    /// When it was accepted, as [`super::time`] returns it; `None` for now.
    pub time: Option<String>,
}

/// An entry that is the baseline of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// Its id and commit.
    pub entry: String,
    pub branch: String,
}

/// Makes an entry the baseline of a branch.
pub fn accept(history: &History, request: &AcceptRequest) -> Result<Acceptance, TrackingError> {
    let entries = Entries::read(history, &request.labels)?;
    let entry = match &request.entry {
        Some(id) => entries.find(id)?.ok_or_else(|| TrackingError::UnknownEntry {
            folder: history.folder.clone(),
            id: id.clone(),
        })?,
        None => entries.newest(request.branch.as_deref())?,
    };
    let branch = request.branch.clone().unwrap_or_else(|| entry.branch.clone());
    let time = request.time.clone().unwrap_or_else(now);
    let addition = history::next_addition(history, "history_accepted")?;
    let row = Accepted { branch, entry: entry.id.clone(), time, addition: Some(addition) };
    let all = digest::of(format!("{}\n{}\n{}\n{addition}", row.branch, row.entry, row.time));
    let name = format!("accepted-{}", all.get(..12).unwrap_or_default());
    let month = row.time.get(..7).unwrap_or_default();
    let is_there = |pieces: &[Piece]| is_there(pieces, &row);
    history.add(month, &name, is_there, |folder| {
        write(folder, "history_accepted", std::slice::from_ref(&row))
    })?;
    Ok(Acceptance { entry: entry.name(), branch: row.branch })
}

/// Whether pieces have a row.
fn is_there(pieces: &[Piece], row: &Accepted) -> Result<bool, HistoryError> {
    let options = ReadOptions { table: "history_accepted", entries: None, columns: None };
    for piece in pieces {
        if history::rows::<Accepted>(piece, options)?.contains(row) {
            return Ok(true);
        }
    }
    Ok(false)
}
