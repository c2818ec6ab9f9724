//! Files that commands read and write as a whole.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::bundle::replace;

/// Returns the files of a folder whose names have an end, in the order of their names.
pub fn with_end(folder: &Path, end: &str) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(CliError::reading(folder))? {
        let path = entry.map_err(CliError::reading(folder))?.path();
        if path.extension().is_some_and(|it| it == end) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Writes a text to a file, atomically.
pub fn write_text(path: &Path, text: &str) -> Result<(), CliError> {
    replace(path, |file| file.write_all(text.as_bytes())).map_err(CliError::writing(path))
}
