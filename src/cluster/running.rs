//! A plan with stages that runs: with the connections of its statement, and errors in our words.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion_distributed::DistributedExt;
use futures::TryStreamExt;

use super::connected::Connected;
use super::errors::told;

/// A plan that runs on the workers that have answered.
pub struct Running {
    plan: Arc<dyn ExecutionPlan>,
    connected: Connected,
}

impl Running {
    pub fn plan(plan: Arc<dyn ExecutionPlan>, connected: Connected) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self { plan, connected })
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(out)
    }
}

impl ExecutionPlan for Running {
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
        let config = context
            .session_config()
            .clone()
            .with_distributed_worker_resolver(self.connected.clone())
            .with_distributed_channel_resolver(self.connected.connections.clone());
        let context = Arc::new(TaskContext::new(
            context.task_id(),
            context.session_id(),
            config,
            context.scalar_functions().clone(),
            context.higher_order_functions().clone(),
            context.aggregate_functions().clone(),
            context.window_functions().clone(),
            context.runtime_env(),
        ));
        let rows = self.plan.execute(partition, context).map_err(told)?;
        let schema = rows.schema();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows.map_err(told))))
    }
}

impl DisplayAs for Running {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ClusterExec: workers={}", self.connected.urls.len())
    }
}
