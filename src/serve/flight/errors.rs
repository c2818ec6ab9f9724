//! Errors as gRPC tells them: a code, and a text.

use datafusion::arrow::error::ArrowError;
use engine::EngineError;
use tonic::{Code, Status};
use workspace::SqlError;

use crate::error::ServeError;

/// Most letters of a text. It is sent as a header, for which clients have little room.
const LETTERS: usize = 1500;

/// Returns what a client is told of an error.
pub fn told(error: &ServeError) -> Status {
    Status::new(code(error), short(error.told()))
}

/// Returns what a client is told that asks for more than reading.
pub fn refused(what: &str) -> Status {
    Status::unimplemented(format!("{what}: not supported; this server only reads"))
}

/// Returns what a client is told whose call is wrong.
pub fn wrong(what: impl Into<String>) -> Status {
    Status::invalid_argument(short(what.into()))
}

/// Returns what a client is told of an error that is not its own.
pub(crate) fn internal(error: &ArrowError) -> Status {
    Status::internal(error.to_string())
}

fn code(error: &ServeError) -> Code {
    match error {
        ServeError::Statement(SqlError::Engine(EngineError::Query(_))) => Code::InvalidArgument,
        ServeError::Statement(SqlError::Engine(EngineError::Bundle(_))) | ServeError::Open(_) => {
            Code::DataLoss
        }
        ServeError::Statement(
            SqlError::Engine(EngineError::Environment(_)) | SqlError::Rows(_),
        )
        | ServeError::Bytes(_)
        | ServeError::Memory(_) => Code::ResourceExhausted,
        ServeError::Statement(SqlError::Time(_)) => Code::DeadlineExceeded,
        ServeError::Cancelled => Code::Cancelled,
        ServeError::Stopping => Code::Unavailable,
        ServeError::Changed => Code::FailedPrecondition,
        _ => Code::Internal,
    }
}

fn short(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LETTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}
