//! Runs a statement in a task of its own, so that it can be stopped while it computes.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use futures::{Stream, StreamExt, stream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::error::CliError;
use crate::engine::{Engine, Statement};

/// A statement that runs. It is stopped when this is dropped.
pub struct Running {
    pub schema: SchemaRef,
    batches: mpsc::Receiver<Result<RecordBatch, DataFusionError>>,
    _stop: StopOnDrop,
}

impl Running {
    /// Starts a statement. To stop it while it computes, the runtime needs a thread more than the query.
    pub async fn start(
        engine: &Arc<Engine>,
        runtime: &Runtime,
        statement: &Statement,
    ) -> Result<Self, CliError> {
        engine.stop(false);
        let (begun, schema) = oneshot::channel();
        let (sender, batches) = mpsc::channel(2);
        let (for_task, statement) = (Arc::clone(engine), statement.clone());
        let task = runtime.spawn(async move {
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
        });
        let stop = StopOnDrop { engine: Arc::clone(engine), task: task.abort_handle() };
        match schema.await {
            Ok(schema) => Ok(Self { schema: schema?, batches, _stop: stop }),
            // The task has panicked, and has said so.
            Err(_) => Err(CliError::Lacking("the query ended without an answer".into())),
        }
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
