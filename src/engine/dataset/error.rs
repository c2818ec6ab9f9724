//! Errors of datasets.

use std::path::PathBuf;

use datafusion::error::DataFusionError;
use read::remote::RemoteError;

/// Why a folder of Parquet files cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file is missing or unreadable.
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// An object could not be read.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The manifest is invalid.
    #[error("{} is not the manifest of an export ({what}); export the bundles again", path.display())]
    Manifest { path: PathBuf, what: String },
    /// A data file is damaged.
    #[error("{} is damaged: {what}; export the bundle again", path.display())]
    Damaged { path: PathBuf, what: String },
}

impl From<DatasetError> for DataFusionError {
    /// A store that refuses or does not answer is a fault of the environment, also in what another process tells.
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Remote(RemoteError::Store { .. } | RemoteError::Lost(_)) => {
                Self::IoError(std::io::Error::other(error))
            }
            other => Self::External(Box::new(other)),
        }
    }
}
