//! The rows of a statement of a client, as they come.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use base::said;
use datafusion::execution::SendableRecordBatchStream;
use engine::{EngineError, Ready};
use futures::{FutureExt, StreamExt};
use read::bundle::Files;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};
use workspace::SqlError;

use super::error::ServeError;
use super::limits::Limits;
use super::log::Record;
use super::memory::Guarded;
use super::runtimes::Lease;

/// Batches that a statement may be ahead of its client.
const AHEAD: usize = 2;

type Batch = Result<RecordBatch, ServeError>;

/// The rows of a statement. The statement ends when this is dropped.
pub struct Rows {
    pub schema: SchemaRef,
    batches: mpsc::Receiver<Batch>,
    record: Record,
    limits: Limits,
    files: Files,
    /// In this order: the statement is stopped before its threads are given back.
    _task: StopOnDrop,
    lease: Arc<Lease>,
    _turn: OwnedSemaphorePermit,
    _guarded: Guarded,
}

struct StopOnDrop(AbortHandle);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a statement needs to run.
pub struct Turn {
    pub(crate) lease: Lease,
    pub permit: OwnedSemaphorePermit,
    pub guarded: Guarded,
    pub deadline: Instant,
    /// What all statements may reserve.
    pub memory: usize,
    pub limits: Limits,
}

impl Rows {
    /// Starts a statement, which reads these files. It must end by the deadline, also where its client does not read its rows.
    pub async fn start(
        ready: Ready,
        files: Files,
        record: Record,
        turn: Turn,
    ) -> Result<Self, ServeError> {
        let Turn { lease, permit, guarded, deadline, memory, limits } = turn;
        let stopping = ServeError::Stopping;
        let Some(handle) = lease.handle() else { return Err(stopping) };
        let (begun, schema) = oneshot::channel();
        let (sender, batches) = mpsc::channel(AHEAD);
        let failed = sender.clone();
        let statement = async move {
            match ready.run().await {
                Ok(stream) => {
                    if begun.send(Ok(stream.schema())).is_ok() {
                        send(stream, &sender).await;
                    }
                }
                Err(error) => drop(begun.send(Err(error.into()))),
            }
        };
        let stop = guarded.stop();
        let limited = async move {
            let within = timeout_at(deadline, AssertUnwindSafe(statement).catch_unwind());
            let error = tokio::select! {
                within = within => match within {
                    Ok(Ok(())) => return,
                    Ok(Err(panic)) => SqlError::Panicked(said(panic.as_ref())).into(),
                    Err(_) => ServeError::time(limits.time),
                },
                () = stop.cancelled() => ServeError::Memory(memory),
            };
            let _ = failed.send(Err(error)).await;
        };
        let task = StopOnDrop(handle.spawn(limited).abort_handle());
        let mut rows = Self {
            schema: Arc::new(arrow::datatypes::Schema::empty()),
            batches,
            limits,
            files,
            _task: task,
            lease: Arc::new(lease),
            _turn: permit,
            _guarded: guarded,
            record,
        };
        // Without a schema, the statement has panicked or has taken too long while it was planned.
        let begun = match schema.await {
            Ok(begun) => begun,
            Err(_) => match rows.batches.recv().await {
                Some(Err(error)) => Err(error),
                _ => Err(stopping),
            },
        };
        match begun {
            Ok(schema) => {
                rows.schema = schema;
                Ok(rows)
            }
            Err(error) => {
                rows.record.failed(&error);
                Err(error)
            }
        }
    }

    /// Returns the next batch when there is one; `None` after the last.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Batch>> {
        let Poll::Ready(next) = self.batches.poll_recv(context) else { return Poll::Pending };
        Poll::Ready(match next {
            Some(Ok(batch)) => Some(self.counted(batch)),
            Some(Err(error)) => {
                self.record.failed(&error);
                Some(Err(error))
            }
            None => match self.files.whole() {
                Ok(()) => {
                    self.record.done();
                    None
                }
                // What was read of a file that became shorter is wrong.
                Err(error) => {
                    let error = ServeError::Open(error.into());
                    self.record.failed(&error);
                    Some(Err(error))
                }
            },
        })
    }

    /// Waits for the next batch.
    pub async fn next(&mut self) -> Option<Batch> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// Computes something in the threads of the statement, which live until it is done, so that those of connections stay free.
    pub fn compute<T: Send + 'static, F: FnOnce() -> T + Send + 'static>(
        &self,
        something: F,
    ) -> impl Future<Output = Result<T, ServeError>> + Send + use<T, F> {
        let lease = Arc::clone(&self.lease);
        let task = async move { something() };
        let begun = lease.handle().map(|handle| handle.spawn(task));
        async move {
            let done = begun.ok_or(ServeError::Stopping)?.await;
            drop(lease);
            done.map_err(|error| match error.try_into_panic() {
                Ok(panic) => SqlError::Panicked(said(panic.as_ref())).into(),
                Err(_) => ServeError::Stopping,
            })
        }
    }

    /// Notes why the client gets no more rows.
    pub fn stopped(&mut self, why: &ServeError) {
        self.record.failed(why);
    }

    fn counted(&mut self, batch: RecordBatch) -> Batch {
        let record = &mut self.record;
        record.rows = record.rows.saturating_add(batch.num_rows() as u64);
        let sizes = batch.columns().iter().map(|column| {
            column
                .to_data()
                .get_slice_memory_size()
                .unwrap_or_else(|_| column.get_array_memory_size())
        });
        record.bytes = record.bytes.saturating_add(sizes.sum::<usize>() as u64);
        let error = match self.limits.rows {
            Some(limit) if record.rows > limit => SqlError::Rows(limit).into(),
            _ if record.bytes > self.limits.bytes => ServeError::Bytes(self.limits.bytes),
            _ => return Ok(batch),
        };
        record.failed(&error);
        self.batches.close();
        Err(error)
    }
}

async fn send(mut stream: SendableRecordBatchStream, sender: &mpsc::Sender<Batch>) {
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(|error| EngineError::from(error).into());
        let is_last = batch.is_err();
        if sender.send(batch).await.is_err() || is_last {
            return;
        }
    }
}
