//! A file that rows are appended to, or that takes the place of an old one once it is whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::replacing;
use tempfile::TempPath;

use crate::bench::error::BenchError;

/// The open file.
pub struct ReportFile {
    path: PathBuf,
    file: File,
    /// Where it is written until it is whole; `None` if it is appended to, or is a device or a pipe.
    temporary: Option<TempPath>,
}

impl ReportFile {
    /// Opens a file to append to it or to replace it.
    pub fn open(path: &Path, is_appending: bool) -> Result<Self, BenchError> {
        let failed = BenchError::file("write", path);
        let resolved = fs::canonicalize(path);
        let path = resolved.as_deref().unwrap_or(path).to_owned();
        if is_appending {
            let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
            return Ok(Self { path, file, temporary: None });
        }
        let opened = replacing(&path).map_err(BenchError::file("write", &path));
        opened.map(|(file, temporary)| Self { path, file, temporary })
    }

    /// Puts the file in its place. Without it, the old one stays.
    pub fn commit(self) -> Result<(), BenchError> {
        let Some(temporary) = self.temporary else { return Ok(()) };
        let failed = BenchError::file("write", &self.path);
        temporary.persist(&self.path).map_err(|error| failed(error.error))
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
