//! Reads the files of specs.

use std::path::Path;

use crate::cli::error::CliError;
use crate::tuning::spec::Spec;

/// Reads a spec. Bytes that are no text are kept as they can be, so that the error says what the file is.
pub fn read(path: &Path) -> Result<Spec, CliError> {
    let bytes = std::fs::read(path).map_err(CliError::reading(path))?;
    let read = Spec::read(&String::from_utf8_lossy(&bytes));
    read.map_err(|source| CliError::Spec { path: path.to_owned(), source })
}
