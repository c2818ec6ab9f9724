//! Opens histories, which may be in object stores.

use std::path::Path;

use read::history::{History, HistoryError, Kept};

use super::addresses::stores;
use super::options::WorkspaceOptions;

/// Opens the history in a folder or at an address, of which what is kept is read.
pub fn open_history(
    place: &Path,
    kept: Kept,
    options: &WorkspaceOptions,
) -> Result<History, HistoryError> {
    History::open(place, &stores(options), kept)
}

/// Opens a history to add to it; a new or empty folder becomes one.
pub(crate) fn open_or_create_history(
    place: &Path,
    options: &WorkspaceOptions,
) -> Result<History, HistoryError> {
    History::open_or_create(place, &stores(options))
}

/// Whether an argument names a history.
pub fn is_history(argument: &str, options: &WorkspaceOptions) -> bool {
    History::is_at(Path::new(argument), &stores(options))
}
