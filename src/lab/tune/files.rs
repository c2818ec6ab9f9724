//! Files that are written as a whole.

use std::io::Write;
use std::path::Path;

use base::replace;

use super::error::TuneError;

/// Writes a text to a file, atomically.
pub fn write_text(path: &Path, text: &str) -> Result<(), TuneError> {
    replace(path, |file| file.write_all(text.as_bytes())).map_err(TuneError::writing(path))
}
