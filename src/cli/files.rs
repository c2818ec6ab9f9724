//! Files that commands write as a whole.

use std::io::Write;
use std::path::Path;

use super::error::CliError;
use crate::base::replace;

/// Writes a text to a file, atomically.
pub fn write_text(path: &Path, text: &str) -> Result<(), CliError> {
    replace(path, |file| file.write_all(text.as_bytes())).map_err(CliError::writing(path))
}
