//! Mends joins that sort their inputs and have a condition beside equal keys, which DataFusion 55.2 gets wrong in three ways:
//!
//! - It pushes a projection below such a join, and leaves the numbers of columns in its condition as they were, so that it
//!   compares others (apache/datafusion#24414, #24593). Projections that stand on one stay there.
//! - Where a row has no partner, the condition is asked with NULL for all columns of the other side, also for those that are
//!   declared to have none, which is an error. The columns of the condition may be NULL.
//! - It does not ask a condition that has no columns, such as NULL. Such a condition gets one that it does not read.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::JoinSide;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::projection_pushdown::ProjectionPushdown;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::SortMergeJoinExec;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};
use datafusion::physical_plan::projection::{ProjectionExec, remove_unnecessary_projections};

/// The optimizer rule, which stands in the place of DataFusion's `ProjectionPushdown`.
#[derive(Debug, Default)]
pub struct SortingJoins {
    rule: ProjectionPushdown,
}

impl SortingJoins {
    /// The name of the rule that it replaces.
    pub(crate) const REPLACES: &str = "ProjectionPushdown";
}

impl PhysicalOptimizerRule for SortingJoins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !plan.exists(|plan| Ok(condition(plan).is_some()))? {
            return self.rule.optimize(plan, config);
        }
        let plan = plan.transform_up(asked_with_nulls).data()?;
        let stands_on_one = |plan: &Arc<dyn ExecutionPlan>| {
            let projection = plan.downcast_ref::<ProjectionExec>();
            projection.is_some_and(|it| condition(it.input()).is_some())
        };
        plan.transform_down(|plan| {
            if stands_on_one(&plan) {
                Ok(Transformed::no(plan))
            } else {
                remove_unnecessary_projections(plan)
            }
        })
        .data()
    }

    fn name(&self) -> &'static str {
        Self::REPLACES
    }

    fn schema_check(&self) -> bool {
        self.rule.schema_check()
    }
}

/// The condition of a join that sorts.
fn condition(plan: &Arc<dyn ExecutionPlan>) -> Option<&JoinFilter> {
    plan.downcast_ref::<SortMergeJoinExec>()?.filter().as_ref()
}

/// Lets the condition have columns that may be NULL.
fn asked_with_nulls(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some((join, filter)) = plan.downcast_ref::<SortMergeJoinExec>().zip(condition(&plan))
    else {
        return Ok(Transformed::no(plan));
    };
    let mut fields: Vec<Arc<Field>> = filter.schema().fields().iter().cloned().collect();
    let mut columns = filter.column_indices().to_vec();
    if columns.is_empty() {
        columns.push(ColumnIndex { index: 0, side: JoinSide::Left });
        fields.extend(join.left().schema().fields().first().cloned());
    } else if fields.iter().all(|field| field.is_nullable()) {
        return Ok(Transformed::no(plan));
    }
    let nullable = |field: &Arc<Field>| Field::clone(field).with_nullable(true);
    let schema = Schema::new(fields.iter().map(nullable).collect::<Vec<_>>());
    let filter = JoinFilter::new(Arc::clone(filter.expression()), columns, Arc::new(schema));
    let join = SortMergeJoinExec::try_new(
        Arc::clone(join.left()),
        Arc::clone(join.right()),
        join.on().to_vec(),
        Some(filter),
        join.join_type(),
        join.sort_options().to_vec(),
        join.null_equality(),
    )?;
    Ok(Transformed::yes(Arc::new(join)))
}
