//! Columns and values in PostgreSQL's types.
//!
//! Unsigned integers of 64 bits are `numeric`, as they have no smaller type that holds them all; smaller ones are the next
//! larger signed type.

use std::sync::Arc;

use arrow_pg::datatypes::df::deserialize_parameters;
use arrow_pg::datatypes::{arrow_schema_to_pg_fields, encode_recordbatch, into_pg_type};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{ParamValues, ScalarValue};
use futures::future::Either;
use futures::{StreamExt, stream};
use pgwire::api::Type;
use pgwire::api::portal::{Format, Portal};
use pgwire::api::results::{FieldInfo, QueryResponse};
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::data::DataRow;
use pgwire::types::format::FormatOptions;

use super::errors::{refused, told};
use crate::rows::Rows;

/// Rows that are not worth another thread.
const FEW: usize = 512;
/// Batches that are encoded or sent at once.
const AHEAD: usize = 2;

/// Returns the columns of a result.
pub fn fields(
    schema: &Schema,
    format: &Format,
    options: Option<Arc<FormatOptions>>,
) -> PgWireResult<Vec<FieldInfo>> {
    if let Format::Individual(formats) = format
        && formats.len() != schema.fields().len()
    {
        let (given, wanted) = (formats.len(), schema.fields().len());
        return Err(refused("08P01", format!("{given} formats for {wanted} columns")));
    }
    arrow_schema_to_pg_fields(schema, format, options)
}

/// Returns the types of parameters.
pub fn types(parameters: &[Option<DataType>]) -> PgWireResult<Vec<Type>> {
    let of = |known: &Option<DataType>| known.as_ref().map_or(Ok(Type::UNKNOWN), into_pg_type);
    parameters.iter().map(of).collect()
}

/// Returns the values of parameters.
pub fn values<S: Clone>(
    portal: &Portal<S>,
    types: &[Option<DataType>],
) -> PgWireResult<Vec<ScalarValue>> {
    let types: Vec<_> = types.iter().map(Option::as_ref).collect();
    if portal.parameter_len() != types.len() {
        let (given, wanted) = (portal.parameter_len(), types.len());
        return Err(refused("08P01", format!("{given} values for {wanted} parameters")));
    }
    match deserialize_parameters(portal, &types)? {
        ParamValues::List(values) => Ok(values.into_iter().map(|it| it.value).collect()),
        ParamValues::Map(_) => Err(refused("08P01", "parameters have numbers, not names")),
    }
}

/// Returns the rows of a statement as they are sent. A batch is encoded while the rows of the one before are sent.
pub(crate) fn response(rows: Rows, fields: Vec<FieldInfo>, statement: Arc<str>) -> QueryResponse {
    let fields = Arc::new(fields);
    let of_rows = Arc::clone(&fields);
    let encoded = stream::unfold(rows, move |mut rows| {
        let (fields, statement) = (Arc::clone(&of_rows), Arc::clone(&statement));
        async move {
            let encoded = match rows.next().await? {
                Ok(batch) if batch.num_rows() < FEW => Either::Left(encode(&fields, &batch)),
                Ok(batch) => Either::Right(rows.compute(move || encode(&fields, &batch))),
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
    QueryResponse::new(fields, encoded.buffered(AHEAD).flat_map(stream::iter))
}

/// Encodes the rows of a batch, up to the first that cannot be written: `arrow-pg` 0.16 would try it again for ever.
fn encode(fields: &Arc<Vec<FieldInfo>>, batch: &RecordBatch) -> Vec<PgWireResult<DataRow>> {
    let mut rows = Vec::with_capacity(batch.num_rows());
    for row in encode_recordbatch(Arc::clone(fields), batch.clone()) {
        match row {
            Ok(row) => rows.push(Ok(row)),
            Err(error) => {
                let error = unwritten(fields, batch, rows.len()).unwrap_or(error);
                rows.push(Err(error));
                break;
            }
        }
    }
    rows
}

/// Returns an error that names the first value of a row that cannot be written.
fn unwritten(fields: &[FieldInfo], batch: &RecordBatch, row: usize) -> Option<PgWireError> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).zip(fields);
    let mut failures = columns.filter_map(|((field, values), info)| {
        let one = Schema::new(vec![Arc::clone(field)]);
        let value = RecordBatch::try_new(Arc::new(one), vec![values.slice(row, 1)]).ok()?;
        let error =
            encode_recordbatch(Arc::new(vec![info.clone()]), value.clone()).next()?.err()?;
        let text = array_value_to_string(value.column(0), 0).unwrap_or_default();
        Some(refused(
            "0A000",
            format!(
                "the value {text} of the column {} ({}) cannot be written: {error}",
                field.name(),
                field.data_type()
            ),
        ))
    });
    failures.next()
}
