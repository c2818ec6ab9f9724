//! Encodes a stream of batches.

use arrow::array::RecordBatch;
use exporters::{EncodeError, Encoder};
use futures::{Stream, StreamExt};

/// Encodes batches and finishes the output. Returns the number of rows.
pub async fn encode<E: From<EncodeError>>(
    mut batches: impl Stream<Item = Result<RecordBatch, E>> + Unpin,
    mut encoder: Box<dyn Encoder>,
) -> Result<usize, E> {
    let mut rows = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        rows += batch.num_rows();
        encoder.batch(&batch)?;
    }
    encoder.finish()?;
    Ok(rows)
}
