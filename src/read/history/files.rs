//! Writes the Parquet files of a history.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use exporters::{EncodeError, Format, Target};

use super::error::HistoryError;

/// Writes batches to a new file.
pub fn write<E: From<HistoryError>>(
    path: &Path,
    schema: &SchemaRef,
    batches: impl IntoIterator<Item = Result<RecordBatch, E>>,
) -> Result<(), E> {
    let failed = HistoryError::writing(path);
    let unwritten = |error: EncodeError| match error {
        EncodeError::Io(error) => failed(error),
        other @ EncodeError::Unsupported(_) => failed(std::io::Error::other(other)),
    };
    let output = Box::new(BufWriter::new(File::create_new(path).map_err(failed)?));
    let target = Target { file: true, ..Target::default() };
    let mut encoder = Format::Parquet.encoder(schema, output, target).map_err(unwritten)?;
    for batch in batches {
        encoder.batch(&batch?).map_err(unwritten)?;
    }
    Ok(encoder.finish().map_err(unwritten)?)
}
