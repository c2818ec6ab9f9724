//! The session: bundles in, record batches out.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use schemas::spec::Family;

use super::dataset::Dataset;
use super::documented::{documented, relations};
use super::error::EngineError;
use super::folds::Folds;
use super::namespace::Source;
use super::parameters::Parameters;
use super::planner::{Planner, Subject};
use super::prepared::{Answer, Prepared, all, prepare, processors, side_by_side};
use super::pruning::{Mentioned, prune};
use super::statement::{self, Statement};
use super::whole::{Order, Whole};
use crate::bundle::{Bundle, limits};
use crate::record::has_chunks;
use crate::table::table_of;

/// How a session runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads; as many as the machine has where it is `None`.
    pub threads: Option<usize>,
    /// Plans reports by all of the rules that plan what people write.
    pub all_rules: bool,
}

/// What is done side by side before anything can be planned.
enum Task<'a> {
    Planner,
    /// The report of this name.
    Parse(&'a str),
}

/// Open bundles that answer SQL.
pub struct Engine {
    bundles: Arc<[Arc<Bundle>]>,
    subject: Subject,
    /// Made when something is first to be planned: passes over large bundles begin before.
    planner: OnceLock<Planner>,
}

impl Engine {
    /// A session over `bundles`, which may be none.
    pub fn new(bundles: Vec<Bundle>, options: Options) -> Self {
        Self::beside(bundles, Vec::new(), options)
    }

    /// The same with the rows of `dispatch_runs` that stand beside the bundles.
    pub fn beside(bundles: Vec<Bundle>, dispatch_runs: Vec<RecordBatch>, options: Options) -> Self {
        let bundles: Arc<[Arc<Bundle>]> = bundles.into_iter().map(Arc::new).collect();
        let bytes = bundles.iter().map(|bundle| bundle.directory.end).sum();
        let source = Source::Bundles(Arc::clone(&bundles), dispatch_runs.into());
        Self::over(source, bundles, bytes, options)
    }

    /// A session over a folder of Parquet files.
    pub fn of_dataset(dataset: Dataset, options: Options) -> Self {
        let bytes = dataset.bytes();
        Self::over(Source::Dataset(Arc::new(dataset)), Arc::new([]), bytes, options)
    }

    fn over(source: Source, bundles: Arc<[Arc<Bundle>]>, bytes: u64, options: Options) -> Self {
        let is_small = bytes < limits::PARALLEL_BYTES;
        let threads = if is_small { 1 } else { options.threads.unwrap_or_else(processors) };
        let subject = Subject {
            source,
            folds: Arc::new(Folds::new(Arc::clone(&bundles), threads)),
            asked: Arc::default(),
            threads,
            is_small,
            all_rules: options.all_rules,
        };
        Self { bundles, subject, planner: OnceLock::new() }
    }

    /// What plans, made when it is first wanted: of two that want it first at once, both may make it, and one is kept.
    fn planner(&self) -> Result<&Planner, EngineError> {
        if let Some(planner) = self.planner.get() {
            return Ok(planner);
        }
        let made = Planner::new(&self.subject)?;
        Ok(self.planner.get_or_init(|| made))
    }

    /// Makes what plans, which is made when something is first to be planned otherwise.
    pub fn begin(&self) -> Result<(), EngineError> {
        self.planner().map(|_| ())
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

    /// Plans and starts one statement.
    pub async fn run(
        &self,
        statement: &Statement,
    ) -> Result<SendableRecordBatchStream, EngineError> {
        let context = &self.planner()?.context;
        let state = context.state();
        let asking = self.subject.asked.ask(Mentioned::by(&statement.parsed));
        let planned = state.statement_to_plan(statement.named()).await;
        drop(asking);
        let plan = match planned {
            Ok(plan) => plan,
            // What is said of a name that does not exist is to tell of all that do.
            Err(_) => state.statement_to_plan(statement.named()).await?,
        };
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

    /// Plans and starts all rows of a table or view.
    pub async fn whole(&self, whole: &Whole) -> Result<SendableRecordBatchStream, EngineError> {
        let planner = self.planner()?;
        let plan = whole.plan(&planner.reports, &self.subject.asked).await?;
        let prepared = Prepared::of_plan(planner, plan, whole.relations()).await?;
        match whole.order {
            Order::Columns => prepared.ordered().stream(),
            Order::Place | Order::None => prepared.stream(),
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
        let _planning = self.subject.folds.begin_early();
        // The queries themselves, not the relations: only at the top is ORDER BY kept.
        let parse = |name: &str| {
            let file = sql::find(kind, name)
                .ok_or_else(|| EngineError::Query(format!("nothing is called {name}")))?;
            let statement = statement::of_report(file, parameters)?;
            self.subject.folds.begin_called(&statement.parsed);
            Ok(statement)
        };
        let (names, columns): (Vec<&str>, Vec<Mentioned>) = asked.unzip();
        let planner = self.planner.get().is_none().then_some(Task::Planner);
        let tasks = planner.into_iter().chain(names.into_iter().map(Task::Parse));
        let work = |task: &Task<'_>| match task {
            Task::Planner => self.planner().map(|_| None),
            Task::Parse(name) => parse(name).map(Some),
        };
        let tasks: Vec<Task<'_>> = tasks.collect();
        let statements = all(|take| side_by_side(processors(), &tasks, work, take))?;
        let mut statements: Vec<Statement> = statements.into_iter().flatten().collect();
        let planner = self.planner()?;
        let mut mentioned = Mentioned::default();
        for (statement, columns) in statements.iter_mut().zip(&columns) {
            prune(statement, columns, &planner.reports);
            mentioned.add(Mentioned::by(&statement.parsed));
        }
        let _asking = self.subject.asked.ask(mentioned);
        prepare(planner, &statements, take)
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
            self.subject.folds.metadata(nth)?;
        }
        Ok(())
    }

    /// Threads that a query uses.
    pub fn threads(&self) -> usize {
        self.subject.threads
    }

    /// Names that SQL knows, for completion: functions of every kind.
    pub fn function_names(&self) -> Result<Vec<String>, EngineError> {
        let state = self.planner()?.context.state();
        let mut names: Vec<String> = state.scalar_functions().keys().cloned().collect();
        names.extend(state.aggregate_functions().keys().cloned());
        names.extend(state.window_functions().keys().cloned());
        names.sort();
        names.dedup();
        Ok(names)
    }
}
