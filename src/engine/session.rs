//! The engine: bundles in, record batches out.

use std::sync::{Arc, OnceLock};
use std::thread::{self, available_parallelism};

use datafusion::arrow::array::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use schemas::spec::Family;
use tokio::runtime::Builder;

use super::context::Contexts;
use super::dataset::Dataset;
use super::documented::{documented, relations};
use super::error::EngineError;
use super::folds::Folds;
use super::namespace::Source;
use super::parameters::Parameters;
use super::prepared::{Answer, Prepared};
use super::statement::{self, Statement};
use crate::bundle::{Bundle, limits};
use crate::record::has_chunks;
use crate::table::table_of;

/// Stack of threads that plan: planners recurse into expressions.
const STACK: usize = 16 << 20;

/// How queries run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads; as many as the machine has where it is `None`.
    pub threads: Option<usize>,
}

/// Open bundles that answer SQL.
pub struct Engine {
    bundles: Arc<[Arc<Bundle>]>,
    source: Source,
    folds: Arc<Folds>,
    threads: usize,
    /// Made when the first query is planned.
    contexts: OnceLock<Contexts>,
}

impl Engine {
    /// An engine over `bundles`, which may be none.
    pub fn new(bundles: Vec<Bundle>, options: Options) -> Self {
        Self::beside(bundles, Vec::new(), options)
    }

    /// The same with rows of the table `dispatch_runs`, which no bundle holds.
    pub fn beside(bundles: Vec<Bundle>, dispatch_runs: Vec<RecordBatch>, options: Options) -> Self {
        let bundles: Arc<[Arc<Bundle>]> = bundles.into_iter().map(Arc::new).collect();
        let bytes = bundles.iter().map(|bundle| bundle.directory.end).sum();
        let source = Source::Bundles(Arc::clone(&bundles), dispatch_runs.into());
        Self::over(source, bundles, bytes, options)
    }

    /// An engine over a folder of Parquet files.
    pub fn of_dataset(dataset: Dataset, options: Options) -> Self {
        let bytes = dataset.bytes();
        Self::over(Source::Dataset(Arc::new(dataset)), Arc::new([]), bytes, options)
    }

    fn over(source: Source, bundles: Arc<[Arc<Bundle>]>, bytes: u64, options: Options) -> Self {
        let is_small = bytes < limits::PARALLEL_BYTES;
        let threads = if is_small { 1 } else { options.threads.unwrap_or_else(processors) };
        let folds = Arc::new(Folds::new(Arc::clone(&bundles), threads));
        Self { bundles, source, folds, threads, contexts: OnceLock::new() }
    }

    fn contexts(&self) -> Result<&Contexts, EngineError> {
        if let Some(contexts) = self.contexts.get() {
            return Ok(contexts);
        }
        let made = Contexts::new(&self.source, &self.folds, self.threads)?;
        Ok(self.contexts.get_or_init(|| made))
    }

    /// The open bundles.
    pub fn bundles(&self) -> &[Arc<Bundle>] {
        &self.bundles
    }

    /// Whether there are chunks of this family.
    pub fn has_chunks(&self, family: &Family) -> bool {
        has_chunks(&self.bundles, family)
    }

    /// Whether a bundle holds chunks of a table.
    pub fn has_rows(&self, table: &str) -> bool {
        let family = schemas::find(table).and_then(schemas::Table::reads);
        family.is_none_or(|family| self.has_chunks(family))
    }

    /// Whether a bundle may lack records, or hold some that no table knows.
    pub fn has_losses(&self) -> bool {
        self.bundles.iter().any(|bundle| {
            let directory = &bundle.directory;
            let mut types = directory.content_types.iter().zip(&directory.chunks);
            !directory.problems.is_empty()
                || types.any(|(name, chunks)| !chunks.is_empty() && table_of(name).is_none())
        })
    }

    /// Plans and starts one statement of a user.
    pub async fn run(
        &self,
        statement: &Statement,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        let context = &self.contexts()?.user;
        let plan = context.state().statement_to_plan(statement.named()).await?;
        let relations = relations(&plan);
        let frame = context.execute_logical_plan(plan).await?;
        Ok(documented(&relations, None, frame.execute_stream().await?))
    }

    /// Plans and starts the only statement of `script`.
    pub async fn query(&self, script: &str) -> Result<SendableRecordBatchStream, EngineError> {
        match statement::parse(script)?.as_slice() {
            [only] => self.run(only).await,
            many => Err(EngineError::Query(format!("one statement is wanted, not {}", many.len()))),
        }
    }

    /// Plans the query of a SQL file with its parameters.
    pub async fn prepare(
        &self,
        kind: sql::Kind,
        name: &str,
        parameters: &Parameters,
    ) -> Result<Prepared, EngineError> {
        let file = sql::find(kind, name)
            .ok_or_else(|| EngineError::Query(format!("nothing is called {name}")))?;
        // The query itself, not the relation of its name: only at the top of a plan is ORDER BY kept.
        Prepared::new(&self.contexts()?.fixed, statement::of_file(file, parameters)?).await
    }

    /// The same for several, side by side on threads of their own: planning is most of the work of a small command.
    pub fn prepare_all(
        &self,
        kind: sql::Kind,
        names: &[&str],
        parameters: &Parameters,
    ) -> Result<Vec<Prepared>, EngineError> {
        self.contexts()?;
        let plan = |name| {
            let runtime = Builder::new_current_thread().build().map_err(|e| no_thread(&e))?;
            runtime.block_on(self.prepare(kind, name, parameters))
        };
        thread::scope(|scope| {
            let spawn = |name| {
                let builder = thread::Builder::new().stack_size(STACK);
                builder.spawn_scoped(scope, move || plan(name)).map_err(|e| no_thread(&e))
            };
            let threads = names.iter().map(|name| spawn(*name)).collect::<Result<Vec<_>, _>>()?;
            let joined = threads.into_iter().map(|thread| match thread.join() {
                Ok(prepared) => prepared,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        })
    }

    /// All rows of a table or view, ordered by its column `order` or else by all columns.
    pub async fn relation(&self, name: &str, order: Option<&str>) -> Result<Prepared, EngineError> {
        Prepared::of_relation(&self.contexts()?.fixed, name, order).await
    }

    /// All rows of one report, whose result is small.
    pub async fn report(&self, name: &str, parameters: &Parameters) -> Result<Answer, EngineError> {
        self.prepare(sql::Kind::Report, name, parameters).await?.answer().await
    }

    /// Reads what events refer to; fails where that is damaged, though no event may refer to it.
    pub fn check_metadata(&self) -> Result<(), EngineError> {
        for nth in 0..self.bundles.len() {
            self.folds.metadata(nth)?;
        }
        Ok(())
    }

    /// Threads that a query uses.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Names that SQL knows, for completion: functions of every kind.
    pub fn function_names(&self) -> Result<Vec<String>, EngineError> {
        let state = self.contexts()?.user.state();
        let mut names: Vec<String> = state.scalar_functions().keys().cloned().collect();
        names.extend(state.aggregate_functions().keys().cloned());
        names.extend(state.window_functions().keys().cloned());
        names.sort();
        names.dedup();
        Ok(names)
    }
}

fn no_thread(error: &std::io::Error) -> EngineError {
    EngineError::Environment(format!("cannot start a thread: {error}"))
}

/// Processors that this process may use.
pub fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}
