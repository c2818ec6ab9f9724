//! Looks for links in folders that are opened as a whole.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::path::PathError;

/// How deep folders are looked into, and at how many files.
const DEPTH: usize = 16;
const ENTRIES: usize = 100_000;

/// Returns what is below a folder and is not accepted, if there is something: `is_inside` is asked for the targets of links,
/// without links.
pub fn stray(
    folder: &Path,
    is_inside: &dyn Fn(&Path) -> bool,
) -> Result<Option<PathBuf>, PathError> {
    let mut seen = HashSet::new();
    let mut level = vec![folder.to_owned()];
    let mut count = 0;
    for _ in 0..=DEPTH {
        let mut next = Vec::new();
        for entry in level.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten() {
            count += 1;
            if count > ENTRIES {
                return Err(PathError::Large(folder.to_owned()));
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() {
                next.push(path);
            } else if kind.is_symlink() {
                // A link to nothing opens nothing.
                let Ok(target) = fs::canonicalize(&path) else { continue };
                if !is_inside(&target) {
                    return Ok(Some(path));
                }
                if target.is_dir() && seen.insert(target.clone()) {
                    next.push(target);
                }
            }
        }
        level = next;
    }
    if level.is_empty() { Ok(None) } else { Err(PathError::Large(folder.to_owned())) }
}
