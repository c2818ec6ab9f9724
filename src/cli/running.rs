//! Runs a statement in a task of its own, so that it can be stopped while it computes.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use futures::{FutureExt, Stream, StreamExt, stream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::error::CliError;
use super::panics;
use crate::engine::{Engine, Statement};

/// A statement that runs. It is stopped when this is dropped.
pub struct Running {
    pub schema: SchemaRef,
    batches: mpsc::Receiver<Result<RecordBatch, DataFusionError>>,
    _stop: StopOnDrop,
}

impl Running {
    /// Starts a statement. The runtime needs a thread more than the query.
    pub async fn start(
        engine: &Arc<Engine>,
        runtime: &Runtime,
        statement: &Statement,
    ) -> Result<Self, CliError> {
        engine.stop(false);
        let (begun, schema) = oneshot::channel();
        let (sender, batches) = mpsc::channel(2);
        let (for_task, statement) = (Arc::clone(engine), statement.clone());
        let failed = sender.clone();
        let query = async move {
            let mut stream = match for_task.run(&statement).await {
                Ok(stream) => stream,
                Err(error) => {
                    let _ = begun.send(Err(error));
                    return;
                }
            };
            let _ = begun.send(Ok(stream.schema()));
            while let Some(batch) = stream.next().await {
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
        };
        let task = runtime.spawn(async move {
            // Nothing that the query used is used again, but the engine, whose caches hold whole values only.
            if let Err(panic) = AssertUnwindSafe(query).catch_unwind().await {
                let told = DataFusionError::Execution(panics::told(panic.as_ref()));
                let _ = failed.send(Err(told)).await;
            }
        });
        let stop = StopOnDrop { engine: Arc::clone(engine), task: task.abort_handle() };
        if let Ok(schema) = schema.await {
            return Ok(Self { schema: schema?, batches, _stop: stop });
        }
        // The query has panicked while it was planned.
        let mut batches = batches;
        let told = batches.recv().await.and_then(Result::err);
        Err(told.map_or_else(
            || CliError::Lacking("the query has ended".into()),
            |told| CliError::Engine(told.into()),
        ))
    }

    /// Returns the rows.
    pub fn batches(&mut self) -> impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin {
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
