//! Why gaps cannot be filled.

use read::bundle::BundleError;
use tools::capture::CaptureError;
use workspace::OpenError;

/// Why gaps cannot be filled.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// The set could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The capture cannot be prepared.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A folder was given for a set, which is filled where it is.
    #[error("{0} is a capture set, which is filled in place")]
    InPlace(String),
    /// It is not known how the bundle was captured.
    #[error("the command that captured {0} is unknown")]
    UnknownCommand(String),
}

impl From<BundleError> for FillError {
    fn from(error: BundleError) -> Self {
        Self::Open(error.into())
    }
}
