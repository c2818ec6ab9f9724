//! Plans with stages as rows: they run in the session of their statement, which has the connections, and their errors are classified.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{TryFutureExt, TryStreamExt};

use super::errors::classified;

/// Returns the plan that runs `plan` in the session of `task`.
pub fn running(
    plan: &Arc<dyn ExecutionPlan>,
    task: &Arc<TaskContext>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let parts = (0..plan.output_partitioning().partition_count()).map(|nth| {
        let schema = plan.schema();
        Arc::new(Part { plan: Arc::clone(plan), nth, task: Arc::clone(task), schema })
            as Arc<dyn PartitionStream>
    });
    of_parts(plan.schema(), parts.collect())
}

/// Returns the plan that has these parts.
pub(super) fn of_parts(
    schema: SchemaRef,
    parts: Vec<Arc<dyn PartitionStream>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    Ok(Arc::new(StreamingTableExec::try_new(schema, parts, None, Vec::new(), false, None)?))
}

/// A partition of a plan.
#[derive(Debug)]
struct Part {
    plan: Arc<dyn ExecutionPlan>,
    nth: usize,
    task: Arc<TaskContext>,
    schema: SchemaRef,
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.plan.execute(self.nth, Arc::clone(&self.task));
        let rows = async { rows }.try_flatten_stream().map_err(classified);
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), rows))
    }
}
