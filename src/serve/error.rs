//! Why a server cannot start, or a statement has no result.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use engine::EngineError;
use workspace::{OpenError, SqlError};

/// Why a server cannot start, or a statement of a client has no result.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What is to be served cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The statement has no result.
    #[error(transparent)]
    Statement(#[from] SqlError),
    /// The result is too large.
    #[error("the result has more than {0} bytes, the limit of this server")]
    Bytes(u64),
    /// The process takes too much memory.
    #[error(
        "the statement was stopped, as the server takes more memory than its limit of {0} bytes and this statement has run for longest"
    )]
    Memory(usize),
    /// The client has stopped the statement.
    #[error("the statement was stopped by its client")]
    Cancelled,
    /// The server ends.
    #[error("the statement was stopped, as the server ends")]
    Stopping,
    /// What a prepared statement reads has changed, and its columns with it.
    #[error(
        "the columns of the prepared statement have changed, as other files are served now; prepare it again"
    )]
    Changed,
    /// An address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    Listen { address: String, source: io::Error },
    /// An address is open to other machines, and access is not limited.
    #[error(
        "{0} can be reached from other machines; give option `tls_cert`, option `tls_key` and option `password_file`, or listen at 127.0.0.1"
    )]
    Exposed(SocketAddr),
    /// The address of the counts is open to other machines.
    #[error(
        "{0} can be reached from other machines, and option `metrics` has neither TLS nor passwords; listen at 127.0.0.1"
    )]
    ExposedMetrics(SocketAddr),
    /// A file with a certificate, a key or passwords is not usable.
    #[error("{}: {what}", path.display())]
    File { path: PathBuf, what: String },
    /// The system lacks something.
    #[error("cannot {action}: {source}")]
    System { action: &'static str, source: io::Error },
}

impl ServeError {
    /// Returns the error of a statement that has taken too long.
    pub fn time(limit: Duration) -> Self {
        Self::Statement(SqlError::Time(limit))
    }

    /// Returns the error in the words of a client, which has no options.
    pub fn told(&self) -> String {
        self.to_string().replace("option `read_only_sql`", "this server, which only reads")
    }

    /// Returns one word for logs and metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Statement(SqlError::Time(_)) => "timeout",
            Self::Statement(SqlError::Rows(_)) | Self::Bytes(_) | Self::Memory(_) => "limit",
            Self::Statement(SqlError::Panicked(_)) => "bug",
            Self::Cancelled | Self::Stopping => "stopped",
            _ => "error",
        }
    }
}

impl From<EngineError> for ServeError {
    fn from(error: EngineError) -> Self {
        Self::Statement(error.into())
    }
}
