//! An optimizer rule that makes joins yield to the scheduler, so that a query can be cancelled.
//!
//! DataFusion's own rule makes scans yield. A join that produces many rows from few may run for minutes without
//! polling a scan, and an aggregate above it keeps its thread all that time.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};

/// The optimizer rule.
#[derive(Debug)]
pub struct YieldingJoins;

impl PhysicalOptimizerRule for YieldingJoins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let wrapped = plan.transform_up(|node| {
            Ok(if multiplies(node.as_ref()) {
                Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>)
            } else {
                Transformed::no(node)
            })
        })?;
        Ok(wrapped.data)
    }

    fn name(&self) -> &'static str {
        "yielding_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn multiplies(plan: &dyn ExecutionPlan) -> bool {
    plan.is::<CrossJoinExec>() || plan.is::<NestedLoopJoinExec>() || plan.is::<HashJoinExec>()
}
