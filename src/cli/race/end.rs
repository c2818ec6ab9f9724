//! How a race ends.

use crate::cli::error::CliError;

/// Why a race ended.
pub enum End {
    Decided,
    /// All runs are done.
    All,
    TimeLimit,
    Interrupted,
    Failed(CliError),
}

impl From<CliError> for End {
    fn from(error: CliError) -> Self {
        Self::Failed(error)
    }
}
