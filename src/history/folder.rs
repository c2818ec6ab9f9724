//! The folder of a history: its marker, its lock and its pieces.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::HistoryError;
use crate::bundle::{Staging, is_temporary, staging, temporary};

/// File name of the marker.
const MARKER: &str = "history.json";

const FORMAT: &str = "ireescope-history";

/// Version of the layout. Increase it for changes that older readers would misread.
const VERSION: u32 = 1;

/// What the folders of months begin with.
const MONTH: &str = "month=";

#[derive(Serialize, Deserialize)]
struct Marker {
    format: String,
    schema_version: u32,
}

/// An open history. Others may read it and add to it at the same time, but not compact it.
#[derive(Debug)]
pub struct History {
    pub folder: PathBuf,
    /// The marker, with a shared lock. File systems without locks do without.
    lock: File,
}

/// The files of an addition, or of all additions of a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub folder: PathBuf,
    /// Year and month, such as `2026-11`.
    pub month: String,
}

impl Piece {
    /// Returns the path of the rows of a table, which may not exist.
    pub fn file(&self, table: &str) -> PathBuf {
        self.folder.join(format!("{table}.parquet"))
    }
}

impl History {
    /// Whether a folder is a history.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MARKER).is_file()
    }

    /// Opens a history.
    pub fn open(folder: &Path) -> Result<Self, HistoryError> {
        let not_one = |what: String| HistoryError::NotOne { path: folder.to_owned(), what };
        let path = folder.join(MARKER);
        let lock = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && !folder.exists() => {
                return Err(not_one(
                    "there is no such folder; `ireescope history add` makes one".to_owned(),
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(not_one("it is no folder".to_owned()));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(not_one(format!(
                    "it has no {MARKER}; `ireescope history add` makes a new or empty folder one"
                )));
            }
            opened => opened.map_err(HistoryError::reading(&path))?,
        };
        let text = fs::read_to_string(&path).map_err(HistoryError::reading(&path))?;
        let marker: Marker = serde_json::from_str(&text)
            .map_err(|error| not_one(format!("{MARKER} cannot be read ({error})")))?;
        if marker.format != FORMAT || marker.schema_version != VERSION {
            return Err(not_one(format!(
                "{MARKER} says {} {}, but {FORMAT} {VERSION} is required",
                marker.format, marker.schema_version
            )));
        }
        let _ = lock.lock_shared();
        Ok(Self { folder: folder.to_owned(), lock })
    }

    /// Opens a history, or makes a new or empty folder one.
    pub fn open_or_create(folder: &Path) -> Result<Self, HistoryError> {
        if Self::is_one(folder) {
            return Self::open(folder);
        }
        let failed = HistoryError::writing(folder);
        fs::create_dir_all(folder).map_err(failed)?;
        let entries = fs::read_dir(folder).map_err(HistoryError::reading(folder))?;
        let mut paths = entries.flatten().map(|entry| entry.path());
        if paths.any(|path| !is_temporary(&path) && !path.ends_with(MARKER)) {
            return Err(HistoryError::NotOne {
                path: folder.to_owned(),
                what: format!("it has other files but no {MARKER}; name a new or empty folder"),
            });
        }
        let marker = Marker { format: FORMAT.to_owned(), schema_version: VERSION };
        let text =
            serde_json::to_string_pretty(&marker).map_err(io::Error::from).map_err(failed)?;
        let mut file = temporary(folder).map_err(failed)?;
        writeln!(file, "{text}").map_err(failed)?;
        // If another process was first, its marker stays, which is locked by then.
        match file.persist_noclobber(folder.join(MARKER)) {
            Err(error) if error.error.kind() != ErrorKind::AlreadyExists => {
                return Err(failed(error.error));
            }
            _ => {}
        }
        Self::open(folder)
    }

    /// Returns the pieces by month and name.
    pub fn pieces(&self) -> Result<Vec<Piece>, HistoryError> {
        let mut pieces = Vec::new();
        for folder in folders(&self.folder)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(month) = name.strip_prefix(MONTH) else { continue };
            let all = folders(&folder)?.into_iter();
            pieces.extend(all.map(|folder| Piece { folder, month: month.to_owned() }));
        }
        Ok(pieces)
    }

    /// Returns the size of all files in bytes; what cannot be read has none.
    pub fn bytes(&self) -> u64 {
        let folders = self.pieces().unwrap_or_default().into_iter().map(|piece| piece.folder);
        let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
    }

    /// Adds a piece, whose files `write` creates in an empty folder. Returns false if one of this name is there.
    pub fn add<E: From<HistoryError>>(
        &self,
        month: &str,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<bool, E> {
        let folder = self.month(month);
        let staging = self.staging()?;
        write(staging.path())?;
        let failed = HistoryError::writing(&self.folder);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(failed(error).into());
            }
            _ => {}
        }
        match fs::rename(staging.path(), folder.join(name)) {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(failed(error).into()),
            Ok(()) => {
                // The temporary folder is the piece now.
                let _ = staging.folder.keep();
                Ok(true)
            }
        }
    }

    /// Creates a temporary folder with the permissions of the history.
    pub fn staging(&self) -> Result<Staging, HistoryError> {
        let failed = HistoryError::writing(&self.folder);
        // Drops the name of the temporary folder from the message.
        let staging = staging(&self.folder).map_err(|error| failed(error.kind().into()))?;
        let rights = fs::metadata(&self.folder).map_err(failed)?.permissions();
        fs::set_permissions(staging.path(), rights).map_err(failed)?;
        Ok(staging)
    }

    /// Returns the folder of a month.
    pub fn month(&self, month: &str) -> PathBuf {
        self.folder.join(format!("{MONTH}{month}"))
    }

    /// Locks the history for this process alone. If not `waits`, returns false if others use it.
    pub fn lock_alone(&self, waits: bool) -> Result<bool, HistoryError> {
        let failed = HistoryError::writing(&self.folder);
        self.lock.unlock().map_err(failed)?;
        if waits {
            self.lock.lock().map_err(failed)?;
            return Ok(true);
        }
        Ok(self.lock.try_lock().is_ok())
    }
}

/// Returns the folders in a folder, by name, without temporary ones.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, HistoryError> {
    let failed = HistoryError::reading(folder);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() && !is_temporary(&entry.path()) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}
