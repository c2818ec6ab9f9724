//! Compaction: the pieces of a month become one.

use std::fs;

use base::exchange;

use super::error::HistoryError;
use super::folder::History;
use super::merge::{Compacted, due, merged};
use super::piece::Piece;

/// Adding compacts the newest month if it has more pieces than the first of these, and those before, to which little is added, if
/// they have more than the second.
const MANY: [usize; 2] = [64, 4];

/// The name of a piece with all rows of its month.
const WHOLE: &str = "compacted";

/// Compacts every month of a history, which must be locked alone.
pub fn compact(history: &History) -> Result<Compacted, HistoryError> {
    if let Some(remote) = history.remote() {
        return remote.compact([1, 1]);
    }
    let mut done = Compacted::default();
    for pieces in due(&history.pieces()?, month, [1, 1]) {
        whole(history, pieces)?;
        done.months += 1;
        done.pieces += pieces.len();
    }
    Ok(done)
}

/// Compacts the months that have too many pieces, unless others use the history.
pub fn compact_if_many(history: &History) -> Result<(), HistoryError> {
    if let Some(remote) = history.remote() {
        return remote.compact(MANY).map(drop);
    }
    if due(&history.pieces()?, month, MANY).next().is_some() && history.lock_alone(false)? {
        // Another process may have done so before the lock.
        let pieces = history.pieces()?;
        for pieces in due(&pieces, month, MANY) {
            whole(history, pieces)?;
        }
    }
    Ok(())
}

fn month(piece: &Piece) -> &str {
    &piece.month
}

/// Writes the rows of all pieces of a month to one, and lets both change places: a reader sees the one or the other.
fn whole(history: &History, pieces: &[Piece]) -> Result<(), HistoryError> {
    let Some(first) = pieces.first() else { return Ok(()) };
    let staging = history.staging()?;
    let folder = staging.path().join(WHOLE);
    let failed = HistoryError::writing(&history.folder);
    fs::create_dir(&folder).map_err(failed)?;
    merged(pieces, &folder)?;
    // What is in the temporary folder now are the old pieces, which are removed with it.
    exchange(staging.path(), &history.month(&first.month)).map_err(failed)
}
