//! The session: bundles in, record batches out.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use schemas::spec::Family;

use super::dataset::Dataset;
use super::declared;
use super::documented::{documented, relations};
use super::error::EngineError;
use super::folds::Folds;
use super::functions;
use super::grouping::GroupingByNumber;
use super::namespace::{Namespace, Source};
use super::parameters::Parameters;
use super::prepared::{Answer, Prepared, all, prepare, processors, side_by_side};
use super::pruning::{Asked, Mentioned, prune};
use super::rules;
use super::statement::{self, Statement};
use super::yielding::YieldingJoins;
use crate::bundle::{Bundle, limits};
use crate::record::chunks;
use crate::table::table_of;

/// How a session runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads; as many as the machine has where it is `None`.
    pub threads: Option<usize>,
    /// Plans reports by all of the rules that plan what people write.
    pub all_rules: bool,
}

const CATALOG: &str = "ireescope";
const VIEWS: &str = "public";

/// Open bundles that answer SQL.
pub struct Engine {
    context: SessionContext,
    /// The same for the fixed queries of reports, which are planned in a fraction of the time.
    reports: SessionState,
    bundles: Arc<[Arc<Bundle>]>,
    folds: Arc<Folds>,
    /// What views are planned for.
    asked: Arc<Asked>,
}

impl Engine {
    /// A session over `bundles`, which may be none.
    pub fn new(bundles: Vec<Bundle>, options: Options) -> Result<Self, EngineError> {
        Self::beside(bundles, Vec::new(), options)
    }

    /// The same with the rows of `dispatch_runs` that stand beside the bundles.
    pub fn beside(
        bundles: Vec<Bundle>,
        dispatch_runs: Vec<RecordBatch>,
        options: Options,
    ) -> Result<Self, EngineError> {
        let bundles: Arc<[Arc<Bundle>]> = bundles.into_iter().map(Arc::new).collect();
        let bytes = bundles.iter().map(|bundle| bundle.directory.end).sum();
        let source = Source::Bundles(Arc::clone(&bundles), dispatch_runs.into());
        Self::over(&source, bundles, bytes, options)
    }

    /// A session over a folder of Parquet files.
    pub fn of_dataset(dataset: Dataset, options: Options) -> Result<Self, EngineError> {
        let bytes = dataset.bytes();
        Self::over(&Source::Dataset(Arc::new(dataset)), Arc::new([]), bytes, options)
    }

    fn over(
        source: &Source,
        bundles: Arc<[Arc<Bundle>]>,
        bytes: u64,
        options: Options,
    ) -> Result<Self, EngineError> {
        let is_small = bytes < limits::PARALLEL_BYTES;
        let mut builder = SessionStateBuilder::new()
            .with_config(config(is_small, options))
            .with_default_features()
            .with_physical_optimizer_rule(Arc::new(YieldingJoins));
        if !is_small {
            builder = builder.with_physical_optimizer_rule(Arc::new(GroupingByNumber::default()));
        }
        let context = SessionContext::new_with_state(builder.build());
        let threads = context.state().config().target_partitions();
        let folds = Arc::new(Folds::new(Arc::clone(&bundles), threads));
        for (name, function) in folds.functions().chain(declared::functions()) {
            context.register_udtf(name, function);
        }
        for function in functions::scalars(&folds) {
            context.register_udf(function);
        }
        for function in functions::aggregates() {
            context.register_udaf(function);
        }
        let asked = Arc::new(Asked::default());
        let catalog = MemoryCatalogProvider::new();
        for kind in sql::Kind::ALL {
            let state = context.state_weak_ref();
            let namespace = Namespace::new(kind, source.clone(), state, Arc::clone(&asked));
            catalog.register_schema(kind.schema().unwrap_or(VIEWS), Arc::new(namespace))?;
        }
        context.register_catalog(CATALOG, Arc::new(catalog));
        let reports = rules::of_reports(context.state(), options.all_rules);
        Ok(Self { context, reports, bundles, folds, asked })
    }

    /// The open bundles.
    pub fn bundles(&self) -> &[Arc<Bundle>] {
        &self.bundles
    }

    /// Whether there are chunks of this family.
    pub fn has_chunks(&self, family: &Family) -> bool {
        !chunks(&self.bundles, family).is_empty()
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

    /// Plans and starts one statement.
    pub async fn run(
        &self,
        statement: &Statement,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        let state = self.context.state();
        let asking = self.asked.ask(Mentioned::by(&statement.parsed));
        let planned = state.statement_to_plan(statement.parsed.clone()).await;
        drop(asking);
        let plan = match planned {
            Ok(plan) => plan,
            // What is said of a name that does not exist is to tell of all that do.
            Err(_) => state.statement_to_plan(statement.parsed.clone()).await?,
        };
        let relations = relations(&plan);
        let frame = self.context.execute_logical_plan(plan).await?;
        Ok(documented(&relations, frame.execute_stream().await?))
    }

    /// Plans and starts the only statement of `script`.
    pub async fn query(&self, script: &str) -> Result<SendableRecordBatchStream, EngineError> {
        match statement::parse(script)?.as_slice() {
            [only] => self.run(only).await,
            many => Err(EngineError::Query(format!("one statement is wanted, not {}", many.len()))),
        }
    }

    /// Plans the fixed queries of these names, side by side.
    pub fn prepare(
        &self,
        kind: sql::Kind,
        names: &[&str],
        parameters: &Parameters,
    ) -> Result<Vec<Prepared>, EngineError> {
        all(|take| self.prepare_each(kind, names, parameters, take))
    }

    /// The same, each given away in its order as soon as it is ready, as long as `take` wants more.
    pub fn prepare_each(
        &self,
        kind: sql::Kind,
        names: &[&str],
        parameters: &Parameters,
        take: impl FnMut(Prepared) -> bool + Send,
    ) -> Result<(), EngineError> {
        let asked = names.iter().map(|name| (*name, Mentioned::everything()));
        self.prepare_parts(kind, asked, parameters, take)
    }

    /// Plans no more of each report than the columns that are named with it; all, where none are.
    pub fn prepare_columns(
        &self,
        reports: &[(&str, Option<Vec<&str>>)],
        parameters: &Parameters,
    ) -> Result<Vec<Prepared>, EngineError> {
        let asked = reports.iter().map(|(name, columns)| {
            let columns = columns.as_ref().map(|columns| Mentioned::only(columns));
            (*name, columns.unwrap_or_else(Mentioned::everything))
        });
        all(|take| self.prepare_parts(sql::Kind::Report, asked, parameters, take))
    }

    fn prepare_parts<'a>(
        &self,
        kind: sql::Kind,
        asked: impl Iterator<Item = (&'a str, Mentioned)>,
        parameters: &Parameters,
        take: impl FnMut(Prepared) -> bool + Send,
    ) -> Result<(), EngineError> {
        // The queries themselves, not the relations: only at the top is ORDER BY kept.
        let parse = |(name, columns): &(&str, Mentioned)| {
            let query = sql::find(kind, name)
                .ok_or_else(|| EngineError::Query(format!("nothing is called {name}")))?;
            let mut statement = statement::parse_report(query, parameters)?;
            prune(&mut statement, columns, &self.reports);
            Ok(statement)
        };
        let asked: Vec<_> = asked.collect();
        let statements = all(|take| side_by_side(processors(), &asked, parse, take))?;
        let mut mentioned = Mentioned::default();
        for statement in &statements {
            mentioned.add(Mentioned::by(&statement.parsed));
        }
        let _asking = self.asked.ask(mentioned);
        let _planning = self.folds.begin_early();
        prepare(&self.reports, &statements, take)
    }

    /// All rows of one report, whose answer is small.
    pub async fn report(&self, name: &str, parameters: &Parameters) -> Result<Answer, EngineError> {
        match self.prepare(sql::Kind::Report, &[name], parameters)?.pop() {
            Some(prepared) => prepared.answer().await,
            None => Err(EngineError::Query(format!("nothing is called {name}"))),
        }
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
        self.context.state().config().target_partitions()
    }

    /// Names that SQL knows, for completion: functions of every kind.
    pub fn function_names(&self) -> Vec<String> {
        let state = self.context.state();
        let mut names: Vec<String> = state.scalar_functions().keys().cloned().collect();
        names.extend(state.aggregate_functions().keys().cloned());
        names.extend(state.window_functions().keys().cloned());
        names.sort();
        names.dedup();
        names
    }
}

fn config(is_small: bool, options: Options) -> SessionConfig {
    let threads = if is_small { 1 } else { options.threads.unwrap_or_else(processors) };
    SessionConfig::new()
        .with_target_partitions(threads)
        .with_batch_size(limits::BATCH_ROWS)
        .with_information_schema(true)
        .with_default_catalog_and_schema(CATALOG, VIEWS)
        .with_create_default_catalog_and_schema(false)
}
