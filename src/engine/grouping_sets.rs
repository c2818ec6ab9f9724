//! An optimizer rule that forgets which columns of grouping sets are constant or sorted.
//!
//! A key that has one value (`WHERE z = 1 GROUP BY ROLLUP (y, z)`) is NULL in the sets without it. DataFusion 55.2 has it that it
//! still has one value, ends groups where it changes, and gives them several times (apache/datafusion#16965). Nothing is known of
//! both an aggregate and of no rows, so each such aggregate becomes a union with no rows.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

/// The optimizer rule. It stands before those that rely on what is known of rows.
#[derive(Debug)]
pub struct GroupingSets;

impl PhysicalOptimizerRule for GroupingSets {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            if !is_of_sets(&plan) || !claims(&plan) {
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

/// Whether something is said of the values of columns.
fn claims(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let known = plan.equivalence_properties();
    !known.eq_group().is_empty() || !known.oeq_class().is_empty()
}
