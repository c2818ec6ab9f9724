//! The folder of a history: its marker, its lock and its pieces. One in an object store has a list instead of the lock.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use base::{Staging, is_temporary, staging, temporary};

use super::error::HistoryError;
use super::list::{Kept, MONTH, Marker};
use super::piece::Piece;
use super::remote::RemoteHistory;
use crate::remote::{HISTORY as MARKER, RemoteFolder, Stores, is_address};

/// An open history. Others may read it and add to it at the same time, but not compact it.
#[derive(Debug)]
pub struct History {
    /// The folder, or its address.
    pub folder: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// The marker, with a shared lock. File systems without locks do without.
    Local(File),
    Remote(Box<RemoteHistory>),
}

impl History {
    /// Whether a folder is a history.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MARKER).is_file()
    }

    /// Whether a folder or an address is a history, as far as the store tells.
    pub fn is_at(place: &Path, stores: &Stores) -> bool {
        match remote(place, stores) {
            Ok(Some(folder)) => matches!(folder.read(MARKER), Ok(Some(_))),
            Ok(None) => Self::is_one(place),
            Err(_) => false,
        }
    }

    /// Opens the history in a folder or at an address, of which what is kept is copied from its store.
    pub fn open(place: &Path, stores: &Stores, kept: Kept) -> Result<Self, HistoryError> {
        match remote(place, stores)? {
            Some(folder) => Self::of_remote(&folder, None, kept),
            None => Self::open_folder(place),
        }
    }

    /// Opens a history in an object store, with the text of its marker if that was read.
    pub fn of_remote(
        folder: &RemoteFolder,
        text: Option<Vec<u8>>,
        kept: Kept,
    ) -> Result<Self, HistoryError> {
        let path = PathBuf::from(folder.address());
        let remote = RemoteHistory::open(folder, text, kept)?;
        Ok(Self { folder: path, place: Place::Remote(Box::new(remote)) })
    }

    fn open_folder(folder: &Path) -> Result<Self, HistoryError> {
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
        let text = fs::read(&path).map_err(HistoryError::reading(&path))?;
        let marker = Marker::parse(&text).map_err(not_one)?;
        if marker.pieces.is_some() {
            let what = format!("{MARKER} lists files, as in an object store; read it there");
            return Err(not_one(what));
        }
        marker.checked().map_err(not_one)?;
        let _ = lock.lock_shared();
        Ok(Self { folder: folder.to_owned(), place: Place::Local(lock) })
    }

    /// Opens a history to add to it, or makes a new or empty folder one.
    pub fn open_or_create(place: &Path, stores: &Stores) -> Result<Self, HistoryError> {
        let Some(folder) = remote(place, stores)? else { return Self::create(place) };
        let remote = RemoteHistory::open_or_none(&folder, Kept::Runs)?;
        Ok(Self { folder: place.to_owned(), place: Place::Remote(Box::new(remote)) })
    }

    fn create(folder: &Path) -> Result<Self, HistoryError> {
        if Self::is_one(folder) {
            return Self::open_folder(folder);
        }
        let failed = HistoryError::writing(folder);
        fs::create_dir_all(folder).map_err(failed)?;
        let entries = fs::read_dir(folder).map_err(HistoryError::reading(folder))?;
        let mut paths = entries.flatten().map(|entry| entry.path());
        if paths.any(|path| !is_temporary(&path) && !path.ends_with(MARKER)) {
            // Another process may have made a history here meanwhile: its marker is there before its other files.
            if Self::is_one(folder) {
                return Self::open_folder(folder);
            }
            return Err(HistoryError::NotOne {
                path: folder.to_owned(),
                what: format!("it has other files but no {MARKER}; name a new or empty folder"),
            });
        }
        let mut file = temporary(folder).map_err(failed)?;
        file.write_all(Marker::of_folder().to_text().as_bytes()).map_err(failed)?;
        // If another process was first, its marker stays, which is locked by then.
        match file.persist_noclobber(folder.join(MARKER)) {
            Err(error) if error.error.kind() != ErrorKind::AlreadyExists => {
                return Err(failed(error.error));
            }
            _ => {}
        }
        Self::open_folder(folder)
    }

    /// Returns the same in an object store.
    pub(super) const fn remote(&self) -> Option<&RemoteHistory> {
        match &self.place {
            Place::Local(_) => None,
            Place::Remote(remote) => Some(remote),
        }
    }

    /// Lets an error name what is damaged, not its copy.
    pub fn named(&self, error: HistoryError) -> HistoryError {
        match self.remote() {
            Some(remote) => remote.named(error),
            None => error,
        }
    }

    /// Returns the pieces by month and name.
    pub fn pieces(&self) -> Result<Vec<Piece>, HistoryError> {
        if let Some(remote) = self.remote() {
            return Ok(remote.pieces());
        }
        let mut pieces = Vec::new();
        for folder in folders(&self.folder)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(month) = name.strip_prefix(MONTH) else { continue };
            let all = folders(&folder)?.into_iter();
            let piece = |folder| Piece { folder, month: month.to_owned(), copies: None };
            pieces.extend(all.map(piece));
        }
        Ok(pieces)
    }

    /// Returns the size of all files in bytes; what cannot be read has none.
    pub fn bytes(&self) -> u64 {
        let folders = self.pieces().unwrap_or_default().into_iter().map(|piece| piece.folder);
        let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
    }

    /// Adds a piece, whose files `write` creates in an empty folder. Returns false if one of this name is there, or if `is_there`
    /// finds its rows in others of the month.
    pub fn add<E: From<HistoryError>>(
        &self,
        month: &str,
        name: &str,
        is_there: impl Fn(&[Piece]) -> Result<bool, HistoryError>,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut known = self.pieces()?;
        known.retain(|piece| piece.month == month);
        if is_there(&known)? {
            return Ok(false);
        }
        if let Some(remote) = self.remote() {
            let staging = RemoteHistory::staging()?;
            write(staging.path())?;
            return Ok(remote.add(month, name, staging.path(), is_there)?);
        }
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

    /// Locks the history for this process alone. If not `waits`, returns false if others use it. In an object store, nobody has to
    /// wait.
    pub fn lock_alone(&self, waits: bool) -> Result<bool, HistoryError> {
        let Place::Local(lock) = &self.place else { return Ok(true) };
        let failed = HistoryError::writing(&self.folder);
        lock.unlock().map_err(failed)?;
        if waits {
            lock.lock().map_err(failed)?;
            return Ok(true);
        }
        Ok(lock.try_lock().is_ok())
    }
}

/// Returns the folder at an address; `None` for a path.
fn remote(place: &Path, stores: &Stores) -> Result<Option<RemoteFolder>, HistoryError> {
    let address = place.to_str().filter(|text| is_address(text));
    Ok(address.map(|address| stores.folder(address)).transpose()?)
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
