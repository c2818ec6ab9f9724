//! The session: bundles in, record batches out.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::physical_plan::execute_stream;
use futures::StreamExt;
use schemas::spec::Family;

use super::dataset::Dataset;
use super::declared;
use super::documented::{documented, relations};
use super::error::EngineError;
use super::folds::Folds;
use super::functions;
use super::namespace::{Namespace, Source};
use super::ordered;
use super::statement::{self, Parameters, Statement};
use super::yielding::YieldingJoins;
use crate::bundle::{Bundle, limits};
use crate::record::chunks;

/// How a session runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads; as many as the machine has where it is `None`.
    pub threads: Option<usize>,
}

/// A small answer, whole.
#[derive(Debug)]
pub struct Answer {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

/// The first rows of an answer.
#[derive(Debug)]
pub struct Head {
    pub batches: Vec<RecordBatch>,
    pub more: bool,
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
}

impl Engine {
    /// A session over `bundles`, which may be none.
    pub fn new(bundles: Vec<Bundle>, options: Options) -> Result<Self, EngineError> {
        let bundles: Arc<[Arc<Bundle>]> = bundles.into_iter().map(Arc::new).collect();
        let bytes = bundles.iter().map(|bundle| bundle.directory.end).sum();
        let source = Source::Bundles(Arc::clone(&bundles));
        Self::over(&source, bundles, config(bytes, options))
    }

    /// A session over a folder of Parquet files.
    pub fn of_dataset(dataset: Dataset, options: Options) -> Result<Self, EngineError> {
        let bytes = dataset.bytes();
        Self::over(&Source::Dataset(Arc::new(dataset)), Arc::new([]), config(bytes, options))
    }

    fn over(
        source: &Source,
        bundles: Arc<[Arc<Bundle>]>,
        config: SessionConfig,
    ) -> Result<Self, EngineError> {
        let context = SessionContext::new_with_state(
            SessionStateBuilder::new()
                .with_config(config)
                .with_default_features()
                .with_physical_optimizer_rule(Arc::new(YieldingJoins))
                .build(),
        );
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
        let catalog = MemoryCatalogProvider::new();
        for kind in sql::Kind::ALL {
            let namespace = Namespace::new(kind, source.clone(), context.state_weak_ref());
            catalog.register_schema(kind.schema().unwrap_or(VIEWS), Arc::new(namespace))?;
        }
        context.register_catalog(CATALOG, Arc::new(catalog));
        let mut reports = context.state();
        // They are written as they are to run: a second pass over them finds nothing.
        reports.config_mut().options_mut().optimizer.max_passes = 1;
        // They join many rows to few, and the few come first: spreading both over the threads would lose the order.
        reports.config_mut().options_mut().optimizer.repartition_joins = false;
        Ok(Self { context, reports, bundles, folds })
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

    /// Plans and starts one statement.
    pub async fn run(
        &self,
        statement: &Statement,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        let state = self.context.state();
        let plan = state.statement_to_plan(statement.parsed.clone()).await?;
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

    /// The rows of a report as streams, each in the report's order.
    pub async fn report_partitions(
        &self,
        name: &str,
        parameters: &Parameters,
    ) -> Result<Vec<SendableRecordBatchStream>, EngineError> {
        ordered::partitions(&self.reports, report_statement(name, parameters)?).await
    }

    /// The rows of one type of an export, in the same way.
    pub async fn export_partitions(
        &self,
        name: &str,
    ) -> Result<Vec<SendableRecordBatchStream>, EngineError> {
        let query = sql::find(sql::Kind::Export, name)
            .ok_or_else(|| EngineError::Query(format!("there is no export {name}")))?;
        let statement = statement::parse_report(query, &Parameters::default())?;
        ordered::partitions(&self.reports, statement).await
    }

    /// Reads what events refer to; fails where that is damaged, though no event may refer to it.
    pub fn check_metadata(&self) -> Result<(), EngineError> {
        for nth in 0..self.bundles.len() {
            self.folds.metadata(nth)?;
        }
        Ok(())
    }

    /// The rows of a view as streams, each in the view's order.
    pub async fn view_partitions(
        &self,
        name: &str,
    ) -> Result<Vec<SendableRecordBatchStream>, EngineError> {
        let query = sql::find(sql::Kind::View, name)
            .ok_or_else(|| EngineError::Query(format!("there is no view {name}")))?;
        ordered::partitions(&self.reports, statement::parse_report(query, &Parameters::default())?)
            .await
    }

    /// All rows of a report, whose answer is small.
    pub async fn report(&self, name: &str, parameters: &Parameters) -> Result<Answer, EngineError> {
        // The query itself, not the relation: only at the top is ORDER BY kept.
        let mut stream = self.run(&report_statement(name, parameters)?).await?;
        let schema = stream.schema();
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await {
            batches.push(batch?);
        }
        Ok(Answer { schema, batches })
    }

    /// The first rows of a report, `wanted` of them or a little more, and whether there are others.
    pub async fn report_head(
        &self,
        name: &str,
        parameters: &Parameters,
        wanted: usize,
    ) -> Result<Head, EngineError> {
        let plan =
            self.reports.statement_to_plan(report_statement(name, parameters)?.parsed).await?;
        let plan = self.reports.create_physical_plan(&plan).await?;
        let mut stream = execute_stream(plan, self.reports.task_ctx())?;
        let mut head = Head { batches: Vec::new(), more: false };
        let mut rows = 0;
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            if rows >= wanted && batch.num_rows() > 0 {
                head.more = true;
                break;
            }
            rows += batch.num_rows();
            head.batches.push(batch);
        }
        Ok(head)
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

fn report_statement(name: &str, parameters: &Parameters) -> Result<Statement, EngineError> {
    let query = sql::find(sql::Kind::Report, name)
        .ok_or_else(|| EngineError::Query(format!("there is no report {name}")))?;
    statement::parse_report(query, parameters)
}

fn config(bytes: u64, options: Options) -> SessionConfig {
    let machine = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads =
        if bytes < limits::PARALLEL_BYTES { 1 } else { options.threads.unwrap_or(machine) };
    SessionConfig::new()
        .with_target_partitions(threads)
        .with_batch_size(limits::BATCH_ROWS)
        .with_information_schema(true)
        .with_default_catalog_and_schema(CATALOG, VIEWS)
        .with_create_default_catalog_and_schema(false)
}
