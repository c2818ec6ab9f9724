//! The file of `--output`, as CSV or JSON lines.

use std::io::Write;
use std::path::PathBuf;

use super::args::Reporting;
use super::csv_report::CsvReport;
use super::kept::Kept;
use crate::bench::Collection;
use crate::bench::run::DispatchRun;
use crate::cli::error::CliError;

/// The output of results in addition to standard output.
pub enum Results {
    Nowhere,
    Csv(Box<CsvReport>),
    JsonLines(PathBuf, Kept),
}

impl Results {
    /// Opens the file of `--output`, if one is given.
    pub fn open(reporting: &Reporting, collections: &[Collection]) -> Result<Self, CliError> {
        let Some(path) = &reporting.output else { return Ok(Self::Nowhere) };
        if path.extension().is_none_or(|end| end != "jsonl") {
            let report = CsvReport::open(path, reporting.append, &reporting.tags, collections)?;
            return Ok(Self::Csv(Box::new(report)));
        }
        Ok(Self::JsonLines(path.clone(), Kept::open(path, reporting.append)?))
    }

    /// Writes the row of a dispatch.
    pub fn put(&mut self, row: &DispatchRun) -> Result<(), CliError> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Csv(report) => report.put(row),
            Self::JsonLines(path, file) => {
                let line = serde_json::to_string(row).map_err(CliError::writing(path))?;
                writeln!(file, "{line}").map_err(CliError::writing(path))
            }
        }
    }

    /// Puts the file in its place. If the command is interrupted before, the old one stays.
    pub fn commit(self) -> Result<(), CliError> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Csv(report) => report.commit(),
            Self::JsonLines(_, file) => file.commit(),
        }
    }
}
