//! The folder of a capture set: made, locked while it is written, and given bundles from elsewhere.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::CaptureError;
use crate::bundle::set::{self, MANIFEST, Manifest, Outcome};

/// A folder that nobody else captures into.
#[derive(Debug)]
pub struct Folder {
    pub manifest: Manifest,
    /// What can be locked is, until it is closed.
    _lock: Option<File>,
}

/// Opens the set that is there, or makes a new one.
pub fn open(folder: &Path) -> Result<Folder, CaptureError> {
    let failed =
        |action| move |source| CaptureError::File { action, path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(failed("make"))?;
    let lock = lock(folder)?;
    if set::is_one(folder) {
        return Ok(Folder { manifest: Manifest::read(folder)?, _lock: lock });
    }
    let mut entries = std::fs::read_dir(folder).map_err(failed("read"))?;
    if entries.next().is_some() {
        return Err(CaptureError::NotASet(folder.to_owned()));
    }
    let manifest = Manifest::default();
    write(&manifest, folder)?;
    Ok(Folder { manifest, _lock: lock })
}

/// Locks a folder until the file is closed. Not all file systems can lock, and not all systems open folders.
pub fn lock(folder: &Path) -> Result<Option<File>, CaptureError> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(CaptureError::Busy(folder.to_owned())),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// Writes the manifest.
pub fn write(manifest: &Manifest, folder: &Path) -> Result<(), CaptureError> {
    manifest.write(folder).map_err(|source| CaptureError::File {
        action: "write",
        path: folder.join(MANIFEST),
        source,
    })
}

/// Whether a bundle is of the set: by its place, or as a copy of what it still is.
pub fn has(manifest: &Manifest, folder: &Path, path: &Path) -> bool {
    let is_it = |bundle: &String| {
        let known = folder.join(bundle);
        known
            .canonicalize()
            .ok()
            .is_some_and(|known| path.canonicalize().is_ok_and(|it| it == known))
            || is_same(&known, path).unwrap_or(false)
    };
    manifest.runs.iter().any(|run| match run.outcome {
        Outcome::Given => run.bundle.as_ref().is_some_and(is_it),
        _ => run.bundle.as_ref().is_some_and(|bundle| folder.join(bundle) == path),
    })
}

/// Copies a bundle from elsewhere into the set, so that it goes where the set goes.
pub fn take(folder: &Path, path: &Path, run: &str) -> Result<String, CaptureError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let end = name.find(".ireeprof").and_then(|at| name.get(at..)).unwrap_or(".ireeprof");
    let bundle = format!("{run}{end}");
    std::fs::copy(path, folder.join(&bundle)).map_err(|source| CaptureError::File {
        action: "copy",
        path: path.to_owned(),
        source,
    })?;
    Ok(bundle)
}

/// Whether two files hold the same bytes.
fn is_same(left: &Path, right: &Path) -> std::io::Result<bool> {
    if std::fs::metadata(left)?.len() != std::fs::metadata(right)?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (File::open(left)?, File::open(right)?);
    loop {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        left.by_ref().take(1 << 16).read_to_end(&mut one)?;
        right.by_ref().take(1 << 16).read_to_end(&mut other)?;
        if one != other {
            return Ok(false);
        }
        if one.is_empty() {
            return Ok(true);
        }
    }
}

/// A path from the root on.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
