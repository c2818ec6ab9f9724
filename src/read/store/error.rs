//! Errors of stored rows.

use std::io;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;

use super::row::RowError;

/// Why rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no Parquet file, or a damaged one.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// A part of it is damaged, or a column has another type.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// A row lacks a value, or has one of another type.
    #[error(transparent)]
    Row(#[from] RowError),
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Io(error) => error,
            other => Self::other(other.to_string()),
        }
    }
}
