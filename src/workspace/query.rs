//! Queries whose rows are read a batch at a time, as often as wanted, by threads that are not those of the runtime.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use base::said;
use datafusion::execution::SendableRecordBatchStream;
use engine::{self, EngineError, Statement};
use futures::{FutureExt, StreamExt};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::answers::{Workspace, on_deep_stack};
use super::limits::SqlError;

/// Batches that a query may be ahead of its reader.
const AHEAD: usize = 2;

/// A query whose statement is planned. Each reader gets all of its rows.
pub struct Query {
    workspace: Arc<Workspace>,
    statement: Statement,
    schema: SchemaRef,
    /// The rows of the first run, which begins when they are read.
    first: Mutex<Option<SendableRecordBatchStream>>,
}

/// The rows of a query as they come. The query ends when this is dropped.
pub struct RowReader {
    pub schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, SqlError>>,
    /// How many batches the query may be ahead.
    room: Arc<Semaphore>,
    task: AbortHandle,
}

/// What a reader got.
#[derive(Debug)]
pub enum Next {
    Batch(RecordBatch),
    /// There are no more rows.
    End,
    /// There are none yet.
    Waiting,
}

impl Workspace {
    /// Runs the statements of a script but the last one, and plans that; `$name` stands for the value of a variable. The
    /// workspace should be opened with [`Workspace::open_stoppable`], whose threads have the stack that planning may need.
    pub fn query(
        self: &Arc<Self>,
        script: &str,
        variables: &[(String, String)],
    ) -> Result<Query, EngineError> {
        let plan = || {
            let mut statements = engine::parse(script)?;
            statements.iter_mut().try_for_each(|statement| statement.bind(variables))?;
            let Some(last) = statements.pop() else {
                return Err(EngineError::Query("there is no statement".into()));
            };
            for statement in &statements {
                self.runtime.block_on(async {
                    let mut stream = self.engine.run(statement).await?;
                    while let Some(batch) = stream.next().await {
                        batch?;
                    }
                    Ok::<_, EngineError>(())
                })?;
            }
            let first = self.runtime.block_on(self.engine.run(&last))?;
            Ok(Query {
                workspace: Arc::clone(self),
                statement: last,
                schema: first.schema(),
                first: Mutex::new(Some(first)),
            })
        };
        on_deep_stack(plan)
    }
}

impl Query {
    /// Returns the columns.
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Starts the query.
    pub fn read(&self) -> RowReader {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (engine, statement) = (Arc::clone(&self.workspace.engine), self.statement.clone());
        let (sender, batches) = channel();
        let room = Arc::new(Semaphore::new(AHEAD));
        let (failed, permits) = (sender.clone(), Arc::clone(&room));
        let query = async move {
            let stream = match first {
                Some(stream) => Ok(stream),
                // What a definition did is done.
                None if statement.is_definition() => return,
                None => engine.run(&statement).await,
            };
            let mut stream = match stream {
                Ok(stream) => stream,
                Err(error) => {
                    let _ = sender.send(Err(error.into()));
                    return;
                }
            };
            while let Some(batch) = stream.next().await {
                let Ok(permit) = permits.acquire().await else { return };
                permit.forget();
                if sender.send(batch.map_err(|error| EngineError::from(error).into())).is_err() {
                    return;
                }
            }
        };
        let task = self.workspace.runtime.spawn(async move {
            // Nothing that the query used is used again, but the engine, whose caches hold whole values only.
            if let Err(panic) = AssertUnwindSafe(query).catch_unwind().await {
                let _ = failed.send(Err(SqlError::Panicked(said(panic.as_ref()))));
            }
        });
        let schema = Arc::clone(&self.schema);
        RowReader { schema, batches, room, task: task.abort_handle() }
    }
}

impl RowReader {
    /// Waits for the next batch, but not longer than this.
    pub fn next_within(&self, time: Duration) -> Result<Next, SqlError> {
        match self.batches.recv_timeout(time) {
            Ok(batch) => {
                self.room.add_permits(1);
                Ok(Next::Batch(batch?))
            }
            Err(RecvTimeoutError::Timeout) => Ok(Next::Waiting),
            Err(RecvTimeoutError::Disconnected) => Ok(Next::End),
        }
    }
}

impl Drop for RowReader {
    fn drop(&mut self) {
        self.task.abort();
    }
}
