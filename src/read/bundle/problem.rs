//! Problems that are found while a file is read: the rows of the table `problems`.

use super::limits::PROBLEMS;

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No data is missing.
    Info,
    /// The producer lost data.
    Warning,
    /// Data of the file is missing from the tables.
    Error,
}

impl Severity {
    /// Returns the severity as the table spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A problem of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// Absolute offset; `None` if the problem has no single position.
    pub offset: Option<u64>,
    /// Index of the file record; `None` outside of records.
    pub record: Option<u64>,
    /// A short name for filters.
    pub kind: &'static str,
    pub what: String,
}

impl Problem {
    /// Creates a problem at an offset and in a record, either of which can be `None`.
    pub fn new(
        severity: Severity,
        kind: &'static str,
        offset: impl Into<Option<u64>>,
        record: impl Into<Option<u64>>,
        what: String,
    ) -> Self {
        Self { severity, offset: offset.into(), record: record.into(), kind, what }
    }
}

/// Collects the problems of a file, up to [`PROBLEMS`].
#[derive(Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    left_off: u64,
}

impl Problems {
    /// Adds a problem, or only counts it if there are too many.
    pub fn push(&mut self, problem: Problem) {
        // Errors are never dropped: they report missing data, and there are only a few.
        if problem.severity == Severity::Error || self.kept.len() < PROBLEMS {
            self.kept.push(problem);
        } else {
            self.left_off += 1;
        }
    }

    /// Returns the problems. If some were dropped, a last problem gives their number.
    pub fn finish(mut self) -> Vec<Problem> {
        if self.left_off > 0 {
            let what = format!("{} more problems of this file are not listed", self.left_off);
            self.kept.push(Problem::new(Severity::Warning, "more_problems", None, None, what));
        }
        self.kept
    }
}
