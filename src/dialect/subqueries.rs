//! Plans subqueries in the forms that DataFusion's decorrelation answers right, and rejects the others.
//!
//! DataFusion turns `EXISTS` and `IN` into joins. These know no unknown membership, and lose what an aggregate, OFFSET
//! or window above a correlated condition computes from other rows.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ExprSchema, ScalarValue, Spans, plan_err};
use datafusion::error::Result;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, Filter, Limit, LogicalPlan, LogicalPlanBuilder, Operator, Projection,
    Subquery, col, lit, not, when,
};
use datafusion::optimizer::AnalyzerRule;

use super::correlated::{check, single, total};

/// The rule, which runs before types are coerced.
#[derive(Debug)]
pub struct Subqueries;

impl AnalyzerRule for Subqueries {
    fn name(&self) -> &'static str {
        "subqueries"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(rewrite)?.data)
    }
}

fn rewrite(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Filter(filter) => {
            let is_pinned = split_conjunction(&filter.predicate).into_iter().any(is_constant);
            if !is_pinned && !has_subquery(&filter.predicate) {
                return Ok(Transformed::no(LogicalPlan::Filter(filter)));
            }
            let Filter { predicate, input, .. } = filter;
            let predicate = condition(predicate, input.schema(), false, true)?;
            let input = if is_pinned { Arc::new(pinned(&input)?) } else { input };
            Ok(Transformed::yes(LogicalPlan::Filter(Filter::try_new(predicate, input)?)))
        }
        LogicalPlan::Projection(Projection { expr, input, .. })
            if expr.iter().any(has_subquery) =>
        {
            let terms = expr.into_iter().map(|term| {
                let name = term.schema_name().to_string();
                let value = value(term, input.schema(), false)?;
                Ok(if value.schema_name().to_string() == name { value } else { value.alias(name) })
            });
            let terms = terms.collect::<Result<_>>()?;
            Ok(Transformed::yes(LogicalPlan::Projection(Projection::try_new(terms, input)?)))
        }
        LogicalPlan::Subquery(lateral) => {
            check(&lateral.subquery, true)?;
            Ok(Transformed::no(LogicalPlan::Subquery(lateral)))
        }
        other => Ok(Transformed::no(other)),
    }
}

fn has_subquery(expression: &Expr) -> bool {
    let is_subquery = |part: &Expr| {
        Ok(matches!(part, Expr::Exists(_) | Expr::InSubquery(_) | Expr::ScalarSubquery(_)))
    };
    expression.exists(is_subquery).unwrap_or(true)
}

/// Whether a condition depends on no column. DataFusion moves such a condition below aggregates, and a global one
/// returns a row even if its input is empty.
fn is_constant(condition: &Expr) -> bool {
    !matches!(condition, Expr::Literal(..))
        && condition.column_refs().is_empty()
        && !condition.contains_outer()
}

/// Puts a limit, which conditions do not pass, above each aggregate that returns a row for no input.
fn pinned(input: &Arc<LogicalPlan>) -> Result<LogicalPlan> {
    let pinned = input.as_ref().clone().transform_down(|plan| match &plan {
        LogicalPlan::Aggregate(aggregate)
            if aggregate.group_expr.iter().all(|term| matches!(term, Expr::GroupingSet(_))) =>
        {
            let fetch = Some(Box::new(lit(i64::MAX)));
            let limit = LogicalPlan::Limit(Limit { skip: None, fetch, input: Arc::new(plan) });
            Ok(Transformed::new(limit, true, TreeNodeRecursion::Jump))
        }
        _ => Ok(Transformed::no(plan)),
    })?;
    Ok(pinned.data)
}

/// Rewrites a condition, or its negation, of which only the rows where it is true count. `is_whole` tells whether it is
/// a condition of its own, not a side of OR.
fn condition(given: Expr, outer: &DFSchema, is_negated: bool, is_whole: bool) -> Result<Expr> {
    if !has_subquery(&given) {
        return Ok(if is_negated { not(given) } else { given });
    }
    match given {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let is_and = (op == Operator::And) != is_negated;
            let op = if is_and { Operator::And } else { Operator::Or };
            let left = condition(*left, outer, is_negated, is_whole && is_and)?;
            let right = condition(*right, outer, is_negated, is_whole && is_and)?;
            Ok(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))))
        }
        Expr::Not(inner) => condition(*inner, outer, !is_negated, is_whole),
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
            let expr = Box::new(value(*expr, outer, true)?);
            let given = InSubquery { expr, subquery, negated: negated != is_negated };
            // DataFusion looks for NULLs in columns only.
            let is_known = given.negated
                && is_whole
                && given.subquery.outer_ref_columns.is_empty()
                && matches!(*given.expr, Expr::Column(_));
            if let Some(equal) = of_total(&given)? {
                return Ok(equal);
            }
            if is_known || !given.negated {
                return Ok(Expr::InSubquery(given));
            }
            let [hit, unknown] = Membership::of(&given, outer)?.parts();
            Ok(not(hit).and(not_true(unknown)))
        }
        other => {
            let value = value(other, outer, true)?;
            Ok(if is_negated { not(value) } else { value })
        }
    }
}

/// Negates a condition that is true or false.
fn not_true(condition: Expr) -> Expr {
    match condition {
        Expr::Literal(ScalarValue::Boolean(Some(false)), _) => lit(true),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            not_true(*left).and(not_true(*right))
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            not_true(*left).or(not_true(*right))
        }
        other => not(other),
    }
}

/// Rewrites the subqueries in an expression whose value counts. DataFusion plans EXISTS in filters only.
fn value(given: Expr, outer: &DFSchema, is_filter: bool) -> Result<Expr> {
    let rewritten = given.transform_up(|part| {
        let rewritten = match part {
            Expr::InSubquery(given) => match of_total(&given)? {
                Some(equal) => equal,
                None => Membership::of(&given, outer)?.value(given.negated, is_filter)?,
            },
            Expr::Exists(given) => exists(given, is_filter)?,
            Expr::ScalarSubquery(given) => scalar(given)?,
            other => return Ok(Transformed::no(other)),
        };
        Ok(Transformed::yes(rewritten))
    })?;
    Ok(rewritten.data)
}

/// The parts of the value of `x IN (SELECT y …)`, by three-valued logic:
///
/// | rows | x | a row equals x | a y is NULL | `IN` | `NOT IN` |
/// |---|---|---|---|---|---|
/// | none | any | | | false | true |
/// | some | NULL | | any | unknown | unknown |
/// | some | a value | yes | any | true | false |
/// | some | a value | no | yes | unknown | unknown |
/// | some | a value | no | no | false | true |
struct Membership {
    /// `EXISTS (… WHERE y = x)`.
    hit: Exists,
    /// `EXISTS (… WHERE y IS NULL)`, if y may be NULL.
    hole: Option<Exists>,
    /// `x IS NULL` and `EXISTS (…)`, if x may be NULL.
    blank: Option<(Expr, Exists)>,
}

impl Membership {
    fn of(given: &InSubquery, outer: &DFSchema) -> Result<Self> {
        let InSubquery { expr, subquery, .. } = given;
        check(&subquery.subquery, false)?;
        let fields = subquery.subquery.schema();
        let y = Expr::Column(Column::from(fields.qualified_field(0)));
        let x = as_outer(expr.as_ref().clone(), outer)?;
        let hole = fields.field(0).is_nullable().then(|| within(subquery, y.clone().is_null()));
        let is_nullable = match expr.as_ref() {
            Expr::Column(column) => outer.field_from_column(column)?.is_nullable(),
            Expr::Literal(value, _) => value.is_null(),
            _ => true,
        };
        let whole = Exists { subquery: subquery.clone(), negated: false };
        Ok(Self {
            hit: within(subquery, y.eq(x))?,
            hole: hole.transpose()?,
            blank: is_nullable.then(|| (expr.as_ref().clone().is_null(), whole)),
        })
    }

    /// Returns the conditions for true, and for unknown unless it is true.
    fn parts(self) -> [Expr; 2] {
        let hole = self.hole.map(Expr::Exists);
        let blank = self.blank.map(|(is_null, whole)| is_null.and(Expr::Exists(whole)));
        let unknown = hole.into_iter().chain(blank).reduce(Expr::or);
        [Expr::Exists(self.hit), unknown.unwrap_or_else(|| lit(false))]
    }

    fn value(self, negated: bool, is_filter: bool) -> Result<Expr> {
        let unknown = Expr::Literal(ScalarValue::Boolean(None), None);
        let [hit, is_unknown] = self.parts();
        let value = when(hit, lit(!negated)).when(is_unknown, unknown).otherwise(lit(negated))?;
        if is_filter {
            return Ok(value);
        }
        let counted = value.transform_up(|part| match part {
            Expr::Exists(given) => Ok(Transformed::yes(counted(given)?)),
            other => Ok(Transformed::no(other)),
        })?;
        Ok(counted.data)
    }
}

/// `EXISTS` of the rows of a subquery that meet a condition.
fn within(subquery: &Subquery, condition: Expr) -> Result<Exists> {
    let filter = Filter::try_new(condition, Arc::clone(&subquery.subquery))?;
    Ok(Exists { subquery: subquery_of(LogicalPlan::Filter(filter)), negated: false })
}

fn subquery_of(plan: LogicalPlan) -> Subquery {
    Subquery {
        outer_ref_columns: plan.all_out_ref_exprs(),
        subquery: Arc::new(plan),
        spans: Spans::default(),
    }
}

/// Makes the columns of an expression those of the query around a subquery.
fn as_outer(given: Expr, outer: &DFSchema) -> Result<Expr> {
    let outer = given.transform(|part| match part {
        Expr::Column(column) => {
            let field = Arc::clone(outer.field_from_column(&column)?);
            Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(outer.data)
}

/// `x IN (SELECT count(*) …)` compares x with the only row. `None` for other subqueries.
fn of_total(given: &InSubquery) -> Result<Option<Expr>> {
    let InSubquery { expr, subquery, negated } = given;
    if subquery.outer_ref_columns.is_empty() {
        return Ok(None);
    }
    if !total(&subquery.subquery) {
        check(&subquery.subquery, false)?;
        return Ok(None);
    }
    let operator = if *negated { Operator::NotEq } else { Operator::Eq };
    let row = Box::new(Expr::ScalarSubquery(subquery.clone()));
    Ok(Some(Expr::BinaryExpr(BinaryExpr::new(expr.clone(), operator, row))))
}

fn exists(given: Exists, is_filter: bool) -> Result<Expr> {
    let Exists { subquery, negated } = &given;
    if !subquery.outer_ref_columns.is_empty() {
        match single(&subquery.subquery) {
            Some((_, None)) => return Ok(lit(!negated)),
            Some((rows, Some(having))) if !having.contains_outer() => {
                let meets = LogicalPlanBuilder::from(rows.clone());
                let meets = meets.project(vec![having.clone().alias("having")])?.build()?;
                let meets = Expr::ScalarSubquery(subquery_of(meets));
                return Ok(if *negated { meets.is_not_true() } else { meets.is_true() });
            }
            _ => check(&subquery.subquery, false)?,
        }
    }
    if is_filter { Ok(Expr::Exists(given)) } else { counted(given) }
}

/// `EXISTS (…)` as `(SELECT count(*) > 0 …)`.
fn counted(given: Exists) -> Result<Expr> {
    let Exists { subquery, negated } = given;
    let count = LogicalPlanBuilder::from(subquery.subquery)
        .aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("rows")])?;
    let exists = count.project(vec![col("rows").gt(lit(0)).alias("exists")])?.build()?;
    let exists = Expr::ScalarSubquery(subquery_of(exists));
    Ok(if negated { not(exists) } else { exists })
}

/// `SELECT x … HAVING y` as `SELECT CASE WHEN y THEN x END …`: no row is NULL.
fn scalar(given: Subquery) -> Result<Expr> {
    if given.outer_ref_columns.is_empty() {
        return Ok(Expr::ScalarSubquery(given));
    }
    if let LogicalPlan::Projection(Projection { expr, input, .. }) = given.subquery.as_ref()
        && let LogicalPlan::Filter(Filter { predicate, input: rows, .. }) = input.as_ref()
        && let [term] = expr.as_slice()
        && total(rows)
    {
        if predicate.contains_outer() {
            return plan_err!(
                "HAVING with columns of the outer query is not supported; write a join with a grouped subquery"
            );
        }
        let name = term.schema_name().to_string();
        let term = when(predicate.clone(), term.clone().unalias()).end()?;
        let plan = Projection::try_new(vec![term.alias(name)], Arc::clone(rows))?;
        return Ok(Expr::ScalarSubquery(subquery_of(LogicalPlan::Projection(plan))));
    }
    check(&given.subquery, true)?;
    Ok(Expr::ScalarSubquery(given))
}
