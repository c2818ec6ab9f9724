//! Plans IN lists in the forms that DataFusion answers right.
//!
//! Its simplification of two lists over one value, and of lists with NULL, forgets that the answer may be unknown; and it
//! looks up the bits of floats, where -0 is not 0.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, lit, when};
use datafusion::optimizer::AnalyzerRule;

/// The rule, which runs after types are coerced.
#[derive(Debug)]
pub struct Lists;

impl AnalyzerRule for Lists {
    fn name(&self) -> &'static str {
        "lists"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|plan| {
            let schema = merge_schema(&plan.inputs());
            let names = NamePreserver::new(&plan);
            plan.map_expressions(|given| {
                let name = names.save(&given);
                let done = given.transform_up(|part| rewrite(part, &schema))?;
                Ok(done.update_data(|data| name.restore(data)))
            })
        })?;
        Ok(plan.data)
    }
}

fn rewrite(part: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match part {
        Expr::InList(given) => one(given, schema),
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right })
            if has_list(&left) && has_list(&right) =>
        {
            // Values of lists are decided where the value is not NULL, so that merged lists are right.
            let [left, right] = [*left, *right].map(decided);
            let both = BinaryExpr::new(Box::new(left?), op, Box::new(right?));
            Ok(Transformed::yes(Expr::BinaryExpr(both)))
        }
        other => Ok(Transformed::no(other)),
    }
}

fn has_list(given: &Expr) -> bool {
    matches!(given, Expr::InList(_))
}

/// `CASE WHEN x IS NOT NULL THEN x IN (…) END`.
fn decided(list: Expr) -> Result<Expr> {
    match &list {
        Expr::InList(InList { expr, .. }) => {
            let is_known = expr.as_ref().clone().is_not_null();
            when(is_known, list).end()
        }
        _ => Ok(list),
    }
}

/// Whether an item is the constant NULL, which may be cast to the type of the list.
fn is_null(item: &Expr) -> bool {
    match item {
        Expr::Literal(value, _) => value.is_null(),
        Expr::Cast(cast) => is_null(&cast.expr),
        _ => false,
    }
}

fn one(given: InList, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let InList { expr, list, negated } = given;
    let count = list.len();
    let list: Vec<Expr> = list.into_iter().filter(|item| !is_null(item)).collect();
    let has_null = list.len() < count;
    let is_float = expr.get_type(schema)?.is_floating();
    if !has_null && !is_float {
        return Ok(Transformed::no(Expr::InList(InList { expr, list, negated })));
    }
    // -0 + 0 is 0.
    let expr = if is_float { Box::new(*expr + lit(0.0)) } else { expr };
    let list = if is_float { list.into_iter().map(|item| item + lit(0.0)).collect() } else { list };
    let unknown = Expr::Literal(ScalarValue::Boolean(None), None);
    let rest =
        if list.is_empty() { lit(negated) } else { Expr::InList(InList { expr, list, negated }) };
    Ok(Transformed::yes(match (has_null, negated) {
        (false, _) => rest,
        (true, false) => rest.or(unknown),
        (true, true) => rest.and(unknown),
    }))
}
