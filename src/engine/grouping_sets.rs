//! An optimizer rule that drops the ordering and the constants of grouping sets.
//!
//! A key that is constant (`WHERE z = 1 GROUP BY ROLLUP (y, z)`) is NULL in the sets without it. DataFusion 55.2 still takes it
//! as constant, ends groups where it changes, and returns them several times (apache/datafusion#16965). A union has only the
//! properties that all its inputs have. So this rule replaces such an aggregate by a union of it and an empty input.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

/// The optimizer rule. It runs before those that use orderings.
#[derive(Debug)]
pub struct GroupingSets;

impl PhysicalOptimizerRule for GroupingSets {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            if !is_of_sets(&plan) || !has_properties(&plan) {
                return Ok(Transformed::no(plan));
            }
            let none = Arc::new(EmptyExec::new(plan.schema()));
            Ok(Transformed::yes(UnionExec::try_new(vec![plan, none])?))
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "grouping_sets"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether a plan makes the sets: later steps group by the number of the set, too.
fn is_of_sets(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.downcast_ref::<AggregateExec>().is_some_and(|it| !it.group_expr().is_single())
}

/// Whether the plan declares constants, equal columns or an ordering.
fn has_properties(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let known = plan.equivalence_properties();
    !known.eq_group().is_empty() || !known.oeq_class().is_empty()
}
