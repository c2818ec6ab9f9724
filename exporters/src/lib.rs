//! Encodes query results in the output formats, each a file with an [`Encoder`].
//!
//! Rows arrive in batches and are written as they arrive; no format buffers a whole result. A new format needs a file
//! with an [`Encoder`], a variant of [`Format`] and a golden file.
//!
//! Invariant: this crate takes Arrow batches and writes bytes; it opens no bundles and runs no queries.

mod arrow_ipc;
mod boxed;
mod cells;
mod delimited;
pub mod ireeperf;
mod json;
mod line;
mod markdown;
mod parquet_file;
pub mod perfetto;
mod plain;
pub mod report_jsonl;

pub use cells::printable;

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

/// The destination of the encoded bytes.
pub type Output = Box<dyn Write + Send>;

/// An error of an encoder.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
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

/// The output formats of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Box,
    Markdown,
    Csv,
    Tsv,
    Json,
    Jsonl,
    Line,
    Arrow,
    Parquet,
}

/// Properties of the output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Target {
    /// Width of the terminal in columns; `None` if the output is not a terminal.
    pub width: Option<usize>,
    /// True if the output is a file, which selects the Arrow file format instead of the stream format.
    pub file: bool,
}

impl Format {
    /// Every format with its name and description.
    pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Box, "box", "a table drawn with lines"),
        (Self::Markdown, "markdown", "a Markdown table"),
        (Self::Csv, "csv", "comma-separated values with a header"),
        (Self::Tsv, "tsv", "tab-separated values with a header"),
        (Self::Json, "json", "one JSON array of objects"),
        (Self::Jsonl, "jsonl", "one JSON object a line"),
        (Self::Line, "line", "one `column = value` a line"),
        (Self::Arrow, "arrow", "Arrow IPC: a file with -o, else a stream"),
        (Self::Parquet, "parquet", "Parquet with zstd, where there are many rows"),
    ];

    /// Returns the format called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(format, ..)| *format)
    }

    /// Returns the format for a file extension; `None` if the extension is unknown.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "md" => Some(Self::Markdown),
            "ndjson" => Some(Self::Jsonl),
            "txt" => Some(Self::Box),
            "ipc" | "feather" | "arrows" => Some(Self::Arrow),
            name => Self::named(name),
        }
    }

    /// True if the format is binary, and therefore not suitable for a terminal.
    pub const fn is_binary(self) -> bool {
        matches!(self, Self::Arrow | Self::Parquet)
    }

    /// Creates the encoder for a result with this schema.
    pub fn encoder(
        self,
        schema: &SchemaRef,
        output: Output,
        target: Target,
    ) -> Result<Box<dyn Encoder>, EncodeError> {
        Ok(match self {
            Self::Box => Box::new(boxed::Boxed::new(schema, output, target)),
            Self::Markdown => Box::new(markdown::Markdown::new(schema, output)?),
            Self::Csv => Box::new(delimited::Delimited::new(schema, output, b',')),
            Self::Tsv => Box::new(delimited::Delimited::new(schema, output, b'\t')),
            Self::Json => Box::new(json::Json::array(output)),
            Self::Jsonl => Box::new(json::Json::lines(output)),
            Self::Line => Box::new(line::Line::new(schema, output)),
            Self::Arrow if target.file => Box::new(arrow_ipc::IpcFile::new(schema, output)?),
            Self::Arrow => Box::new(arrow_ipc::IpcStream::new(schema, output)?),
            Self::Parquet => Box::new(parquet_file::Parquet::new(schema, output)),
        })
    }
}
