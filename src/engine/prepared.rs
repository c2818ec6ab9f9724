//! Planned queries of this project's SQL files, ready to run.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DFSchema, TableReference};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, execute_stream};
use futures::{StreamExt, TryStreamExt};

use super::compacting::compacted;
use super::context::Contexts;
use super::documented::{documented, relations};
use super::error::EngineError;
use super::statement::Statement;

/// A query that is ready to run.
pub struct Prepared {
    plan: Arc<dyn ExecutionPlan>,
    /// For each column, the table or view that documents it.
    relations: Vec<Option<TableReference>>,
    /// The columns as planned. The optimizer may have found that some are never NULL in these bundles.
    columns: Arc<DFSchema>,
    task: Arc<TaskContext>,
}

/// All rows of a small result.
#[derive(Debug)]
pub struct Answer {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

/// The first rows of a result.
#[derive(Debug)]
pub struct Head {
    pub batches: Vec<RecordBatch>,
    pub more: bool,
}

impl Prepared {
    /// Plans a statement.
    pub(super) async fn new(
        contexts: &Contexts,
        statement: Statement,
    ) -> Result<Self, EngineError> {
        let state = &contexts.fixed;
        let plan = state.statement_to_plan(statement.parsed).await?;
        Ok(Self {
            relations: relations(&plan),
            columns: Arc::clone(plan.schema()),
            plan: state.create_physical_plan(&plan).await?,
            task: Arc::clone(&contexts.task),
        })
    }

    /// Plans a scan of a whole table or view without SQL around it, ordered by the columns `order` or else by all columns.
    pub(super) async fn of_relation(
        contexts: &Contexts,
        name: &str,
        order: &[&str],
    ) -> Result<Self, EngineError> {
        let state = &contexts.fixed;
        let unknown = || EngineError::Query(format!("unknown relation {name}"));
        let relation = state.schema_for_ref(name)?.table(name).await?.ok_or_else(unknown)?;
        let (columns, plan) = if let Some(view) = relation.get_logical_plan() {
            (Arc::clone(view.schema()), state.create_physical_plan(&view).await?)
        } else {
            let plan = relation.scan(state, None, &[], None).await?;
            (Arc::new(DFSchema::try_from(plan.schema())?), plan)
        };
        let relations = vec![Some(TableReference::bare(name)); columns.fields().len()];
        let plan = sorted(plan, order, state.config_options())?;
        Ok(Self { plan, relations, columns, task: Arc::clone(&contexts.task) })
    }

    /// Starts the query.
    pub fn stream(self) -> Result<SendableRecordBatchStream, EngineError> {
        let stream = execute_stream(self.plan, self.task)?;
        Ok(documented(&self.relations, Some(self.columns.fields()), stream))
    }

    /// Runs the query and collects its rows. For small results.
    pub async fn answer(self) -> Result<Answer, EngineError> {
        let stream = self.stream()?;
        Ok(Answer { schema: stream.schema(), batches: stream.try_collect().await? })
    }

    /// Returns the first `wanted` rows, rounded up to whole batches, and whether there are more.
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

    /// Starts every partition. Each is sorted as the query requires.
    ///
    /// DataFusion would merge the sorted partitions row by row and copy every column. It is cheaper for a printer to
    /// merge the encoded lines.
    pub fn partitions(self) -> Result<Vec<SendableRecordBatchStream>, EngineError> {
        let Some(sorted) = unmerged(&self.plan) else {
            return Ok(vec![execute_stream(self.plan, self.task)?]);
        };
        let count = sorted.output_partitioning().partition_count();
        let start = |partition| sorted.execute(partition, Arc::clone(&self.task));
        Ok((0..count).map(start).collect::<Result<_, _>>()?)
    }
}

/// Sorts the rows of a plan by some columns, or without any by all columns, unless they are already sorted.
fn sorted(
    plan: Arc<dyn ExecutionPlan>,
    by: &[&str],
    config: &ConfigOptions,
) -> Result<Arc<dyn ExecutionPlan>, EngineError> {
    let schema = plan.schema();
    let all = schema.fields().iter().map(|field| field.name().as_str());
    let by: Vec<&str> = if by.is_empty() { all.collect() } else { by.to_vec() };
    let ascending = |name: &str| -> Result<PhysicalSortExpr, EngineError> {
        let options = SortOptions { descending: false, nulls_first: false };
        Ok(PhysicalSortExpr { expr: Arc::new(Column::new_with_schema(name, &schema)?), options })
    };
    let order = by.into_iter().map(ascending).collect::<Result<Vec<_>, _>>()?;
    let order = LexOrdering::new(order);
    let Some(order) = order else { return Ok(plan) };
    let mut plan = plan;
    if !plan.equivalence_properties().ordering_satisfy(order.clone())? {
        if !config.optimizer.repartition_sorts && plan.output_partitioning().partition_count() > 1 {
            plan = Arc::new(CoalescePartitionsExec::new(plan));
        }
        let compact = compacted(&plan).unwrap_or(plan);
        let sort = SortExec::new(order.clone(), compact).with_preserve_partitioning(true);
        plan = Arc::new(sort);
    }
    if plan.output_partitioning().partition_count() > 1 {
        plan = Arc::new(SortPreservingMergeExec::new(order, plan));
    }
    Ok(plan)
}

/// Returns the input of the sort-preserving merge at the top of a plan; `None` without such a merge.
fn unmerged(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    let merge = (plan.as_ref() as &dyn std::any::Any).downcast_ref::<SortPreservingMergeExec>()?;
    merge.fetch().is_none().then(|| merge.input())
}
