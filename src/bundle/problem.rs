//! What was skipped, salvaged or looked wrong: rows of the table `problems`.

use super::limits::PROBLEMS;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is missing.
    Info,
    /// The producer lost data.
    Warning,
    /// The file holds, or held, data that the tables do not.
    Error,
}

impl Severity {
    /// The severity as the table spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// Absolute offset, where it is in one place.
    pub offset: Option<u64>,
    /// File record, where it is in one.
    pub record: Option<u64>,
    /// A short name to filter by.
    pub kind: &'static str,
    pub what: String,
}

/// The problems of one file, capped.
#[derive(Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    left_off: u64,
}

impl Problems {
    /// Adds a problem, or counts it when there are too many.
    pub fn push(&mut self, problem: Problem) {
        // What says that data is missing is never left off; there are a handful at most.
        if problem.severity == Severity::Error || self.kept.len() < PROBLEMS {
            self.kept.push(problem);
        } else {
            self.left_off += 1;
        }
    }

    /// All of them; the last says how many were left off.
    pub fn finish(mut self) -> Vec<Problem> {
        if self.left_off > 0 {
            let what = format!("{} more problems of this file are not listed", self.left_off);
            self.kept.push(Problem {
                severity: Severity::Warning,
                offset: None,
                record: None,
                kind: "more_problems",
                what,
            });
        }
        self.kept
    }
}
