//! Why a call has no answer.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use arrow::error::ArrowError;
use engine::EngineError;
use read::bundle::BundleError;
use show::page::PageError;
use workspace::comparison::CompareError;
use workspace::{OpenError, ReportError, SqlError};

use super::path::PathError;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The arguments are wrong.
    #[error("{0}")]
    Arguments(String),
    /// A path cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Something cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A bundle cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A statement failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// A command of `iree-profile` has no answer.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The sides cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A report could not be made.
    #[error(transparent)]
    Page(#[from] PageError),
    /// Rows could not be encoded.
    #[error("rows cannot be written as JSON: {0}")]
    Encode(#[from] ArrowError),
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The machine lacks something.
    #[error("cannot {action}: {what}")]
    System { action: &'static str, what: String },
    /// It took too long.
    #[error(
        "stopped after {0:?}, the most that this server takes for a call; ask for less, or of fewer bundles"
    )]
    Time(Duration),
    /// The client has cancelled it.
    #[error("cancelled by the client")]
    Cancelled,
    /// A library has a bug, in these words.
    #[error("a bug in ireescope or one of its libraries: {0}")]
    Panicked(String),
}

impl CallError {
    /// Returns the error with its causes.
    pub fn told(&self) -> String {
        let causes = std::iter::successors(self.source(), |error| (*error).source());
        causes.fold(self.to_string(), |told, cause| format!("{told}: {cause}"))
    }

    /// Returns one word for logs.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Arguments(_) => "arguments",
            Self::Path(_) => "path",
            Self::Time(_) => "timeout",
            Self::Cancelled => "cancelled",
            Self::Panicked(_) => "bug",
            _ => "error",
        }
    }
}
