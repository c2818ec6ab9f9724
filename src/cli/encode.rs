//! Writes the batches of a result in the selected format.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use exporters::{Encoder, Format};
use futures::{Stream, StreamExt};

use super::error::CliError;
use super::output::Destination;
use crate::engine::EngineError;

/// Writes a stream of batches. Returns the number of rows, or `None` for a statement without a result, such as CREATE
/// VIEW.
pub async fn write(
    schema: &SchemaRef,
    mut batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin,
    format: Format,
    destination: &Destination,
) -> Result<Option<usize>, CliError> {
    if schema.fields().is_empty() {
        while batches.next().await.transpose().map_err(EngineError::from)?.is_some() {}
        return Ok(None);
    }
    let encoder = format.encoder(schema, destination.writer(), destination.target())?;
    encode(batches, encoder).await.map(Some)
}

/// Encodes a stream of batches. Returns the number of rows.
pub async fn encode(
    mut batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin,
    mut encoder: Box<dyn Encoder>,
) -> Result<usize, CliError> {
    let mut rows = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(EngineError::from)?;
        rows += batch.num_rows();
        encoder.batch(&batch)?;
    }
    encoder.finish()?;
    Ok(rows)
}
