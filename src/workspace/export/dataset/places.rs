//! Creates the files of a staging folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::export::error::ExportError;

/// Creates a file below an existing folder, and the folders that lead to it.
pub fn create(folder: &Path, file: &Path) -> Result<File, ExportError> {
    let path = folder.join(file);
    let failed = ExportError::writing(&path);
    // Not `create_dir_all`: if the program is about to end, the staging folder is gone and must not come back.
    let mut parents: Vec<&Path> = file.ancestors().skip(1).collect();
    parents.reverse();
    for parent in parents.into_iter().filter(|parent| !parent.as_os_str().is_empty()) {
        match fs::create_dir(folder.join(parent)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(failed)?,
        }
    }
    File::create(&path).map_err(failed)
}
