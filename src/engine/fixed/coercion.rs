//! Makes the types in the plan of a fixed query fit each other.
//!
//! `DataFusion`'s own rule, which decides how, works out the columns of every operator anew, whether or not anything below it
//! or in it has another type than before; here only those of which something does.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;

/// The plan with its types made to fit, if it has no queries within expressions.
pub fn coerced(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let before = Arc::clone(plan.schema());
    let below = plan.map_children(coerced)?;
    if let LogicalPlan::TableScan(scan) = &below.data
        && scan.filters.is_empty()
    {
        return Ok(below);
    }
    let read = read_by(&below.data);
    let mut rewriter = TypeCoercionRewriter::new(&read);
    let own = expressions(below.data, &read, &mut rewriter)?;
    let is_changed = below.transformed || own.transformed;
    let mut plan = rewriter.coerce_plan(own.data)?;
    if is_changed {
        plan = plan.recompute_schema()?;
    }
    let is_other = *plan.schema() != before;
    Ok(Transformed::new_transformed(plan, is_other))
}

/// The columns that an operator reads.
fn read_by(plan: &LogicalPlan) -> Arc<DFSchema> {
    match plan.inputs().as_slice() {
        [only] => Arc::clone(only.schema()),
        inputs => Arc::new(merge_schema(inputs)),
    }
}

/// Makes types fit in the expressions of an operator.
fn expressions(
    mut plan: LogicalPlan,
    read: &DFSchema,
    rewriter: &mut TypeCoercionRewriter<'_>,
) -> Result<Transformed<LogicalPlan>> {
    if let LogicalPlan::Filter(filter) = &mut plan {
        filter.predicate =
            std::mem::take(&mut filter.predicate).cast_to(&DataType::Boolean, read)?;
    }
    let names = NamePreserver::new(&plan);
    let mut is_changed = false;
    let plan = plan.map_expressions(|expression| {
        if is_plain(&expression) {
            return Ok(Transformed::no(expression));
        }
        let (before, name) = (expression.clone(), names.save(&expression));
        let after = name.restore(expression.rewrite(rewriter)?.data);
        is_changed |= after != before;
        Ok(Transformed::yes(after))
    })?;
    Ok(Transformed::new_transformed(plan.data, is_changed))
}

/// Whether an expression has nothing whose types may not fit.
pub fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Column(_) | Expr::Literal(..) => true,
        Expr::Alias(alias) => is_plain(&alias.expr),
        _ => false,
    }
}
