//! The files in a folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns the files of a folder whose names have an extension, in the order of their names.
pub fn with_extension(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == extension) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
