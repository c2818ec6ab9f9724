//! The folder of a capture set: creates it, locks it during a capture, and copies bundles from elsewhere into it.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::bundle::set::{self, MANIFEST, Manifest, Outcome};
use crate::capture::error::CaptureError;

/// An open capture set, locked against other captures.
#[derive(Debug)]
pub struct Folder {
    pub manifest: Manifest,
    /// The lock, held until this file is closed; `None` where the system cannot open folders.
    _lock: Option<File>,
}

/// Locks the folder and opens its set, or creates an empty set if the folder is empty or missing.
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

/// Locks a folder until the returned file is closed. Fails if another process holds the lock. Goes on without a lock
/// where the file system has none, and returns `None` where the system cannot open folders.
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

/// Whether the set holds a bundle: at this path, or as a byte-identical copy of a bundle from elsewhere.
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

/// Copies a bundle from elsewhere into the set, so that the set can be moved as a whole. Returns the file name of the
/// copy: the name of the run and the bundle's extension.
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

/// Whether two files hold the same bytes. Compares their sizes first, then their contents block by block.
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

/// Returns the absolute path, or `path` itself if the current folder is unknown.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
