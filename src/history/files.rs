//! The Parquet files of a history.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use exporters::{EncodeError, Format, Target};
use parquet::arrow::ArrowWriter;
use serde::Serialize;

use super::error::HistoryError;
use super::row::batch;
use crate::bundle::replace;

/// Returns the schema of the file of a table: all columns, with their documentation and plain types.
pub fn schema(table: &str) -> SchemaRef {
    let columns = schemas::find(table).map(schemas::Table::columns).unwrap_or_default();
    let fields = columns.iter().map(|column| {
        let found = schemas::arrow::data_type(column.kind);
        let plain = if found == DataType::Utf8View { DataType::Utf8 } else { found };
        let metadata = schemas::arrow::metadata(&column.doc, column.unit.name());
        Field::new(&column.name, plain, true).with_metadata(metadata)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Writes rows to a file, which is replaced as a whole, so that it is never half written.
pub fn replace_rows<Row: Serialize>(
    path: &Path,
    schema: &SchemaRef,
    rows: &[Row],
) -> std::io::Result<()> {
    let rows = batch(schema, rows).map_err(std::io::Error::other)?;
    replace(path, |file| {
        let mut writer = ArrowWriter::try_new(file.as_file(), rows.schema(), None)?;
        writer.write(&rows)?;
        writer.close()?;
        Ok(())
    })
}

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
