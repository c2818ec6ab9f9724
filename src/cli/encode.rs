//! Writes the batches of a result in the selected format.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use exporters::{EncodeError, Format};
use futures::{Stream, StreamExt, stream};

use super::error::CliError;
use super::leading;
use super::output::Destination;
use crate::export::encode;

/// Writes a stream of batches; those of `SELECT *` on a terminal with the columns first that tell rows apart. Returns the
/// number of rows, or `None` for a statement without a result, such as CREATE VIEW.
pub async fn write<E: Into<CliError>>(
    schema: &SchemaRef,
    batches: impl Stream<Item = Result<RecordBatch, E>> + Unpin,
    format: Format,
    destination: &Destination,
) -> Result<Option<usize>, CliError> {
    let mut batches = batches.map(|batch| batch.map_err(Into::<CliError>::into));
    if schema.fields().is_empty() {
        while batches.next().await.transpose()?.is_some() {}
        return Ok(None);
    }
    let target = destination.target();
    let first = match format {
        Format::Box if target.width.is_some() => leading::order(schema),
        _ => None,
    };
    let Some(order) = first else {
        let encoder = format.encoder(schema, destination.writer(), target)?;
        return encode(batches, encoder).await.map(Some);
    };
    let ordered = Arc::new(schema.project(&order).map_err(EncodeError::from)?);
    let encoder = format.encoder(&ordered, destination.writer(), target)?;
    let batches = batches.map(|batch| {
        let projected = batch?.project(&order);
        projected.map_err(|error| CliError::from(EncodeError::from(error)))
    });
    encode(batches, encoder).await.map(Some)
}

/// Writes batches in a format, and finishes the file.
pub fn write_all(
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
    format: Format,
    destination: Destination,
) -> Result<(), CliError> {
    let format = destination.format(Some(format))?;
    let batches = stream::iter(batches.into_iter().map(Ok::<_, DataFusionError>));
    futures::executor::block_on(write(schema, batches, format, &destination))?;
    destination.commit()
}
