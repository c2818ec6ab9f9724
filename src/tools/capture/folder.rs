//! The files in the folder of a capture set: locks it during a capture, writes its manifest, and copies bundles from
//! elsewhere into it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use base::equal::are_equal;
use read::bundle::set::{MANIFEST, Manifest, Outcome, Run};

use crate::capture::error::CaptureError;

/// The name of probe runs, whose files are deleted afterwards.
pub const PROBE: &str = "probe";

/// The name of the files of probe runs. A bundle that is given may be called as the runs are, and must not be lost.
const PROBE_FILES: &str = ".probe";

/// Returns the name of the files of a run.
pub(crate) fn files_of(run: &str) -> &str {
    if run == PROBE { PROBE_FILES } else { run }
}

/// Removes the folder of a set that has nothing but its manifest and files of its runs. Returns whether it was removed.
pub fn remove(folder: &Path, manifest: &Manifest) -> bool {
    let is_of_set = |name: &str| {
        let is_of = |stem: &str| name.strip_prefix(stem).is_some_and(|end| end.starts_with('.'));
        name == MANIFEST
            || is_of(PROBE_FILES)
            || name.starts_with("run-")
            || manifest.runs.iter().any(|run| is_of(&run.name))
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.all(|name| name.to_str().is_some_and(is_of_set))
        && std::fs::remove_dir_all(folder).is_ok()
}

/// Deletes the files of a run. Errors are ignored, because leftover files do no harm.
pub fn forget(folder: &Path, run: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let end = name.to_str().and_then(|name| name.strip_prefix(run));
        if end.is_some_and(|end| end.starts_with('.')) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
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
    manifest.write(folder).map_err(CaptureError::file("write", &folder.join(MANIFEST)))
}

/// Adds a starting run to the manifest and writes it, so that the set is complete even if this program is killed.
pub fn begin(run: Run, manifest: &mut Manifest, folder: &Path) -> Result<(), CaptureError> {
    manifest.runs.push(run);
    write(manifest, folder)
}

/// Whether the set holds a bundle: at this path, or as a byte-identical copy of a bundle from elsewhere.
pub fn has(manifest: &Manifest, folder: &Path, path: &Path) -> bool {
    manifest.runs.iter().any(|run| {
        let Some(known) = run.bundle.as_ref().map(|bundle| folder.join(bundle)) else {
            return false;
        };
        match run.outcome {
            Outcome::Given => is_same(&known, path).unwrap_or(false),
            _ => known == path,
        }
    })
}

/// Copies a bundle from elsewhere into the set, so that the set can be moved as a whole. No bundle in the folder may have the
/// name of the run. Returns the file name of the copy: the name of the run and the bundle's extension.
pub fn take(folder: &Path, path: &Path, run: &str) -> Result<String, CaptureError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let end = name.find(".ireeprof").and_then(|at| name.get(at..)).unwrap_or(".ireeprof");
    let bundle = format!("{run}{end}");
    std::fs::copy(path, folder.join(&bundle)).map_err(CaptureError::file("copy", path))?;
    Ok(bundle)
}

/// Whether two paths name one file, or files of the same bytes.
fn is_same(left: &Path, right: &Path) -> std::io::Result<bool> {
    if left.canonicalize()? == right.canonicalize()? {
        return Ok(true);
    }
    are_equal(left, right)
}

/// Returns the absolute path, or `path` itself if the current folder is unknown.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
