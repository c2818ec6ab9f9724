//! Runs the SQL of users, within limits.

use std::sync::Arc;

use engine::{self, Answer, Engine, EngineError, Statement};
use futures::TryStreamExt;

use super::answers::{Workspace, on_deep_stack};
use super::limits::{SqlError, SqlLimits};
use super::running::Running;

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
        on_deep_stack(run)
    }
}
