//! An optimizer rule that drops properties which null-extended rows break: constants, equal columns and orderings.
//!
//! DataFusion 55.2 keeps them, leaves out sorts by a constant, and ends groups where it changes, so that orders are wrong and groups are
//! returned several times:
//!
//! - of grouping sets: a key that is constant (`WHERE z = 1 GROUP BY ROLLUP (y, z)`) is NULL in the sets without it
//!   (apache/datafusion#16965);
//! - of outer joins: a column that is constant on the side without a match (`LEFT JOIN (SELECT … WHERE k = 1)`) is NULL in rows without one.
//!
//! A union has only the properties that all its inputs have. So this rule replaces such an aggregate, and such a side of a join, by a
//! union of it and an empty input.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, ExecutionPlan, ExecutionPlanProperties, ReplaceChildrenOptions,
};

/// The optimizer rule. It runs before those that use orderings.
#[derive(Debug)]
pub struct NullExtended;

impl PhysicalOptimizerRule for NullExtended {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            if is_of_sets(&plan) && has_properties(&plan) {
                return Ok(Transformed::yes(without_properties(plan)?));
            }
            let extended = extended_sides(&plan);
            let mut inputs: Vec<Arc<dyn ExecutionPlan>> =
                plan.children().into_iter().map(Arc::clone).collect();
            let mut is_changed = false;
            for (input, is_extended) in inputs.iter_mut().zip(extended) {
                if is_extended && !input.equivalence_properties().eq_group().is_empty() {
                    *input = without_properties(Arc::clone(input))?;
                    is_changed = true;
                }
            }
            let recomputed = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            Ok(if is_changed {
                Transformed::yes(plan.replace_children(inputs, recomputed)?)
            } else {
                Transformed::no(plan)
            })
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "null_extended"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn without_properties(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let none = Arc::new(EmptyExec::new(plan.schema()));
    UnionExec::try_new(vec![plan, none])
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

/// Whether rows of the left side, and of the right side, of a join may be NULL where there is no match.
fn extended_sides(plan: &Arc<dyn ExecutionPlan>) -> [bool; 2] {
    let hash = plan.downcast_ref::<HashJoinExec>().map(|join| *join.join_type());
    let sorted = || plan.downcast_ref::<SortMergeJoinExec>().map(SortMergeJoinExec::join_type);
    let looped = || plan.downcast_ref::<NestedLoopJoinExec>().map(|join| *join.join_type());
    match hash.or_else(sorted).or_else(looped) {
        Some(JoinType::Left) => [false, true],
        Some(JoinType::Right) => [true, false],
        Some(JoinType::Full) => [true, true],
        _ => [false, false],
    }
}
