//! Rows as messages of Flight, as they come.
//!
//! A task of its own takes rows from the statement and waits for the client, so that a client that reads no more keeps
//! nothing longer than a statement may run.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arrow_flight::FlightData;
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::error::FlightError;
use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use futures::{Stream, StreamExt, stream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tonic::Status;

use super::errors::told;
use super::handles::Running;
use super::incoming::Call;
use crate::error::ServeError;
use crate::rows::Rows;

/// What a client gets.
pub type Messages = Pin<Box<dyn Stream<Item = Result<FlightData, Status>> + Send>>;

/// Returns columns as they are sent. Clients take texts that share no buffers, and no dictionaries. Any column may have
/// NULLs, as a plan tells less of them when it is optimized, and clients refuse other columns than those that they were told.
pub fn plain(schema: &Schema) -> SchemaRef {
    let plain = |known: &DataType| match known {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    };
    let fields = schema.fields().iter().map(|field| {
        let plain = plain(field.data_type());
        field.as_ref().clone().with_data_type(plain).with_nullable(true)
    });
    let fields: Vec<Field> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn converted(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// Returns the messages of one batch.
pub fn whole(batch: RecordBatch) -> Messages {
    let encoder = FlightDataEncoderBuilder::new().with_schema(batch.schema());
    encoded(encoder, stream::iter([Ok(batch)]))
}

fn encoded(
    encoder: FlightDataEncoderBuilder,
    batches: impl Stream<Item = Result<RecordBatch, FlightError>> + Send + 'static,
) -> Messages {
    Box::pin(encoder.build(batches).map(|message| message.map_err(Status::from)))
}

/// Returns the messages of the rows of a statement that has begun, all of which must be taken within a time.
pub fn sent(
    rows: Rows,
    (begun, limit): (Instant, Duration),
    running: Running,
    call: Call,
) -> Messages {
    let schema = plain(&rows.schema);
    let (sender, batches) = mpsc::channel(1);
    let end = Arc::new(OnceLock::new());
    let sending = Sending {
        schema: Arc::clone(&schema),
        limit,
        deadline: begun + limit,
        running,
        _call: call,
        sender,
        end: Arc::clone(&end),
    };
    tokio::spawn(sending.send(rows));
    let taken = stream::unfold((batches, Some(end)), |(mut batches, end)| async move {
        if let Some(batch) = batches.recv().await {
            return Some((Ok(batch), (batches, end)));
        }
        // After the last batch, or instead of one.
        let error: Status = end?.get()?.clone();
        Some((Err(FlightError::from(error)), (batches, None)))
    });
    encoded(FlightDataEncoderBuilder::new().with_schema(schema), taken)
}

/// What sends the rows of a statement.
struct Sending {
    schema: SchemaRef,
    limit: Duration,
    deadline: Instant,
    running: Running,
    _call: Call,
    sender: mpsc::Sender<RecordBatch>,
    /// Why there are no more rows, where that is an error.
    end: Arc<OnceLock<Status>>,
}

impl Sending {
    async fn send(self, mut rows: Rows) {
        if let Err(error) = self.send_all(&mut rows).await {
            let _ = self.end.set(error);
        }
        // The statement has ended before its client knows.
        drop(rows);
    }

    async fn send_all(&self, rows: &mut Rows) -> Result<(), Status> {
        loop {
            let next = tokio::select! {
                next = rows.next() => next,
                () = self.sender.closed() => return Ok(()),
                error = self.stopped() => return Err(ended(rows, &error)),
            };
            let Some(batch) = next else { return Ok(()) };
            let batch = batch.map_err(|error| told(&error))?;
            let batch = converted(&batch, &self.schema)
                .map_err(|error| Status::internal(error.to_string()))?;
            tokio::select! {
                sent = self.sender.send(batch) => if sent.is_err() { return Ok(()) },
                error = self.stopped() => return Err(ended(rows, &error)),
            }
        }
    }

    /// Waits until the client stops the statement, or its time is over.
    async fn stopped(&self) -> ServeError {
        tokio::select! {
            () = self.running.stop.cancelled() => ServeError::Cancelled,
            () = sleep_until(self.deadline) => ServeError::time(self.limit),
        }
    }
}

fn ended(rows: &mut Rows, error: &ServeError) -> Status {
    rows.stopped(error);
    told(error)
}
