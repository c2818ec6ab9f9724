//! Fixed queries that are planned side by side: for a small bundle, planning is most of the work.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, available_parallelism};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DFSchema, TableReference};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, execute_stream};
use futures::StreamExt;
use tokio::runtime::{Builder, Handle};

use super::documented::{documented, relations};
use super::error::EngineError;
use super::fixed;
use super::planner::Planner;
use super::statement::Statement;

/// Stack of the threads that parse and plan: expressions call themselves.
pub const STACK: usize = 16 << 20;

/// A query that is ready to run.
pub struct Prepared {
    plan: Arc<dyn ExecutionPlan>,
    /// For each column, what documents it.
    relations: Vec<Option<TableReference>>,
    /// The columns, as any bundle has them.
    columns: Arc<DFSchema>,
    task: Arc<TaskContext>,
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

/// Plans statements side by side and gives them away in their order, until one fails or `take` wants no more.
pub fn prepare(
    planner: &Planner,
    statements: &[Statement],
    take: impl FnMut(Prepared) -> bool + Send,
) -> Result<(), EngineError> {
    // A runtime of its own: planning a large query waits for tasks that it starts, and whoever calls may be all that
    // drives the runtime of the query.
    let plan = |statement: &Statement| {
        let runtime = Builder::new_current_thread().build().map_err(|error| environment(&error))?;
        runtime.block_on(Prepared::new(planner, statement))
    };
    side_by_side(processors(), statements, plan, take)
}

/// Does work on several threads, and gives what comes of it away in the order of the items, each as soon as it and those
/// before it are ready, up to the first that fails or that `take` does not want.
///
/// Whoever calls is one of the threads, unless a runtime is being driven there, as work starts runtimes of its own.
pub fn side_by_side<T: Sync, R: Send, E: From<EngineError> + Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
    take: impl FnMut(R) -> bool + Send,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let given = Mutex::new(InOrder { early: BTreeMap::new(), wanted: 0, take, end: None });
    let worker = || {
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(nth) else { return };
            let done = work(item);
            if !given.lock().unwrap_or_else(PoisonError::into_inner).give(nth, done) {
                return;
            }
        }
    };
    let threads = threads.min(items.len());
    let joins = Handle::try_current().is_err();
    thread::scope(|scope| -> Result<(), E> {
        for _ in usize::from(joins)..threads {
            let builder = thread::Builder::new().stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, worker);
            spawned.map_err(|error| environment(&error))?;
        }
        if joins {
            worker();
        }
        Ok(())
    })?;
    given.into_inner().unwrap_or_else(PoisonError::into_inner).end.unwrap_or(Ok(()))
}

/// Processors that this process may use. The system is asked once, as its answer is in several files.
pub fn processors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| available_parallelism().map_or(1, usize::from))
}

/// Gives away what is done, in order.
struct InOrder<R, E, F> {
    /// What was done before something that comes first.
    early: BTreeMap<usize, Result<R, E>>,
    wanted: usize,
    take: F,
    /// Why nothing more is given away.
    end: Option<Result<(), E>>,
}

impl<R, E, F: FnMut(R) -> bool> InOrder<R, E, F> {
    /// Takes what has become of an item; false where no more is wanted.
    fn give(&mut self, nth: usize, done: Result<R, E>) -> bool {
        self.early.insert(nth, done);
        while self.end.is_none()
            && let Some(done) = self.early.remove(&self.wanted)
        {
            self.wanted += 1;
            self.end = match done {
                Ok(done) => (!(self.take)(done)).then_some(Ok(())),
                Err(error) => Some(Err(error)),
            };
        }
        self.end.is_none()
    }
}

/// All that is given away by `each`.
pub fn all<T: Send>(
    each: impl FnOnce(&mut (dyn FnMut(T) -> bool + Send)) -> Result<(), EngineError>,
) -> Result<Vec<T>, EngineError> {
    let mut all = Vec::new();
    each(&mut |item| {
        all.push(item);
        true
    })?;
    Ok(all)
}

fn environment(error: &io::Error) -> EngineError {
    EngineError::Environment(format!("cannot start a thread: {error}"))
}

impl Prepared {
    async fn new(planner: &Planner, statement: &Statement) -> Result<Self, EngineError> {
        let plan = fixed::plan(&planner.reports, statement.parsed.clone()).await?;
        let relations = relations(&plan);
        Self::of_plan(planner, plan, relations).await
    }

    /// What runs a plan; for each of its columns, what documents it.
    pub async fn of_plan(
        planner: &Planner,
        plan: LogicalPlan,
        relations: Vec<Option<TableReference>>,
    ) -> Result<Self, EngineError> {
        let columns = Arc::clone(plan.schema());
        let plan = fixed::physical(&planner.reports, plan).await?;
        Ok(Self { plan, relations, columns, task: Arc::clone(&planner.task) })
    }

    /// Rows ordered by all of their columns, for less than a plan costs that has them in order from the beginning.
    #[must_use]
    pub fn ordered(mut self) -> Self {
        let columns = self.plan.schema();
        let columns = columns.fields().iter().zip(0..);
        let order = LexOrdering::new(columns.map(|(field, index)| PhysicalSortExpr {
            expr: Arc::new(Column::new(field.name(), index)),
            options: SortOptions { descending: false, nulls_first: false },
        }));
        let Some(order) = order else { return self };
        let streams = self.plan.output_partitioning().partition_count();
        let sort = SortExec::new(order.clone(), self.plan).with_preserve_partitioning(true);
        self.plan = Arc::new(sort);
        if streams > 1 {
            self.plan = Arc::new(SortPreservingMergeExec::new(order, self.plan));
        }
        self
    }

    /// Starts the query.
    pub fn stream(self) -> Result<SendableRecordBatchStream, EngineError> {
        let stream = execute_stream(self.plan, self.task)?;
        Ok(documented(&self.relations, Some(self.columns.fields()), stream))
    }

    /// All rows; the answer is small.
    pub async fn answer(self) -> Result<Answer, EngineError> {
        let mut stream = self.stream()?;
        let schema = stream.schema();
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await {
            batches.push(batch?);
        }
        Ok(Answer { schema, batches })
    }

    /// The first rows, `wanted` of them or a little more, and whether there are others.
    pub async fn head(self, wanted: usize) -> Result<Head, EngineError> {
        let mut stream = execute_stream(self.plan, self.task)?;
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

    /// Starts every partition whose rows are in the order that the query asks for.
    ///
    /// `DataFusion` would merge sorted partitions row by row and copy every column. A printer has only bytes to put in
    /// order, so it takes the partitions as they are.
    pub fn partitions(self) -> Result<Vec<SendableRecordBatchStream>, EngineError> {
        let Some(sorted) = unmerged(&self.plan) else {
            return Ok(vec![execute_stream(self.plan, self.task)?]);
        };
        let count = sorted.output_partitioning().partition_count();
        Ok((0..count)
            .map(|partition| sorted.execute(partition, Arc::clone(&self.task)))
            .collect::<Result<_, _>>()?)
    }
}

/// The input of the merge at the top of a plan.
fn unmerged(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    let merge = (plan.as_ref() as &dyn std::any::Any).downcast_ref::<SortPreservingMergeExec>()?;
    merge.fetch().is_none().then(|| merge.input())
}
