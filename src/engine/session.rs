//! The engine: runs SQL over open bundles and returns record batches.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use att::Settings;
use base::processors;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::{MemTable, SchemaProvider};
use datafusion::common::TableReference;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{FunctionRegistry, SendableRecordBatchStream};
use datafusion::physical_plan::EmptyRecordBatchStream;
use datafusion::sql::parser::Statement as Parsed;
use dialect::{Macros, fill, next_probe};
use model::operation::ExternalFacts;
use read::bundle::{Bundle, limits};
use read::history::History;
use read::record::has_chunks;
use read::table::table_of;
use schemas::spec::Family;
use tokio::runtime::Builder;

use super::context::{CATALOG, Contexts, Planning};
use super::dataset::Dataset;
use super::decoded::Traces;
use super::error::EngineError;
use super::explained::is_plain;
use super::memory::Memory;
use super::namespace::{ExtraTables, Source};
use super::parameters::Parameters;
use super::planned::{asked, planned};
use super::prepared::{Answer, Prepared};
use super::ready::Ready;
use super::statement::{self, Statement};
use super::typed::{self, Types};
use crate::functions::Folds;

/// Stack size in bytes of the threads that plan or evaluate queries, which recurse into expressions.
pub const STACK: usize = 16 << 20;

/// Options of an engine.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Number of threads; `None` for one per processor.
    pub threads: Option<usize>,
    /// What is known of functions and devices besides the bundles.
    pub known: Arc<ExternalFacts>,
    /// The memory that queries share.
    pub memory: Memory,
    /// How instruction traces are decoded; `None` if they are not, and tables of what is decoded are empty.
    pub traces: Option<Settings>,
    /// Whether statements may only read the bundles: they define and change nothing and open no other files.
    pub is_read_only: bool,
    /// How statements of users are planned, if not to run here.
    pub planning: Option<Planning>,
}

/// A schema of the catalog with its name.
pub type NamedSchema = (String, Arc<dyn SchemaProvider>);

/// Open bundles that answer SQL.
pub struct Engine {
    bundles: Arc<[Arc<Bundle>]>,
    source: Source,
    folds: Arc<Folds>,
    threads: usize,
    memory: Memory,
    is_read_only: bool,
    planning: Option<Planning>,
    /// Size of what can be read.
    bytes: u64,
    /// Created when the first query is planned.
    contexts: OnceLock<Contexts>,
    macros: Mutex<Macros>,
}

impl Engine {
    /// Creates an engine over `bundles`, which may be empty.
    pub fn new(bundles: Vec<Bundle>, options: Options) -> Self {
        Self::with_tables(bundles, ExtraTables::new(), options)
    }

    /// Like [`Self::new`], with the rows that are stored beside the bundles.
    pub fn with_tables(bundles: Vec<Bundle>, tables: ExtraTables, options: Options) -> Self {
        Self::over_bundles(bundles.into_iter().map(Arc::new).collect(), tables, options)
    }

    /// Like [`Self::new`], over bundles that other engines have open, too.
    pub fn sharing(bundles: Vec<Arc<Bundle>>, options: Options) -> Self {
        Self::over_bundles(bundles.into(), ExtraTables::new(), options)
    }

    fn over_bundles(bundles: Arc<[Arc<Bundle>]>, tables: ExtraTables, options: Options) -> Self {
        let bytes = bundles.iter().map(|bundle| bundle.directory.end).sum();
        let traces =
            Traces::new(Arc::clone(&bundles), options.traces.clone(), options.is_read_only);
        let source = Source::Bundles(Arc::clone(&bundles), Arc::new(tables), Arc::new(traces));
        Self::over(source, bundles, bytes, options)
    }

    /// Creates an engine over a folder of Parquet files.
    pub fn of_dataset(dataset: Dataset, options: Options) -> Self {
        let bytes = dataset.bytes();
        Self::over(Source::Dataset(Arc::new(dataset)), Arc::new([]), bytes, options)
    }

    /// Creates an engine over a history.
    pub fn of_history(history: History, options: Options) -> Self {
        let bytes = history.bytes();
        Self::over(Source::History(Arc::new(history)), Arc::new([]), bytes, options)
    }

    /// Whether the tables are those of a dataset.
    pub const fn is_of_dataset(&self) -> bool {
        matches!(self.source, Source::Dataset(_))
    }

    /// Whether statements run in other processes.
    pub const fn runs_elsewhere(&self) -> bool {
        self.planning.is_some()
    }

    /// Whether the tables are those of a history.
    pub const fn is_of_history(&self) -> bool {
        matches!(self.source, Source::History(_))
    }

    fn over(source: Source, bundles: Arc<[Arc<Bundle>]>, bytes: u64, options: Options) -> Self {
        let is_small = bytes < limits::PARALLEL_BYTES;
        let threads = if is_small { 1 } else { options.threads.unwrap_or_else(processors) };
        let folds = Folds::new(Arc::clone(&bundles), threads).knowing(options.known);
        let folds = Arc::new(folds.within(options.memory.pool()));
        Self {
            bundles,
            source,
            folds,
            threads,
            memory: options.memory,
            is_read_only: options.is_read_only,
            planning: options.planning,
            bytes,
            contexts: OnceLock::new(),
            macros: Mutex::default(),
        }
    }

    fn contexts(&self) -> Result<&Contexts, EngineError> {
        if let Some(contexts) = self.contexts.get() {
            return Ok(contexts);
        }
        let made = Contexts::new(
            &self.source,
            &self.folds,
            self.threads,
            &self.memory,
            self.bytes,
            !self.is_read_only,
            self.planning.as_ref(),
        )?;
        Ok(self.contexts.get_or_init(|| made))
    }

    /// Returns the open bundles.
    pub fn bundles(&self) -> &[Arc<Bundle>] {
        &self.bundles
    }

    /// Whether any bundle has chunks of this family.
    pub fn has_chunks(&self, family: &Family) -> bool {
        has_chunks(&self.bundles, family)
    }

    /// Whether any bundle has chunks of a table; true for tables that are not read from chunks.
    pub fn has_rows(&self, table: &str) -> bool {
        let family = schemas::find(table).and_then(schemas::Table::reads);
        family.is_none_or(|family| self.has_chunks(family))
    }

    /// Returns why instruction traces could not be decoded since the last call.
    pub fn undecoded(&self) -> Vec<String> {
        match &self.source {
            Source::Bundles(_, _, traces) => traces.problems(),
            _ => Vec::new(),
        }
    }

    /// Whether any bundle may lack records, or has records that no table reads.
    pub fn has_losses(&self) -> bool {
        self.bundles.iter().any(|bundle| {
            let directory = &bundle.directory;
            let mut types = directory.content_types.iter().zip(&directory.chunks);
            !directory.problems.is_empty()
                || types.any(|(name, chunks)| !chunks.is_empty() && table_of(name).is_none())
        })
    }

    /// Lets statements that run and their passes end with an error, or allows them again. Those of DataFusion end when
    /// their streams are dropped.
    pub fn stop(&self, is_stopped: bool) {
        self.bundles.iter().for_each(|bundle| bundle.stop(is_stopped));
    }

    /// Plans and starts a statement of a user. A read-only engine refuses statements that define or change something.
    pub async fn run(
        &self,
        statement: &Statement,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        self.start(statement, self.is_read_only).await
    }

    /// Plans and starts a statement of whoever opened the engine, which may also define views and macros in a read-only
    /// engine.
    pub async fn define(
        &self,
        statement: &Statement,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        self.start(statement, false).await
    }

    async fn start(
        &self,
        statement: &Statement,
        is_read_only: bool,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        match self.plan(statement, is_read_only, &Types::default()).await? {
            Some(ready) => ready.run().await,
            None => Ok(Box::pin(EmptyRecordBatchStream::new(Arc::new(Schema::empty())))),
        }
    }

    /// Plans a statement of a user, which may have parameters `$1`, `$2`, …, with these types, and does not run it.
    pub async fn ready(&self, statement: &Statement, types: &Types) -> Result<Ready, EngineError> {
        let refused = || EngineError::Query("a macro cannot be defined here".into());
        self.plan(statement, self.is_read_only, types).await?.ok_or_else(refused)
    }

    /// Plans a statement. Returns `None` if it has defined a macro.
    async fn plan(
        &self,
        statement: &Statement,
        is_read_only: bool,
        types: &Types,
    ) -> Result<Option<Ready>, EngineError> {
        if is_read_only {
            statement.check_that_it_reads()?;
        }
        let context = &self.contexts()?.user;
        let refused = |fault: Box<str>| EngineError::Query(fault.into());
        let mut parsed = {
            let mut macros = self.macros.lock().unwrap_or_else(PoisonError::into_inner);
            let state = context.state();
            let is_function = |name: &str| {
                state.scalar_functions().contains_key(name)
                    || state.aggregate_functions().contains_key(name)
                    || state.window_functions().contains_key(name)
            };
            if macros.define(&statement.parsed, &is_function).map_err(refused)? {
                return Ok(None);
            }
            statement.expanded(&macros)?
        };
        while let Some(probe) = next_probe(&parsed) {
            fill(&mut parsed, asked(context, probe).await?).map_err(refused)?;
        }
        // A plan that runs elsewhere is explained there.
        let explain = match &parsed {
            Parsed::Explain(explain) if is_plain(explain) && self.planning.is_none() => {
                let analyze = explain.options.analyze;
                parsed = explain.statement.as_ref().clone();
                Some(analyze)
            }
            _ => None,
        };
        let mut state = context.state();
        if types.time_zone.is_some() {
            let options = state.config_mut().options_mut();
            options.execution.time_zone.clone_from(&types.time_zone);
        }
        if !types.parameters.is_empty() {
            typed::mark(&mut parsed, &types.parameters);
            for function in typed::functions(&types.parameters) {
                state.register_udf(Arc::new(function))?;
            }
        }
        let mut plan = planned(&state, parsed).await?;
        if !types.parameters.is_empty() {
            plan = typed::unmarked(plan)?;
        }
        if types.parameters.is_empty() && types.time_zone.is_some() {
            plan = typed::comparable(plan)?;
        }
        let ready = Ready::new(context.clone(), plan, explain);
        if is_read_only {
            ready.check_that_it_reads()?;
        }
        Ok(Some(ready))
    }

    /// Plans and starts the only statement of `script`.
    pub async fn query(&self, script: &str) -> Result<SendableRecordBatchStream, EngineError> {
        match statement::parse(script)?.as_slice() {
            [only] => self.run(only).await,
            many => {
                Err(EngineError::Query(format!("expected one statement, but got {}", many.len())))
            }
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
            .ok_or_else(|| EngineError::Query(format!("unknown relation {name}")))?;
        // Plans the query itself instead of selecting from the relation with its name, because DataFusion keeps ORDER
        // BY only at the top of a plan.
        Prepared::new(self.contexts()?, statement::of_file(file, parameters)?).await
    }

    /// Like [`Self::prepare`] for several files, each on its own thread, as planning is most of the work of a small
    /// command.
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

    /// Plans a scan of a table or view, ordered by the columns `order` or else by all columns.
    pub async fn relation(&self, name: &str, order: &[&str]) -> Result<Prepared, EngineError> {
        Prepared::of_relation(self.contexts()?, name, order).await
    }

    /// Runs a report and collects its rows.
    pub async fn report(&self, name: &str, parameters: &Parameters) -> Result<Answer, EngineError> {
        self.prepare(sql::Kind::Report, name, parameters).await?.answer().await
    }

    /// Reads the metadata of all bundles. Fails if it is damaged, even if no event refers to the damaged part.
    pub fn check_metadata(&self) -> Result<(), EngineError> {
        for nth in 0..self.bundles.len() {
            self.folds.metadata(nth)?;
        }
        Ok(())
    }

    /// Returns the number of threads that a query uses.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether queries may not fit into the memory; several at once then hinder each other.
    pub fn has_scarce_memory(&self) -> bool {
        self.memory.is_scarce(self.bytes)
    }

    /// Returns the names of the views and tables that statements have defined.
    pub fn own_relations(&self) -> Result<Vec<String>, EngineError> {
        let schema = self.contexts()?.user.state().schema_for_ref("v")?;
        let mut names = schema.table_names();
        names.retain(|name| {
            schemas::find(name).is_none() && sql::find(sql::Kind::View, name).is_none()
        });
        Ok(names)
    }

    /// Returns the session in which users' statements are planned.
    pub(super) fn user_session(&self) -> Result<SessionContext, EngineError> {
        Ok(self.contexts()?.user.clone())
    }

    /// Makes rows a table, in place of one of the same name that was made before. Fails for names of built-in tables and
    /// views.
    pub fn register(
        &self,
        name: &str,
        schema: SchemaRef,
        rows: Vec<RecordBatch>,
    ) -> Result<(), EngineError> {
        let table = MemTable::try_new(schema, vec![rows])?;
        self.contexts()?.user.register_table(TableReference::bare(name), Arc::new(table))?;
        Ok(())
    }

    /// Returns the schemas of the catalog: that of tables and views, and those of reports and exports.
    pub fn schemas(&self) -> Result<Vec<NamedSchema>, EngineError> {
        let user = &self.contexts()?.user;
        let catalog = user.catalog(CATALOG);
        let all = catalog.iter().flat_map(|catalog| {
            let names = catalog.schema_names().into_iter();
            names.filter_map(|name| Some((name.clone(), catalog.schema(&name)?)))
        });
        Ok(all.collect())
    }

    /// Returns the names of all tables and views.
    pub fn relation_names(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.contexts()?.user.state().schema_for_ref("v")?.table_names())
    }

    /// Returns the names of all SQL functions, for completion.
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
