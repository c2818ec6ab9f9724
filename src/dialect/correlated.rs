//! The shapes of correlated subqueries.

use datafusion::common::{JoinType, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::logical_plan::{FetchType, SkipType};
use datafusion::logical_expr::{Expr, Filter, Limit, LogicalPlan};

/// Whether a plan is an aggregate without groups, which returns one row.
pub fn total(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => total(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => total(&alias.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        _ => false,
    }
}

/// Returns the aggregate without groups that determines whether a plan has rows, and its HAVING.
pub fn single(plan: &LogicalPlan) -> Option<(&LogicalPlan, Option<&Expr>)> {
    if total(plan) {
        return Some((plan, None));
    }
    match plan {
        LogicalPlan::Projection(projection) => single(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => single(&alias.input),
        LogicalPlan::Sort(sort) => single(&sort.input),
        LogicalPlan::Limit(limit) if is_first(limit) => single(&limit.input),
        LogicalPlan::Filter(Filter { predicate, input, .. }) if total(input) => {
            Some((input, Some(predicate)))
        }
        _ => None,
    }
}

/// Whether a limit keeps the first row.
fn is_first(limit: &Limit) -> bool {
    let keeps = match limit.get_fetch_type() {
        Ok(FetchType::Literal(count)) => count != Some(0),
        _ => false,
    };
    keeps && matches!(limit.get_skip_type(), Ok(SkipType::Literal(0)))
}

/// Rejects what DataFusion's decorrelation would change: nodes above a correlated condition that depend on which rows
/// it keeps. `is_total` tells whether an aggregate without groups may be the last step.
pub fn check(plan: &LogicalPlan, is_total: bool) -> Result<()> {
    visit(plan, is_total).map(|_| ())
}

/// Returns whether the plan depends on the outer query.
fn visit(plan: &LogicalPlan, is_total: bool) -> Result<bool> {
    let is_last =
        is_total && matches!(plan, LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_));
    let mut is_below = false;
    for input in plan.inputs() {
        is_below |= visit(input, is_last)?;
    }
    if !is_below {
        return Ok(plan.contains_outer_reference());
    }
    let what = match plan {
        LogicalPlan::Window(_) => "a window",
        LogicalPlan::Limit(limit) if !is_first(limit) => "OFFSET",
        LogicalPlan::Join(join) if join.join_type != JoinType::Inner => "an outer join",
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() && !is_total => {
            "an aggregate without GROUP BY"
        }
        LogicalPlan::Aggregate(aggregate)
            if aggregate.group_expr.iter().any(|term| matches!(term, Expr::GroupingSet(_))) =>
        {
            "ROLLUP, CUBE or GROUPING SETS"
        }
        _ => return Ok(true),
    };
    plan_err!(
        "{what} in a subquery that uses columns of the outer query is not supported; compute it in WITH, and join"
    )
}
