//! Errors of opening and reading bundles.

use std::io;
use std::path::{Path, PathBuf};

/// An error in the bytes of a file: its offset, its field and a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{field}: {what}", place(*.offset, *.record))]
pub struct Fault {
    /// Absolute offset in the uncompressed file.
    pub offset: u64,
    /// Index of the file record; `None` outside of records.
    pub record: Option<u64>,
    pub field: &'static str,
    pub what: String,
}

fn place(offset: u64, record: Option<u64>) -> String {
    let record = record.map_or(String::new(), |index| format!("record {index}, "));
    format!("at byte {offset} (0x{offset:x}), {record}")
}

impl Fault {
    /// Creates a fault outside of any record.
    pub const fn new(offset: u64, field: &'static str, what: String) -> Self {
        Self { offset, record: None, field, what }
    }

    /// Returns the fault with the index of its record.
    #[must_use]
    pub const fn in_record(mut self, index: u64) -> Self {
        self.record = Some(index);
        self
    }
}

/// Quotes a path for a shell where necessary.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    shlex::try_quote(&path).map_or_else(|_| path.to_string(), std::borrow::Cow::into_owned)
}

/// Why a bundle could not be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The query that reads was stopped.
    #[error("the query was stopped")]
    Stopped,
    /// An operation of the operating system failed.
    #[error("cannot {action} {}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// No bundle matches the argument.
    #[error("no bundle at {path}: {hint}")]
    Missing { path: String, hint: &'static str },
    /// The bytes violate the format.
    #[error("{} is damaged: {fault}", path.display())]
    Damaged { path: PathBuf, fault: Fault },
    /// The file was shortened by another program.
    #[error("{} became shorter while it was read (was {was} bytes, is {is}); read it again when no program writes to it", path.display())]
    Shortened { path: PathBuf, was: u64, is: u64 },
    /// The file is not a bundle, or its version is not supported.
    #[error("{} cannot be read: {what}", path.display())]
    Unreadable { path: PathBuf, what: String },
    /// All runs of a capture set were refused or failed.
    #[error("no bundle at {}: no run of the capture set recorded anything{why}; ireescope gaps {} shows what can be captured", path.display(), quoted(path))]
    NothingRecorded { path: PathBuf, why: String },
    /// The bundle is incomplete, and `--strict` was given.
    #[error("{} is incomplete: {problem} (only without option `strict`)", path.display())]
    Unfinished { path: PathBuf, problem: String },
    /// Two files have the same label.
    #[error("two bundles have the label `{label}` ({} and {}); use NAME=PATH to distinguish them", first.display(), second.display())]
    SameLabel { label: String, first: PathBuf, second: PathBuf },
}

impl BundleError {
    /// Returns a function that wraps the error of an operation on a file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// Creates the error of a file that cannot be read for this reason.
    pub fn unreadable(path: &Path, what: String) -> Self {
        Self::Unreadable { path: path.to_owned(), what }
    }

    /// Returns the file that it is about; `None` if there is none, or several.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stopped | Self::SameLabel { .. } => None,
            Self::Missing { path, .. } => Some(Path::new(path)),
            Self::Io { path, .. }
            | Self::Damaged { path, .. }
            | Self::Shortened { path, .. }
            | Self::Unreadable { path, .. }
            | Self::NothingRecorded { path, .. }
            | Self::Unfinished { path, .. } => Some(path),
        }
    }

    /// Returns the absolute offset of the fault; `None` if the error has no position in the file.
    pub const fn offset(&self) -> Option<u64> {
        match self {
            Self::Damaged { fault, .. } => Some(fault.offset),
            _ => None,
        }
    }
}
