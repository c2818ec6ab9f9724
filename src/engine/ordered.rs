//! Reports as ordered streams: each of a plan's partitions by itself, for whoever merges their rows while printing.
//!
//! `DataFusion` merges sorted partitions row by row and copies every column. A printer has only bytes to put in order,
//! so it takes the partitions as they are.

use std::sync::Arc;

use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SessionContext;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, execute_stream};

use super::error::EngineError;
use super::statement::Statement;

/// Plans `statement` and starts every partition whose rows are in the order that it asks for.
pub async fn partitions(
    context: &SessionContext,
    statement: &Statement,
) -> Result<Vec<SendableRecordBatchStream>, EngineError> {
    let mut state = context.state();
    // Reports join many rows to few, and the few come first: spreading both over the threads would lose the order.
    state.config_mut().options_mut().optimizer.repartition_joins = false;
    let plan = state.statement_to_plan(statement.parsed.clone()).await?;
    let plan = state.create_physical_plan(&plan).await?;
    let task = context.task_ctx();
    let Some(sorted) = unmerged(&plan) else { return Ok(vec![execute_stream(plan, task)?]) };
    let count = sorted.output_partitioning().partition_count();
    Ok((0..count)
        .map(|partition| sorted.execute(partition, Arc::clone(&task)))
        .collect::<Result<_, _>>()?)
}

/// The input of the merge at the top of a plan.
fn unmerged(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    let merge = (plan.as_ref() as &dyn std::any::Any).downcast_ref::<SortPreservingMergeExec>()?;
    merge.fetch().is_none().then(|| merge.input())
}
