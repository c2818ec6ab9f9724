//! EXPLAIN and EXPLAIN ANALYZE of a plan with stages: the second runs it, and shows what each stage did.

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion_distributed::{DistributedMetricsFormat, display_plan_ascii, explain_analyze};
use futures::{TryStreamExt, stream};

use super::errors::classified;
use super::running::of_parts;

/// How long workers may take to report what they did. A task whose rows nobody wanted never reports, such as the side of a join whose other
/// side has no rows (datafusion-distributed 4.0).
const REPORT: Duration = Duration::from_secs(3);

/// Returns the plan that shows `plan`.
pub fn explained(plan: &dyn ExecutionPlan, schema: SchemaRef) -> Result<Arc<dyn ExecutionPlan>> {
    let row = row(&schema, "distributed_plan", display_plan_ascii(plan, false))?;
    Ok(MemorySourceConfig::try_new_exec(&[vec![row]], schema, None)?)
}

/// Returns the plan that runs `plan` in the session of `task`, and shows it with the figures of its operators.
pub fn analyzed(
    plan: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
    schema: SchemaRef,
) -> Result<Arc<dyn ExecutionPlan>> {
    of_parts(Arc::clone(&schema), vec![Arc::new(Analyzed { plan, task, schema })])
}

#[derive(Debug)]
struct Analyzed {
    plan: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
    schema: SchemaRef,
}

impl PartitionStream for Analyzed {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let Self { plan, task, schema } = self;
        let shown = shown(Arc::clone(plan), Arc::clone(task), Arc::clone(schema));
        let rows = stream::once(shown).map_err(classified);
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(schema), rows))
    }
}

/// Runs a plan, and returns its text.
async fn shown(
    plan: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
    schema: SchemaRef,
) -> Result<RecordBatch> {
    let mut rows = execute_stream(Arc::clone(&plan), task)?;
    while rows.try_next().await?.is_some() {}
    let figures = explain_analyze(Arc::clone(&plan), DistributedMetricsFormat::Aggregated);
    let text = match tokio::time::timeout(REPORT, figures).await {
        Ok(text) => text?,
        Err(_) => format!(
            "without figures, as a task has not reported:\n{}",
            display_plan_ascii(plan.as_ref(), false)
        ),
    };
    row(&schema, "Plan with Metrics", text)
}

/// Returns a plan in the columns of EXPLAIN.
fn row(schema: &SchemaRef, kind: &str, plan: String) -> Result<RecordBatch> {
    let columns: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from(vec![kind])), Arc::new(StringArray::from(vec![plan]))];
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}
