//! The marker of a history, which in an object store lists its pieces.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::remote::HISTORY as MARKER;

const FORMAT: &str = "ireescope-history";

/// Version of the layout. Increase it for changes that older readers would misread.
const VERSION: u32 = 1;

/// Version of the layout with a list of the pieces, for object stores.
const LISTED: u32 = 2;

/// What the folders of months begin with.
pub(crate) const MONTH: &str = "month=";

/// Which tables of a history are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Which runs there are, and which were accepted.
    Runs,
    /// Also the times of functions and samples.
    Times,
    /// Also the tables of bundles.
    Everything,
}

impl Kept {
    fn has(self, table: &str) -> bool {
        match self {
            Self::Runs => ["history_runs", "history_accepted"].contains(&table),
            Self::Times => table.starts_with("history_"),
            Self::Everything => true,
        }
    }
}

/// The contents of the marker.
#[derive(Serialize, Deserialize)]
pub struct Marker {
    format: String,
    schema_version: u32,
    /// The pieces, in an object store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<Listed>>,
}

impl Marker {
    /// Returns the marker of a folder.
    pub(crate) fn of_folder() -> Self {
        Self { format: FORMAT.to_owned(), schema_version: VERSION, pieces: None }
    }

    /// Returns the marker of a history in an object store.
    pub fn listing(mut pieces: Vec<Listed>) -> Self {
        pieces.sort();
        Self { format: FORMAT.to_owned(), schema_version: LISTED, pieces: Some(pieces) }
    }

    /// Parses a marker, which may be none.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(text).map_err(|error| format!("{MARKER} cannot be read ({error})"))
    }

    /// Returns the marker if it is one. Fails with what is wrong with it.
    pub fn checked(self) -> Result<Self, String> {
        let is_known = match &self.pieces {
            None => self.schema_version == VERSION,
            Some(_) => self.schema_version == LISTED,
        };
        if self.format != FORMAT || !is_known {
            let Self { format, schema_version, .. } = &self;
            return Err(format!(
                "{MARKER} says {format} {schema_version}, but {FORMAT} {VERSION} or {LISTED} is required"
            ));
        }
        match self.pieces.iter().flatten().find(|piece| !piece.is_fine()) {
            Some(piece) => Err(format!("{MARKER} has a piece with a name that is none: {piece:?}")),
            None => Ok(self),
        }
    }

    /// Formats the marker as JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// A piece in the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Listed {
    pub month: String,
    /// Its name, which no other piece ever has.
    pub piece: String,
    pub tables: Vec<String>,
}

impl Listed {
    /// Returns the piece that has a file.
    pub fn of(file: &Path) -> Option<Self> {
        let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
        let [month, piece, table] = parts.as_slice() else { return None };
        let (month, table) = (month.strip_prefix(MONTH)?, table.strip_suffix(".parquet")?);
        let tables = vec![table.to_owned()];
        let one = Self { month: month.to_owned(), piece: (*piece).to_owned(), tables };
        one.is_fine().then_some(one)
    }

    /// Whether its names are parts of paths that do not lead out of the folder.
    pub fn is_fine(&self) -> bool {
        let names = [&self.month, &self.piece].into_iter().chain(&self.tables);
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        names.into_iter().all(|name| !name.is_empty() && name.bytes().all(is_fine))
    }

    /// Returns its folder, relative to that of the history.
    pub fn folder(&self) -> PathBuf {
        Path::new(&format!("{MONTH}{}", self.month)).join(&self.piece)
    }

    /// Returns its files, relative to the folder of the history.
    pub fn files(&self, kept: Kept) -> impl Iterator<Item = PathBuf> {
        let tables = self.tables.iter().filter(move |table| kept.has(table));
        tables.map(|table| self.folder().join(format!("{table}.parquet")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_pieces_have_their_places() {
        let piece = Listed::of(Path::new("month=2026-11/ab-cd/history_runs.parquet")).unwrap();
        let files: Vec<PathBuf> = piece.files(Kept::Runs).collect();
        assert_eq!(files, [PathBuf::from("month=2026-11/ab-cd/history_runs.parquet")]);
        for other in
            ["history.json", "month=2026-11/x/y.txt", "m/x/y.parquet", "month=a/../y.parquet"]
        {
            assert_eq!(Listed::of(Path::new(other)), None, "{other}");
        }
        let kept = [Kept::Runs, Kept::Times, Kept::Everything];
        assert_eq!(kept.map(|it| it.has("history_samples")), [false, true, true]);
        assert_eq!(kept.map(|it| it.has("queues")), [false, false, true]);
    }
}
