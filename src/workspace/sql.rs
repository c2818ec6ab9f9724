//! Runs the SQL of users, within limits.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use arrow::array::RecordBatch;
use datafusion::error::DataFusionError;
use futures::{Stream, StreamExt, TryStreamExt};

use super::answers::{DEEP_STACK, Workspace};
use super::running::Running;
use crate::engine::{self, Answer, Engine, EngineError, Statement};

/// Why a statement has no result.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The statement is wrong, what it reads is damaged, or the machine lacks something.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The result has more rows than allowed.
    #[error("the result has more than {0} rows, the limit of this session")]
    Rows(u64),
    /// The statement took longer than allowed.
    #[error("stopped after {0:?}, the time limit of this session")]
    Time(Duration),
    /// A library has a bug, in these words.
    #[error("a bug in ireescope or one of its libraries: {0}")]
    Panicked(String),
}

/// What a statement may take; the defaults are no limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct SqlLimits {
    /// The longest time.
    pub time: Option<Duration>,
    /// Most rows of a result.
    pub rows: Option<u64>,
}

impl SqlLimits {
    /// Makes a stream fail at the batch that exceeds the limit of rows.
    pub fn limited<'a>(
        self,
        batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Send + Unpin + 'a,
    ) -> impl Stream<Item = Result<RecordBatch, SqlError>> + Send + Unpin + 'a {
        let limit = self.rows.unwrap_or(u64::MAX);
        let mut rows: u64 = 0;
        batches.map(move |batch| {
            let batch = batch.map_err(EngineError::from)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            if rows > limit { Err(SqlError::Rows(limit)) } else { Ok(batch) }
        })
    }
}

/// Runs statements one after the other. Each is stopped when what it returned is dropped.
#[derive(Clone)]
pub struct SqlSession {
    engine: Arc<Engine>,
    limits: SqlLimits,
}

impl SqlSession {
    /// Creates a session over an engine.
    pub fn new(engine: Arc<Engine>, limits: SqlLimits) -> Self {
        Self { engine, limits }
    }

    /// Starts a statement in a task of its own, in the runtime of the caller, which needs a thread more than the query.
    /// The stream of its rows fails where they exceed the limit.
    pub async fn run(&self, statement: &Statement) -> Result<Running, SqlError> {
        Running::start(&self.engine, statement, &self.limits).await
    }

    /// Waits for what runs and reads a statement, up to the limit of time.
    pub async fn in_time<T, E: From<SqlError>>(
        &self,
        statement: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let Some(limit) = self.limits.time else { return statement.await };
        let timed = tokio::time::timeout(limit, statement).await;
        timed.unwrap_or_else(|_| Err(SqlError::Time(limit).into()))
    }
}

impl Workspace {
    /// Runs the statements of a script, and returns the rows of the last one. From another thread, [`Engine::stop`] ends it.
    pub fn sql(&self, script: &str) -> Result<Answer, EngineError> {
        let run = || {
            let mut last = None;
            for statement in engine::parse(script)? {
                last = Some(self.runtime.block_on(async {
                    let stream = self.engine.run(&statement).await?;
                    let schema = stream.schema();
                    Ok::<_, EngineError>(Answer { schema, batches: stream.try_collect().await? })
                })?);
            }
            last.ok_or_else(|| EngineError::Query("there is no statement".into()))
        };
        // The statement may be nested deeply, and the thread of the caller may have a small stack.
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, run);
            let thread = thread.map_err(|error| EngineError::Environment(error.to_string()))?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}
