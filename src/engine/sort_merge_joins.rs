//! An optimizer rule that corrects sort-merge joins with a filter (a condition beside the equal keys). DataFusion 55.2 has three
//! faults there:
//!
//! - It pushes a projection below the join, and keeps the column numbers of the filter, which then reads other columns
//!   (apache/datafusion#24414, #24593). This rule leaves projections above such a join.
//! - For a row without a partner, it evaluates the filter with NULL in all columns of the other side. Where those are declared as
//!   not nullable, this is an error. This rule makes the columns of the filter nullable.
//! - It ignores a filter that reads no columns, such as NULL. This rule gives such a filter a column.

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
pub struct SortMergeJoins {
    rule: ProjectionPushdown,
}

impl SortMergeJoins {
    /// The name of the rule that it replaces.
    pub(crate) const REPLACES: &str = "ProjectionPushdown";
}

impl PhysicalOptimizerRule for SortMergeJoins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !plan.exists(|plan| Ok(filter_of(plan).is_some()))? {
            return self.rule.optimize(plan, config);
        }
        let plan = plan.transform_up(with_nullable_columns).data()?;
        let stands_on_one = |plan: &Arc<dyn ExecutionPlan>| {
            let projection = plan.downcast_ref::<ProjectionExec>();
            projection.is_some_and(|it| filter_of(it.input()).is_some())
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

/// The filter of a sort-merge join.
fn filter_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&JoinFilter> {
    plan.downcast_ref::<SortMergeJoinExec>()?.filter().as_ref()
}

/// Gives the filter of a sort-merge join columns, all nullable.
fn with_nullable_columns(
    plan: Arc<dyn ExecutionPlan>,
) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some((join, filter)) = plan.downcast_ref::<SortMergeJoinExec>().zip(filter_of(&plan))
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
