//! What can go wrong with a file, and how it is said.

use std::path::PathBuf;

/// Something wrong in the bytes: where, in which field, and what.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{field}: {what}", place(*.offset, *.record))]
pub struct Fault {
    /// Absolute offset in the (uncompressed) file.
    pub offset: u64,
    /// Index of the file record, where one was begun.
    pub record: Option<u64>,
    pub field: &'static str,
    pub what: String,
}

fn place(offset: u64, record: Option<u64>) -> String {
    let record = record.map_or(String::new(), |index| format!("record {index}, "));
    format!("at byte {offset} (0x{offset:x}), {record}")
}

impl Fault {
    /// A fault outside any record.
    pub const fn new(offset: u64, field: &'static str, what: String) -> Self {
        Self { offset, record: None, field, what }
    }

    /// The same fault, in record `index`.
    #[must_use]
    pub const fn in_record(mut self, index: u64) -> Self {
        self.record = Some(index);
        self
    }
}

/// Why a bundle could not be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    /// Nothing matches what was asked for.
    #[error("no bundle at {path}: {hint}")]
    Missing { path: String, hint: &'static str },
    /// The bytes are not what the format asks for.
    #[error("{} is damaged: {fault}", path.display())]
    Damaged { path: PathBuf, fault: Fault },
    /// The file is no bundle at all, or one that this version cannot read.
    #[error("{} cannot be read: {what}", path.display())]
    Unreadable { path: PathBuf, what: String },
    /// A capture set of runs that were all refused or failed.
    #[error("no bundle at {}: none of the capture set's runs recorded anything{why}; ireescope gaps says what can be had", path.display())]
    NothingRecorded { path: PathBuf, why: String },
    /// `--strict`, and the capture did not finish.
    #[error("{} is not whole: {problem}; without --strict, what precedes is read", path.display())]
    Unfinished { path: PathBuf, problem: String },
    /// Two files would carry one label.
    #[error("two bundles are labelled `{label}` ({} and {}); tell them apart as NAME=PATH", first.display(), second.display())]
    SameLabel { label: String, first: PathBuf, second: PathBuf },
}

impl BundleError {
    /// Where in the file the fault is, if there is a place.
    pub const fn offset(&self) -> Option<u64> {
        match self {
            Self::Damaged { fault, .. } => Some(fault.offset),
            _ => None,
        }
    }
}
