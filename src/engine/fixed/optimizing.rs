//! From the logical plan of a fixed query to what runs it.
//!
//! `DataFusion` does the same, and looks before and after each pass whether a plan is a valid one, and whether it is one that
//! was seen before: as much as some of the rules take. That fixed queries are planned well is tested instead.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, OptimizerRule};
use datafusion::physical_plan::ExecutionPlan;

use super::{absent, coercion, rules};

/// What runs the plan of a fixed query.
pub async fn physical(state: &SessionState, plan: LogicalPlan) -> Result<Arc<dyn ExecutionPlan>> {
    if !rules::are_few(state) {
        return state.create_physical_plan(&plan).await;
    }
    let plan = optimized(state, plan)?;
    state.query_planner().create_physical_plan(&plan, state).await
}

fn optimized(state: &SessionState, mut plan: LogicalPlan) -> Result<LogicalPlan> {
    let has_subqueries = has_subqueries(&plan)?;
    for rule in &state.analyzer().rules {
        plan = match rule.name() {
            "type_coercion" if !has_subqueries => coercion::coerced(plan)?.data,
            _ => rule.analyze(plan, state.config_options())?,
        };
    }
    plan = absent::left_out(plan, state)?;
    if has_subqueries {
        return state.optimizer().optimize(plan, state, |_, _| {});
    }
    for rule in state.optimizers() {
        plan = match rule.apply_order() {
            _ if rules::is_of_subqueries(rule.as_ref()) => plan,
            Some(order) => rewritten(plan, order, rule.as_ref(), state)?.data,
            None => rule.rewrite(plan, state)?.data,
        };
    }
    Ok(plan)
}

/// Whether a plan has queries within expressions.
pub fn has_subqueries(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| {
        let mut found = false;
        node.apply_expressions(|expression| {
            found = found || expression.exists(|part| Ok(is_subquery(part)))?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(found)
    })
}

/// Whether an operator does more with columns than pass them on.
fn calculates(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_expressions(|expression| {
        found |= !coercion::is_plain(expression);
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

fn is_subquery(expression: &Expr) -> bool {
    use Expr::{Exists, InSubquery, ScalarSubquery, SetComparison};
    matches!(expression, Exists(_) | InSubquery(_) | ScalarSubquery(_) | SetComparison(_))
}

/// Applies a rule to each node of a plan.
fn rewritten(
    plan: LogicalPlan,
    order: ApplyOrder,
    rule: &dyn OptimizerRule,
    state: &SessionState,
) -> Result<Transformed<LogicalPlan>> {
    let apply = |plan: LogicalPlan| {
        if rules::is_of_expressions(rule) && !calculates(&plan)? {
            return Ok(Transformed::no(plan));
        }
        rule.rewrite(plan, state)
    };
    let (mut plan, mut changed) = (plan, false);
    if order == ApplyOrder::TopDown {
        let done = apply(plan)?;
        if done.tnr == TreeNodeRecursion::Stop {
            return Ok(done);
        }
        (plan, changed) = (done.data, done.transformed);
    }
    let mut reads_others = false;
    let done = plan.map_children(|child| {
        let before = Arc::clone(child.schema());
        let done = rewritten(child, order, rule, state)?;
        reads_others |= done.transformed && before != *done.data.schema();
        Ok(done)
    })?;
    (plan, changed) = (done.data, changed || done.transformed);
    if reads_others {
        plan = plan.recompute_schema()?;
    }
    if order == ApplyOrder::BottomUp {
        let done = apply(plan)?;
        (plan, changed) = (done.data, changed || done.transformed);
    }
    Ok(Transformed::new_transformed(plan, changed))
}
