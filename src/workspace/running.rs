//! A statement that runs in a task of its own, so that it can be stopped while it computes.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use base::said;
use engine::{Engine, EngineError, Statement};
use futures::{FutureExt, Stream, StreamExt, stream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::limits::{SqlError, SqlLimits};

/// A statement that runs. It is stopped when this is dropped.
pub struct Running {
    pub schema: SchemaRef,
    batches: mpsc::Receiver<Result<RecordBatch, SqlError>>,
    _stop: StopOnDrop,
}

impl Running {
    /// Starts a statement. The runtime needs a thread more than the query.
    pub(super) async fn start(
        engine: &Arc<Engine>,
        statement: &Statement,
        limits: &SqlLimits,
    ) -> Result<Self, SqlError> {
        engine.stop(false);
        let (begun, schema) = oneshot::channel();
        let (sender, batches) = mpsc::channel(2);
        let (for_task, statement) = (Arc::clone(engine), statement.clone());
        let (failed, limits) = (sender.clone(), *limits);
        let query = async move {
            let mut rows = match for_task.run(&statement).await {
                Ok(stream) => {
                    let _ = begun.send(Ok(stream.schema()));
                    limits.limited(stream)
                }
                Err(error) => {
                    let _ = begun.send(Err(error));
                    return;
                }
            };
            while let Some(batch) = rows.next().await {
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
        };
        let task = tokio::spawn(async move {
            // Nothing that the query used is used again, but the engine, whose caches hold whole values only.
            if let Err(panic) = AssertUnwindSafe(query).catch_unwind().await {
                let _ = failed.send(Err(SqlError::Panicked(said(panic.as_ref())))).await;
            }
        });
        let stop = StopOnDrop { engine: Arc::clone(engine), task: task.abort_handle() };
        if let Ok(schema) = schema.await {
            return Ok(Self { schema: schema?, batches, _stop: stop });
        }
        // The query has panicked while it was planned.
        let mut batches = batches;
        let ended = || EngineError::Environment("the query has ended".into()).into();
        Err(batches.recv().await.and_then(Result::err).unwrap_or_else(ended))
    }

    /// Returns the rows.
    pub fn batches(&mut self) -> impl Stream<Item = Result<RecordBatch, SqlError>> + Unpin {
        stream::poll_fn(|context| self.batches.poll_recv(context))
    }
}

struct StopOnDrop {
    engine: Arc<Engine>,
    task: AbortHandle,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if !self.task.is_finished() {
            self.engine.stop(true);
            self.task.abort();
        }
    }
}
