//! EXPLAIN ANALYZE of a plan with stages: runs it, and shows what each stage did.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties, execute_stream,
};
use datafusion_distributed::{DistributedMetricsFormat, display_plan_ascii, explain_analyze};
use futures::{TryStreamExt, stream};

/// How long workers may take to tell what they did. A task whose rows nobody wanted never tells, such as the side of a join whose other
/// side has no rows (datafusion-distributed 4.0).
const TOLD: Duration = Duration::from_secs(3);

/// Runs a plan, and returns its text.
#[derive(Debug)]
pub struct Analyzed {
    plan: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl Analyzed {
    pub fn plan(plan: Arc<dyn ExecutionPlan>, schema: SchemaRef) -> Arc<dyn ExecutionPlan> {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Arc::new(Self { plan, properties: Arc::new(properties) })
    }
}

impl ExecutionPlan for Analyzed {
    fn name(&self) -> &'static str {
        "AnalyzedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        _partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let (plan, schema) = (Arc::clone(&self.plan), self.schema());
        let of_rows = Arc::clone(&schema);
        let text = async move {
            let mut rows = execute_stream(Arc::clone(&plan), context)?;
            while rows.try_next().await?.is_some() {}
            let told = explain_analyze(Arc::clone(&plan), DistributedMetricsFormat::Aggregated);
            let text = match tokio::time::timeout(TOLD, told).await {
                Ok(text) => text?,
                Err(_) => format!(
                    "without figures, which a task has not told:\n{}",
                    display_plan_ascii(plan.as_ref(), false)
                ),
            };
            let columns: Vec<ArrayRef> = vec![
                Arc::new(StringArray::from(vec!["Plan with Metrics"])),
                Arc::new(StringArray::from(vec![text])),
            ];
            Ok(RecordBatch::try_new(of_rows, columns)?)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(text))))
    }
}

impl DisplayAs for Analyzed {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.name())
    }
}
