//! Writes the rows of a file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;
use parquet::arrow::ArrowWriter;
use serde::Serialize;

/// Converts rows to a batch. The encoder of JSON takes numbers as they are, not as text.
pub fn batch<Row: Serialize>(schema: &SchemaRef, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let builder = ReaderBuilder::new(Arc::clone(schema)).with_batch_size(rows.len().max(1));
    let mut decoder = builder.build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(schema))))
}

/// Writes rows to a file, which is replaced as a whole, so that it is never half written.
pub fn replace<Row: Serialize>(path: &Path, schema: &SchemaRef, rows: &[Row]) -> io::Result<()> {
    let rows = batch(schema, rows).map_err(io::Error::other)?;
    base::replace(path, |file| {
        let mut writer = ArrowWriter::try_new(file.as_file(), rows.schema(), None)?;
        writer.write(&rows)?;
        writer.close()?;
        Ok(())
    })
}
