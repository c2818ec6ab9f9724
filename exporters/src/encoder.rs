//! What every format implements, and what it is given.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::error::ArrowError;

/// The destination of the encoded bytes.
pub type Output = Box<dyn Write + Send>;

/// An error of an encoder.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The output could not be written.
    #[error("cannot write the output")]
    Io(#[from] io::Error),
    /// The format cannot hold these columns.
    #[error("the format cannot hold this result: {0}")]
    Unsupported(String),
}

impl EncodeError {
    /// True if the output is a pipe whose reader has closed it.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<ArrowError> for EncodeError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Io(error),
            other => Self::Unsupported(other.to_string()),
        }
    }
}

/// Encodes the rows of one result.
pub trait Encoder: Send {
    /// Writes a batch.
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError>;

    /// Writes the remaining rows and the footer, if any, and flushes the output.
    fn finish(self: Box<Self>) -> Result<(), EncodeError>;
}

/// Properties of the output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Target {
    /// Width of the terminal in columns; `None` if the output is not a terminal.
    pub width: Option<usize>,
    /// Maximum number of rows of a `box`; `None` for all.
    pub rows: Option<usize>,
    /// True if the output is a file, which selects the Arrow file format instead of the stream format.
    pub file: bool,
    /// True if texts of `csv` and `tsv` that a spreadsheet would take for formulas are marked as texts.
    pub spreadsheet: bool,
}
