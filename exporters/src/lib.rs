//! Encodes query results in the output formats, each a file with an [`Encoder`].
//!
//! Rows arrive in batches and are written as they arrive; no format buffers a whole result. A new format needs a file
//! with an [`Encoder`], a variant of [`Format`] and an example in `tests/cli/formats.test`.
//!
//! It knows Arrow batches and bytes. It knows no bundles and no queries.

mod array;
mod arrow_ipc;
mod boxed;
mod cells;
mod delimited;
mod encoder;
pub mod ireeperf;
mod json;
mod line;
mod markdown;
mod parquet_file;
pub mod perfetto;
mod plain;
mod repeats;
pub mod report_jsonl;

pub use array::LineArray;
pub use encoder::{EncodeError, Encoder, Output, Target};

use arrow::datatypes::SchemaRef;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use arrow::json::writer::{JsonArray, LineDelimited};

use self::arrow_ipc::Ipc;

/// The output formats of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A table with box-drawing lines.
    Box,
    Markdown,
    Csv,
    Tsv,
    /// One array of objects.
    Json,
    /// One object per line.
    Jsonl,
    /// One `column = value` per line.
    Line,
    /// A file or a stream, as the target is one.
    Arrow,
    Parquet,
}

impl Format {
    /// Every format with its name.
    const ALL: [(Self, &str); 9] = [
        (Self::Box, "box"),
        (Self::Markdown, "markdown"),
        (Self::Csv, "csv"),
        (Self::Tsv, "tsv"),
        (Self::Json, "json"),
        (Self::Jsonl, "jsonl"),
        (Self::Line, "line"),
        (Self::Arrow, "arrow"),
        (Self::Parquet, "parquet"),
    ];

    /// Returns the names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|(_, name)| name)
    }

    /// Returns the format called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(format, _)| format)
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
            Self::Csv => Box::new(delimited::Delimited::new(schema, output, b',', target)),
            Self::Tsv => Box::new(delimited::Delimited::new(schema, output, b'\t', target)),
            Self::Json => Box::new(json::Json::<JsonArray>::new(output, b"\n")),
            Self::Jsonl => Box::new(json::Json::<LineDelimited>::new(output, b"")),
            Self::Line => Box::new(line::Line::new(schema, output)),
            Self::Arrow if target.file => Box::new(Ipc::new(schema, output, FileWriter::try_new)?),
            Self::Arrow => Box::new(Ipc::new(schema, output, StreamWriter::try_new)?),
            Self::Parquet => Box::new(parquet_file::Parquet::new(schema, output)),
        })
    }
}
