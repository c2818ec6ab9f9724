//! A history in an object store.
//!
//! Pieces are never written over ([`RemoteFolder::change`]). `history.json` lists them; without a list, as in a folder that
//! was copied to the store, the pieces are those that are there, and the first addition lists them. Who reads copies the files
//! that it needs of each piece to the cache first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Staging, staging};

use super::error::HistoryError;
use super::list::{Kept, Listed, Marker};
use super::merge::{Compacted, due, merged};
use super::piece::{Copies, Piece};
use crate::remote::{ABANDONED, Change, HISTORY, RemoteFolder, unique};

/// How often a list is read whose files are removed meanwhile.
const TRIES: usize = 5;

/// The folder of files that are written to see whether a store heeds conditions.
const CHECKS: &str = "checks";

/// A history in an object store, as it was when it was opened.
#[derive(Debug)]
pub struct RemoteHistory {
    folder: RemoteFolder,
    /// Its pieces by month and name.
    listed: Vec<Listed>,
    copies: Arc<Copies>,
}

impl RemoteHistory {
    /// Opens a history with the text of its list, and copies what is kept of it.
    pub fn open(
        folder: &RemoteFolder,
        text: Option<Vec<u8>>,
        kept: Kept,
    ) -> Result<Self, HistoryError> {
        let mut known = text;
        settled(|| {
            let (text, _) = match known.take() {
                Some(text) => (Some(text), None),
                None => folder.read(HISTORY)?.unzip(),
            };
            let Some(text) = text else {
                // Says if there is no such bucket.
                folder.list()?;
                let what = format!("it has no {HISTORY}; `ireescope history add` makes one");
                return Err(HistoryError::NotOne { path: folder.address().into(), what });
            };
            let listed = list(folder, Some(&text))?.pieces.unwrap_or_default();
            let copies = copies(folder, &listed, kept)?;
            Ok(Self { folder: folder.clone(), listed, copies })
        })
    }

    /// Opens a history that need not be there yet.
    pub(crate) fn open_or_none(folder: &RemoteFolder, kept: Kept) -> Result<Self, HistoryError> {
        if let Some((text, _)) = folder.read(HISTORY)? {
            return Self::open(folder, Some(text), kept);
        }
        list(folder, None)?;
        let copies = copies(folder, &[], kept)?;
        Ok(Self { folder: folder.clone(), listed: Vec::new(), copies })
    }

    /// Fails if the store heeds no conditions. Makes a list if there is none: files of additions that are not finished must not come
    /// to it, so that it has to be there before.
    fn prepare(&self) -> Result<(), HistoryError> {
        self.folder.check_conditions(&format!("{CHECKS}/{}", unique()))?;
        self.folder.change(HISTORY, |text| {
            let listed = list(&self.folder, text)?;
            let is_listed = |text| Marker::parse(text).is_ok_and(|marker| marker.pieces.is_some());
            if text.is_some_and(is_listed) {
                return Ok(Change::Done(()));
            }
            Ok(Change::Write(listed.to_text(), ()))
        })
    }

    /// Lets an error name the object, not the copy.
    pub fn named(&self, error: HistoryError) -> HistoryError {
        self.copies.named(error)
    }

    /// Returns the pieces by month and name.
    pub fn pieces(&self) -> Vec<Piece> {
        pieces(&self.listed, &self.copies)
    }

    /// Adds a piece with the files of a folder. Returns false if `is_there` finds it in the pieces that others have added since.
    pub fn add(
        &self,
        month: &str,
        name: &str,
        staged: &Path,
        mut is_there: impl FnMut(&[Piece]) -> Result<bool, HistoryError>,
    ) -> Result<bool, HistoryError> {
        self.prepare()?;
        let new = self.upload(month, name, staged)?;
        let mut seen: HashSet<Listed> = self.listed.iter().cloned().collect();
        let added = settled(|| {
            self.folder.change(HISTORY, |text| {
                let mut all = list(&self.folder, text)?.pieces.unwrap_or_default();
                if all.contains(&new) {
                    return Ok(Change::Done(true));
                }
                let others = all.iter().filter(|it| it.month == month && !seen.contains(*it));
                let others: Vec<Listed> = others.cloned().collect();
                let copies = copies(&self.folder, &others, Kept::Runs)?;
                if is_there(&pieces(&others, &copies))? {
                    return Ok(Change::Done(false));
                }
                seen.extend(others);
                all.push(new.clone());
                Ok(Change::Write(Marker::listing(all).to_text(), true))
            })
        })?;
        Ok(added)
    }

    /// Compacts the months that have more pieces than this: the newest, and earlier ones.
    pub fn compact(&self, most: [usize; 2]) -> Result<Compacted, HistoryError> {
        let mut done = Compacted::default();
        let (text, _) = self.folder.read(HISTORY)?.unzip();
        let all = list(&self.folder, text.as_deref())?.pieces.unwrap_or_default();
        if due(&all, |piece| &piece.month, most).next().is_some() {
            self.prepare()?;
        }
        for month in due(&all, |piece| &piece.month, most) {
            if self.whole(month)? {
                done.months += 1;
                done.pieces += month.len();
            }
        }
        self.tidy()?;
        Ok(done)
    }

    /// Writes the rows of all pieces of a month to one, which takes their place in the list. Returns false if another
    /// compaction came first.
    fn whole(&self, old: &[Listed]) -> Result<bool, HistoryError> {
        let Some(first) = old.first() else { return Ok(false) };
        let copies = match copies(&self.folder, old, Kept::Everything) {
            Err(error) if error.is_missing() => return Ok(false),
            copies => copies?,
        };
        let staging = Self::staging()?;
        let done = merged(&pieces(old, &copies), staging.path());
        done.map_err(|error| copies.named(error))?;
        let new = self.upload(&first.month, "compacted", staging.path())?;
        self.folder.change(HISTORY, |text| {
            let mut all = list(&self.folder, text)?.pieces.unwrap_or_default();
            if all.contains(&new) {
                return Ok(Change::Done(true));
            }
            if !old.iter().all(|piece| all.contains(piece)) {
                return Ok(Change::Done(false));
            }
            all.retain(|piece| !old.contains(piece));
            all.push(new.clone());
            Ok(Change::Write(Marker::listing(all).to_text(), true))
        })
    }

    /// Removes the files of writers that were killed, and those of pieces that were compacted.
    fn tidy(&self) -> Result<(), HistoryError> {
        // What was there before the list was read and is not in it is not of a writer that has finished since.
        let old = self.folder.older(ABANDONED)?;
        let Some((text, _)) = self.folder.read(HISTORY)? else { return Ok(()) };
        let Some(all) = list(&self.folder, Some(&text))?.pieces else { return Ok(()) };
        let kept: HashSet<PathBuf> = all.iter().flat_map(|it| it.files(Kept::Everything)).collect();
        let is_ours = |file: &Path| Listed::of(file).is_some() || file.starts_with(CHECKS);
        let abandoned = old.iter().filter(|file| is_ours(file) && !kept.contains(*file));
        let abandoned: Vec<&Path> = abandoned.map(PathBuf::as_path).collect();
        Ok(self.folder.remove(&abandoned)?)
    }

    /// Creates a temporary folder for files that are then uploaded.
    pub fn staging() -> Result<Staging, HistoryError> {
        let place = std::env::temp_dir();
        staging(&place).map_err(HistoryError::writing(&place))
    }

    /// Writes the files of a folder to a new piece, which is not in the list yet.
    fn upload(&self, month: &str, name: &str, staged: &Path) -> Result<Listed, HistoryError> {
        let failed = HistoryError::reading(staged);
        let mut tables = Vec::new();
        for entry in std::fs::read_dir(staged).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            tables.extend(
                name.to_str().and_then(|it| it.strip_suffix(".parquet")).map(str::to_owned),
            );
        }
        tables.sort();
        let new = Listed { month: month.to_owned(), piece: format!("{name}-{}", unique()), tables };
        let local = |file: &PathBuf| staged.join(file.file_name().unwrap_or_default());
        let files = new.files(Kept::Everything).map(|file| (local(&file), file)).collect();
        self.folder.write(files)?;
        Ok(new)
    }
}

/// Returns the list of the pieces, by its text. Without one, the folder must be empty: the list is made before pieces are written.
fn list(folder: &RemoteFolder, text: Option<&[u8]>) -> Result<Marker, HistoryError> {
    let place = PathBuf::from(folder.address());
    let Some(text) = text else {
        // Another addition may have written the first one meanwhile; then nothing can be written in its place.
        let files = folder.list()?;
        let is_there = files.iter().any(|file| file == Path::new(HISTORY));
        if is_there || files.iter().all(|file| file.starts_with(CHECKS)) {
            return Ok(Marker::listing(Vec::new()));
        }
        let what = format!("it has other files but no {HISTORY}; name a new or empty folder");
        return Err(HistoryError::NotOne { path: place, what });
    };
    let marker = Marker::parse(text).and_then(Marker::checked);
    let marker = marker.map_err(|what| HistoryError::NotOne { path: place, what })?;
    if marker.pieces.is_some() {
        return Ok(marker);
    }
    let mut all: Vec<Listed> = Vec::new();
    for piece in folder.list()?.iter().filter_map(|file| Listed::of(file)) {
        match all.iter_mut().find(|it| (&it.month, &it.piece) == (&piece.month, &piece.piece)) {
            Some(known) => known.tables.extend(piece.tables),
            None => all.push(piece),
        }
    }
    Ok(Marker::listing(all))
}

/// Copies what is kept of pieces.
fn copies(
    folder: &RemoteFolder,
    pieces: &[Listed],
    kept: Kept,
) -> Result<Arc<Copies>, HistoryError> {
    let files: Vec<PathBuf> = pieces.iter().flat_map(|piece| piece.files(kept)).collect();
    let address = folder.address().to_owned();
    Ok(Arc::new(Copies { staging: folder.copies(&files)?, address }))
}

fn pieces(listed: &[Listed], copies: &Arc<Copies>) -> Vec<Piece> {
    let piece = |it: &Listed| Piece {
        folder: copies.staging.path().join(it.folder()),
        month: it.month.clone(),
        copies: Some(Arc::clone(copies)),
    };
    listed.iter().map(piece).collect()
}

/// Does work again if files were removed after the list was read that named them.
fn settled<T>(mut work: impl FnMut() -> Result<T, HistoryError>) -> Result<T, HistoryError> {
    for _ in 1..TRIES {
        match work() {
            Err(error) if error.is_missing() => {}
            done => return done,
        }
    }
    work()
}
