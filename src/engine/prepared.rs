//! Fixed queries that are planned side by side: for a small bundle, planning is most of the work.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, available_parallelism};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::TableReference;
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, execute_stream};
use futures::StreamExt;
use tokio::runtime::Builder;

use super::documented::{documented, relations};
use super::error::EngineError;
use super::statement::Statement;

/// Stack of the threads that parse and plan: expressions call themselves.
const STACK: usize = 16 << 20;

/// A query that is ready to run.
pub struct Prepared {
    plan: Arc<dyn ExecutionPlan>,
    /// For each column, what documents it.
    relations: Vec<Option<TableReference>>,
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
    state: &SessionState,
    statements: &[Statement],
    take: impl FnMut(Prepared) -> bool,
) -> Result<(), EngineError> {
    // A runtime of its own: planning a large query waits for tasks that it starts, and whoever calls may be all that
    // drives the runtime of the query.
    let plan = |statement: &Statement| {
        let runtime = Builder::new_current_thread().build().map_err(|error| environment(&error))?;
        runtime.block_on(Prepared::new(state, statement))
    };
    side_by_side(statements, plan, take)
}

/// Does work on as many threads as the machine has, and gives what comes of it away in the order of the items, each as soon
/// as it and those before it are ready, up to the first that fails or that `take` does not want.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, EngineError> + Sync,
    mut take: impl FnMut(R) -> bool,
) -> Result<(), EngineError> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let worker = |sender: Sender<(usize, Result<R, EngineError>)>| {
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(nth) else { return };
            // Whoever no longer listens has failed already, or has enough.
            if sender.send((nth, work(item))).is_err() {
                return;
            }
        }
    };
    let threads = available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let builder = thread::Builder::new().stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, || worker(sender));
            spawned.map_err(|error| environment(&error))?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        for (nth, done) in receiver {
            early.insert(nth, done);
            while let Some(done) = early.remove(&wanted) {
                wanted += 1;
                if !take(done?) {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// All that is given away by `each`.
pub fn all<T>(
    each: impl FnOnce(&mut dyn FnMut(T) -> bool) -> Result<(), EngineError>,
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
    async fn new(state: &SessionState, statement: &Statement) -> Result<Self, EngineError> {
        let plan = state.statement_to_plan(statement.parsed.clone()).await?;
        let relations = relations(&plan);
        let plan = state.create_physical_plan(&plan).await?;
        Ok(Self { plan, relations, task: state.task_ctx() })
    }

    /// All rows; the answer is small.
    pub async fn answer(self) -> Result<Answer, EngineError> {
        let mut stream = documented(&self.relations, execute_stream(self.plan, self.task)?);
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
