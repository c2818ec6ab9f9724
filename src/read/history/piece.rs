//! A piece of a history: the files of an addition, or of all additions of a month.

use std::path::PathBuf;
use std::sync::Arc;

use base::Staging;

use super::error::HistoryError;

/// The files of an addition, or of all additions of a month.
#[derive(Debug, Clone)]
pub struct Piece {
    pub folder: PathBuf,
    /// Year and month, such as `2026-11`.
    pub month: String,
    /// Keeps the copies of files that are in an object store.
    pub(super) copies: Option<Arc<Copies>>,
}

impl Piece {
    /// Returns the path of the rows of a table, which may not exist.
    pub fn file(&self, table: &str) -> PathBuf {
        self.folder.join(format!("{table}.parquet"))
    }
}

/// Copies of files of pieces.
#[derive(Debug)]
pub struct Copies {
    pub staging: Staging,
    /// The address of the history.
    pub address: String,
}

impl Copies {
    /// Lets an error name the object, not the copy.
    pub fn named(&self, error: HistoryError) -> HistoryError {
        match error {
            HistoryError::Damaged { path, what } => {
                let file = path.strip_prefix(self.staging.path()).unwrap_or(&path);
                let address = format!("{}/{}", self.address, file.display());
                HistoryError::DamagedObject { address, what }
            }
            other => other,
        }
    }
}
