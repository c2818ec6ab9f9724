//! The file of results: a row for each dispatch, as CSV or JSON lines.

mod csv;
mod file;

use std::io::Write;
use std::path::{Path, PathBuf};

use self::csv::CsvReport;
use self::file::ReportFile;
use crate::bench::error::BenchError;
use crate::bench::request::Collection;
use crate::bench::run::DispatchRun;

pub use self::csv::{PROVIDER, gflops, runtime_ms};

/// A file of results.
pub enum Report {
    Csv(Box<CsvReport>),
    JsonLines(PathBuf, ReportFile),
}

impl Report {
    /// Opens a file to append to it or to replace it: JSON lines if it ends in `.jsonl`, else CSV with columns for the tags
    /// and for what describes the operations.
    pub fn open(
        path: &Path,
        is_appending: bool,
        tags: &[(String, String)],
        collections: &[Collection],
    ) -> Result<Self, BenchError> {
        if path.extension().is_none_or(|end| end != "jsonl") {
            let report = CsvReport::open(path, is_appending, tags, collections)?;
            return Ok(Self::Csv(Box::new(report)));
        }
        Ok(Self::JsonLines(path.to_owned(), ReportFile::open(path, is_appending)?))
    }

    /// Writes the row of a dispatch.
    pub fn put(&mut self, row: &DispatchRun) -> Result<(), BenchError> {
        match self {
            Self::Csv(report) => report.put(row),
            Self::JsonLines(path, file) => serde_json::to_string(row)
                .map_err(std::io::Error::from)
                .and_then(|line| writeln!(file, "{line}"))
                .map_err(BenchError::file("write", path)),
        }
    }

    /// Puts the file in its place. Without it, the old one stays.
    pub fn commit(self) -> Result<(), BenchError> {
        match self {
            Self::Csv(report) => report.commit(),
            Self::JsonLines(_, file) => file.commit(),
        }
    }
}
