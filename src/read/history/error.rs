//! Errors of histories.

use std::io;
use std::path::{Path, PathBuf};

use crate::remote::RemoteError;
use crate::store::StoreError;

/// Why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// A file or folder could not be read.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file or folder could not be written.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The folder is no history.
    #[error("{} is no history: {what}", path.display())]
    NotOne { path: PathBuf, what: String },
    /// An object could not be read or written.
    #[error(transparent)]
    Remote(Box<RemoteError>),
    /// A Parquet file is damaged.
    #[error("{} is damaged: {what}; remove its folder and add the runs again", path.display())]
    Damaged { path: PathBuf, what: String },
    /// The same of an object.
    #[error(
        "{address} is damaged: {what}; restore it, or take its piece out of history.json and add the runs again"
    )]
    DamagedObject { address: String, what: String },
}

impl From<RemoteError> for HistoryError {
    fn from(error: RemoteError) -> Self {
        Self::Remote(Box::new(error))
    }
}

impl HistoryError {
    /// Whether a file is gone that a list names.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Remote(error) if matches!(**error, RemoteError::Missing { .. }))
    }

    /// Converts the errors of reading a path.
    pub fn reading<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Read { path: path.to_owned(), source: error.into() }
    }

    /// Converts the errors of writing a path.
    pub fn writing<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Write { path: path.to_owned(), source: error.into() }
    }

    /// Converts the errors of reading rows.
    pub(super) fn of_rows(path: &Path) -> impl Fn(StoreError) -> Self + Copy {
        move |error| match error {
            StoreError::Io(error) => Self::reading(path)(error),
            other => Self::damaged(path)(other),
        }
    }

    /// Converts what is wrong with the contents of a file.
    pub fn damaged<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Damaged { path: path.to_owned(), what: error.to_string() }
    }
}
