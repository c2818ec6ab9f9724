//! Why traces cannot be decoded.

use std::io;

use read::bundle::BundleError;

/// What is possible without the libraries.
pub(crate) const WITHOUT: &str = "`ireescope att --list` and `--extract` need no library";

/// Why a trace, or any trace, cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum AttError {
    /// A library that decoding needs is missing or does not load.
    #[error("{0}")]
    Lacking(String),
    /// A trace cannot be decoded.
    #[error("{0}")]
    Failed(String),
    /// The bundle is damaged.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The process that decodes could not be run.
    #[error("cannot {action}: {source}")]
    System { action: &'static str, source: io::Error },
}

impl AttError {
    /// Returns a function that wraps the error of an operation of the system.
    pub fn system(action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::System { action, source }
    }
}
