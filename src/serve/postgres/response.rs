//! The rows of a statement as they are sent.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use futures::future::Either;
use futures::{StreamExt, stream};
use pgwire::api::results::QueryResponse;
use pgwire::error::PgWireResult;
use pgwire::types::format::FormatOptions;

use super::errors::told;
use super::values::{Column, as_described, encode, fields};
use crate::rows::Rows;

/// Rows that are not worth another thread.
const FEW: usize = 512;
/// Batches that are encoded or sent at once.
const AHEAD: usize = 2;

/// Returns the rows of a statement, whose columns were described, as they are sent. A batch is encoded while the rows of the one
/// before are sent.
pub(crate) fn response(
    rows: Rows,
    described: Vec<Column>,
    options: FormatOptions,
    statement: Arc<str>,
) -> QueryResponse {
    let told_columns = Arc::new(fields(&described));
    let columns = as_described(described, &rows.schema);
    let encode =
        move |batch: &RecordBatch| -> Vec<PgWireResult<_>> { encode(&columns, &options, batch) };
    let encode = Arc::new(encode);
    let encoded = stream::unfold(rows, move |mut rows| {
        let (encode, statement) = (Arc::clone(&encode), Arc::clone(&statement));
        async move {
            let encoded = match rows.next().await? {
                Ok(batch) if batch.num_rows() < FEW => Either::Left(encode(&batch)),
                Ok(batch) => Either::Right(rows.compute(move || encode(&batch))),
                Err(error) => Either::Left(vec![Err(told(&error, &statement))]),
            };
            let encoded = async move {
                match encoded {
                    Either::Left(rows) => rows,
                    Either::Right(rows) => {
                        rows.await.unwrap_or_else(|error| vec![Err(told(&error, &statement))])
                    }
                }
            };
            Some((encoded, rows))
        }
    });
    QueryResponse::new(told_columns, encoded.buffered(AHEAD).flat_map(stream::iter))
}
