//! The workspace: an engine and the threads that run its queries.

use std::ops::Deref;
use std::sync::Arc;
use std::thread;

pub use engine::STACK;
use engine::{Answer, Engine, EngineError, Parameters};
use read::store;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Handle, Runtime};

use super::error::OpenError;

/// Stack size in bytes of the threads that plan the queries of users. Generated SQL may nest tens of thousands of levels
/// deep, and the parsers, printers and optimizers of expressions are recursive.
pub const DEEP_STACK: usize = 64 << 20;

/// Open bundles, a dataset or a history, and the threads that answer questions about them.
///
/// Its functions wait for their answers. A program that has threads of its own for tasks uses the engine.
pub struct Workspace {
    pub engine: Arc<Engine>,
    pub runtime: Threads,
}

/// The threads of a workspace. They may also be dropped by a thread of another runtime.
pub struct Threads(Option<Runtime>);

impl Threads {
    /// Does not wait for what still runs.
    pub fn shutdown_background(mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Deref for Threads {
    type Target = Runtime;

    #[expect(clippy::expect_used, reason = "there is a runtime until this is dropped")]
    fn deref(&self) -> &Runtime {
        self.0.as_ref().expect("threads that run")
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let Some(runtime) = self.0.take() else { return };
        // A thread that runs tasks must not wait, as the runtime would on being dropped.
        if Handle::try_current().is_ok() {
            runtime.shutdown_background();
        }
    }
}

impl Workspace {
    /// Creates the threads of an engine.
    pub fn of(engine: Engine) -> Result<Self, OpenError> {
        Self::with_threads(engine, 0)
    }

    /// Creates the threads of an engine for statements that can be stopped: one more, which handles the stop during a
    /// query.
    pub fn stoppable(engine: Engine) -> Result<Self, OpenError> {
        Self::with_threads(engine, 1)
    }

    fn with_threads(engine: Engine, more: usize) -> Result<Self, OpenError> {
        // Of a cluster, one thread answers workers while another writes.
        let threads = engine.threads() + more.max(usize::from(engine.runs_elsewhere()));
        let mut builder =
            if threads == 1 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
        // Statements that can be stopped are planned in tasks.
        let stack = if more > 0 { DEEP_STACK } else { STACK };
        let runtime = builder.worker_threads(threads).thread_stack_size(stack).enable_all().build();
        let runtime = runtime.map_err(OpenError::Threads)?;
        Ok(Self { engine: Arc::new(engine), runtime: Threads(Some(runtime)) })
    }

    /// Runs a report, and reads its rows as structs by the names of columns. NULL is `None`; a column that the report does not
    /// have is an error.
    pub fn rows<Row: DeserializeOwned>(
        &self,
        report: &str,
        parameters: &Parameters,
    ) -> Result<Vec<Row>, EngineError> {
        let answer = self.runtime.block_on(self.engine.report(report, parameters))?;
        structs(report, &answer)
    }

    /// Runs queries at once, as a pass over a bundle takes one thread mostly; one after the other where memory is scarce.
    /// Returns their results in order.
    pub fn at_once<T: Send + 'static>(
        &self,
        queries: impl Iterator<Item = impl Future<Output = Result<T, EngineError>> + Send + 'static>,
    ) -> Result<Vec<T>, EngineError> {
        if self.engine.has_scarce_memory() {
            return queries.map(|query| self.runtime.block_on(query)).collect();
        }
        let tasks: Vec<_> = queries.map(|query| self.runtime.spawn(query)).collect();
        let joined = tasks.into_iter().map(|task| match self.runtime.block_on(task) {
            Ok(result) => result,
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        });
        joined.collect()
    }
}

/// Runs statements, which may be nested deeply, on a thread of its own: that of the caller may have a small stack.
pub(super) fn on_deep_stack<T: Send>(
    run: impl FnOnce() -> Result<T, EngineError> + Send,
) -> Result<T, EngineError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| EngineError::Environment(error.to_string()))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Reads the rows of a report as structs. A column that the report lacks is an error.
pub(super) fn structs<T: DeserializeOwned>(
    report: &str,
    answer: &Answer,
) -> Result<Vec<T>, EngineError> {
    let mut all = Vec::new();
    for batch in &answer.batches {
        let rows = store::rows(batch);
        all.extend(rows.map_err(|error| EngineError::Query(format!("{report}: {error}")))?);
    }
    Ok(all)
}
