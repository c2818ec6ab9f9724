//! Errors of a cluster in words of our own: what happened, and what to do.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::TryStreamExt;

/// A planner for a cluster, whose plans tell errors so.
pub struct Told {
    pub planner: Arc<dyn QueryPlanner + Send + Sync>,
    pub url: Arc<str>,
}

impl fmt::Debug for Told {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Told({})", self.url)
    }
}

#[async_trait]
impl QueryPlanner for Told {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let planned = self.planner.create_physical_plan(plan, session).await;
        let plan = planned.map_err(|error| told(&error, &self.url))?;
        Ok(Arc::new(ToldExec { plan, url: Arc::clone(&self.url) }))
    }
}

/// What Ballista or DataFusion says, and what that means.
const MEANINGS: &[(&str, &str)] = &[
    (
        "cancelled",
        "a worker was lost while the statement ran, and results of lost workers are not computed again. Run the statement again",
    ),
    ("LogicalExtensionCodec is not provided", "the scheduler there is not one of ireescope"),
    ("PhysicalExtensionCodec is not provided", "a worker there is not one of ireescope"),
    ("unsupported plan type", "a worker there is not one of ireescope"),
];

/// Returns the error in our words, without what DataFusion says of its bugs.
fn told(error: &DataFusionError, url: &str) -> DataFusionError {
    let text = error.strip_backtrace();
    let text = text.split("\nThis issue was likely caused by").next().unwrap_or_default();
    let lower = text.to_lowercase();
    let meaning = MEANINGS.iter().find(|(said, _)| lower.contains(&said.to_lowercase()));
    // A plan that cannot be sent has an error of ours within.
    let own = text.split_once("Plan(\"").and_then(|(_, rest)| rest.split_once("\"))"));
    let said = match (meaning, own) {
        (Some((_, meaning)), _) => format!("{meaning} ({text})"),
        (None, Some((own, _))) => return DataFusionError::Plan(own.to_owned()),
        (None, None) => text.to_owned(),
    };
    DataFusionError::Execution(format!("the cluster of {url}: {said}"))
}

/// A plan that runs on a cluster.
#[derive(Debug)]
struct ToldExec {
    plan: Arc<dyn ExecutionPlan>,
    url: Arc<str>,
}

impl ExecutionPlan for ToldExec {
    fn name(&self) -> &'static str {
        "ClusterExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.plan.properties()
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
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let url = Arc::clone(&self.url);
        let rows = self.plan.execute(partition, context).map_err(|error| told(&error, &url))?;
        let schema = rows.schema();
        let rows = rows.map_err(move |error| told(&error, &url));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

impl DisplayAs for ToldExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ClusterExec: {}", self.url)
    }
}
