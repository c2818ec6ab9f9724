//! Why a history cannot be used.

use std::path::PathBuf;

use engine::EngineError;
use read::bundle::BundleError;
use read::history::HistoryError;

use crate::OpenError;
use crate::comparison::CompareError;

/// Why runs cannot be added to a history, or an entry cannot be accepted, checked or found.
#[derive(Debug, thiserror::Error)]
pub enum TrackingError {
    /// Bundles could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A bundle became shorter while it was read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The history could not be read or written.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// What is checked cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A history is to be added to another one.
    #[error("{0} is a history; name bundles to add")]
    IsHistory(String),
    /// A bundle has no times to add.
    #[error("{} has no timed dispatches, so there is nothing to keep", .0.display())]
    NoTimes(PathBuf),
    /// No entry has the branch and the labels.
    #[error("the history has no such entry")]
    NoEntry,
    /// No entry has an id that begins like this.
    #[error("{} has no entry {id}", folder.display())]
    UnknownEntry { folder: PathBuf, id: String },
    /// Several entries have ids that begin like this.
    #[error("the ids of several entries begin with {0}; write more of it")]
    SeveralEntries(String),
    /// It is not known with which entries of a branch bundles are to be compared.
    #[error("the entries of {branch} have different labels: {}", labels.join("; "))]
    DifferentLabels { branch: String, labels: Vec<String> },
    /// An entry is to be compared with itself.
    #[error("{entry} is the accepted baseline of {branch} itself")]
    IsBaseline { entry: String, branch: String },
    /// No function matches a pattern. There are these names.
    #[error("no function matches {pattern}")]
    NoMatch { pattern: String, names: Vec<String> },
}
