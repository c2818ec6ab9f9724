//! Plans SELECTs of fixed queries without looking for UNNEST in them.
//!
//! `DataFusion` looks for it by comparing the names of a SELECT's columns with one another, each written anew every time:
//! a fifth of what a small command did. The plan is the same without, which a test holds for all fixed queries.

use std::mem::replace;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::common::{DFSchema, Result, TableReference, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::WildcardOptions;
use datafusion::logical_expr::select_expr::SelectExpr;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, SortExpr};
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::planner::{IdentNormalizer, object_name_to_table_reference};
use datafusion::sql::sqlparser::ast::{
    Cte, Expr as Sql, ExprWithAlias, GroupByExpr, Ident, OrderBy, OrderByExpr, OrderByKind, Query,
    Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind as Qualified, SetExpr,
    Statement as Ast, TableFactor, TableWithJoins, Value, Visit, Visitor,
    WildcardAdditionalOptions, With,
};

use super::pruning::{function_name, is_ordered_by_name, is_unnest};

/// The plan of a fixed query.
pub async fn plan(state: &SessionState, mut statement: Parsed) -> Result<LogicalPlan> {
    let selects = take_selects(&mut statement, state);
    let mut plan = state.statement_to_plan(statement).await?;
    for select in selects.into_iter().rev() {
        plan = select.plan(plan, state)?;
    }
    Ok(plan)
}

/// A SELECT of columns that was taken off: these, what it reads, and its order.
struct Taken {
    items: Vec<SelectItem>,
    /// The part of a WITH that it reads; without, it reads what is planned below the column in place of its own.
    part: Option<Ident>,
    /// Which rows of the part.
    condition: Option<Sql>,
    order: Vec<OrderByExpr>,
}

/// Takes the SELECTs of columns off the end of a statement, the last first, and leaves what they read.
fn take_selects(statement: &mut Parsed, state: &SessionState) -> Vec<Taken> {
    let mut selects = Vec::new();
    let Parsed::Statement(statement) = statement else { return selects };
    let Ast::Query(query) = statement.as_mut() else { return selects };
    while is_of_columns(query, state)
        && let SetExpr::Select(select) = query.body.as_mut()
    {
        let nothing = SelectItem::UnnamedExpr(Sql::value(Value::Null));
        let items = replace(&mut select.projection, vec![nothing]);
        let order = order(query.order_by.take());
        // What has queries of its own may read other parts.
        let with = query.with.as_mut().filter(|_| is_of_one_row(&select.selection, state));
        let Some(part) = with.and_then(|with| take_part(with, select)) else {
            selects.push(Taken { items, part: None, condition: None, order });
            break;
        };
        let (name, condition) = (Some(part.alias.name), select.selection.take());
        selects.push(Taken { items, part: name, condition, order });
        let with = query.with.take().filter(|with| !with.cte_tables.is_empty());
        **query = Query { with, ..*part.query };
    }
    selects
}

/// Whether a query ends with a SELECT of columns of one row each, and nothing else; every field is named, so that none is
/// lost that is new.
fn is_of_columns(query: &Query, state: &SessionState) -> bool {
    let Query {
        with,
        body,
        order_by,
        limit_clause: None,
        fetch: None,
        locks,
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators,
    } = query
    else {
        return false;
    };
    locks.is_empty()
        && pipe_operators.is_empty()
        && with.as_ref().is_none_or(|with| !with.recursive)
        && is_ordered_by_name(query)
        && is_of_one_row(order_by, state)
        && matches!(body.as_ref(), SetExpr::Select(select) if has_only_columns(select, state))
}

/// Whether a SELECT says nothing but where its rows come from, which, and what of each is wanted.
fn has_only_columns(select: &Select, state: &SessionState) -> bool {
    let Select {
        select_token: _,
        optimizer_hints: _,
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: _,
        projection,
        exclude: None,
        into: None,
        from: _,
        lateral_views,
        prewhere: None,
        selection: _,
        connect_by,
        group_by: GroupByExpr::Expressions(by, by_modifiers),
        cluster_by,
        distribute_by,
        sort_by,
        having: None,
        named_window,
        qualify: None,
        window_before_qualify: _,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    } = select
    else {
        return false;
    };
    let is_one = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => true,
        SelectItem::Wildcard(but)
        | SelectItem::QualifiedWildcard(Qualified::ObjectName(_), but) => {
            *but == WildcardAdditionalOptions::default()
        }
        _ => false,
    };
    projection.iter().all(is_one)
        && is_of_one_row(projection, state)
        && lateral_views.is_empty()
        && connect_by.is_empty()
        && by.is_empty()
        && by_modifiers.is_empty()
        && cluster_by.is_empty()
        && distribute_by.is_empty()
        && sort_by.is_empty()
        && named_window.is_empty()
}

/// Whether a part of a SELECT takes a value from each row by itself.
fn is_of_one_row(part: &impl Visit, state: &SessionState) -> bool {
    part.visit(&mut OfOneRow(state)).is_continue()
}

/// Stops at queries and at functions of other kinds.
struct OfOneRow<'a>(&'a SessionState);

impl Visitor for OfOneRow<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expression: &Sql) -> ControlFlow<()> {
        match expression {
            Sql::Function(call) => {
                let name = function_name(call);
                let is_other = self.0.aggregate_functions().contains_key(&name)
                    || self.0.window_functions().contains_key(&name)
                    || is_unnest(&name);
                if is_other { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn order(by: Option<OrderBy>) -> Vec<OrderByExpr> {
    match by.map(|by| by.kind) {
        Some(OrderByKind::Expressions(by)) => by,
        _ => Vec::new(),
    }
}

/// Takes the part of a WITH that a SELECT reads, and leaves what stands before.
fn take_part(with: &mut With, select: &Select) -> Option<Cte> {
    let [TableWithJoins { relation, joins }] = select.from.as_slice() else { return None };
    let TableFactor::Table { name, alias: None, args: None, .. } = relation else { return None };
    let [name] = name.0.as_slice() else { return None };
    let is_read = |part: &Cte| {
        let query = &part.query;
        name.as_ident() == Some(&part.alias.name)
            && part.alias.columns.is_empty()
            && query.with.is_none()
            && query.order_by.is_none()
            && query.limit_clause.is_none()
    };
    if !joins.is_empty() {
        return None;
    }
    let nth = with.cte_tables.iter().position(is_read)?;
    with.cte_tables.truncate(nth + 1);
    with.cte_tables.pop()
}

impl Taken {
    /// Its plan, over that of what it reads.
    fn plan(self, mut plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
        plan = match (self.part, plan) {
            (Some(name), plan) => {
                let name = TableReference::bare(IdentNormalizer::default().normalize(name));
                LogicalPlanBuilder::from(plan).alias(name)?.build()?
            }
            (None, LogicalPlan::Projection(projection)) => Arc::unwrap_or_clone(projection.input),
            (None, other) => return plan_err!("a SELECT is planned as {}", other.display()),
        };
        if let Some(condition) = self.condition {
            let condition = expression(condition, plan.schema(), state)?;
            plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
        }
        let columns = self.items.into_iter().map(|item| column(item, plan.schema(), state));
        let columns: Vec<SelectExpr> = columns.collect::<Result<_>>()?;
        let read = Arc::clone(plan.schema());
        plan = LogicalPlanBuilder::from(plan).project(columns)?.build()?;
        if self.order.is_empty() {
            return Ok(plan);
        }
        // What is ordered by is looked for among the columns first.
        let mut known = plan.schema().as_ref().clone();
        known.merge(&read);
        let order = self.order.into_iter().map(|by| {
            // NULL counts as the largest, as DataFusion has it.
            let ascending = by.options.asc.unwrap_or(true);
            let nulls_first = by.options.nulls_first.unwrap_or(!ascending);
            Ok(SortExpr::new(expression(by.expr, &known, state)?, ascending, nulls_first))
        });
        let order: Vec<SortExpr> = order.collect::<Result<_>>()?;
        LogicalPlanBuilder::from(plan).sort(order)?.build()
    }
}

fn column(item: SelectItem, read: &DFSchema, state: &SessionState) -> Result<SelectExpr> {
    Ok(match item {
        SelectItem::UnnamedExpr(column) => expression(column, read, state)?.into(),
        SelectItem::ExprWithAlias { expr, alias } => {
            let name = IdentNormalizer::default().normalize(alias);
            match expression(expr, read, state)? {
                Expr::Column(column) if column.name == name => Expr::Column(column).into(),
                other => other.alias(name).into(),
            }
        }
        SelectItem::Wildcard(_) => SelectExpr::Wildcard(WildcardOptions::default()),
        SelectItem::QualifiedWildcard(Qualified::ObjectName(of), _) => {
            let of = object_name_to_table_reference(of, true)?;
            SelectExpr::QualifiedWildcard(of, WildcardOptions::default())
        }
        other => return plan_err!("not a column: {other}"),
    })
}

fn expression(expr: Sql, read: &DFSchema, state: &SessionState) -> Result<Expr> {
    state.create_logical_expr_from_sql_expr(ExprWithAlias { expr, alias: None }, read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::folds::Folds;
    use crate::engine::namespace::Source;
    use crate::engine::parameters::Parameters;
    use crate::engine::planner::{Planner, Subject};
    use crate::engine::pruning::{Mentioned, prune};
    use crate::engine::statement::{Statement, of_file, of_report, parse};

    fn planner() -> Planner {
        let subject = Subject {
            source: Source::Bundles(Arc::new([]), Arc::new([])),
            folds: Arc::new(Folds::new(Arc::new([]), 1)),
            asked: Arc::default(),
            threads: 1,
            is_small: true,
            all_rules: false,
        };
        Planner::new(&subject).unwrap()
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    /// Plans a statement both ways; gives how many SELECTs were taken off it.
    fn assert_is_planned_as_by_datafusion(statement: &Statement, state: &SessionState) -> usize {
        let parsed = &statement.parsed;
        assert_eq!(statement.named().to_string(), statement.text(), "a column has no name");
        let ours = run(plan(state, parsed.clone())).unwrap();
        let theirs = run(state.statement_to_plan(parsed.clone())).unwrap();
        let texts = [&ours, &theirs].map(|plan| plan.display_indent_schema().to_string());
        assert_eq!(texts[0], texts[1], "{}", statement.text());
        assert!(ours == theirs, "{}", statement.text());
        take_selects(&mut parsed.clone(), state).len()
    }

    #[test]
    fn fixed_queries_are_planned_as_by_datafusion() {
        let planner = planner();
        let state = &planner.reports;
        let one = Parameters { id: Some(1), id_filter: 1, by: "queue", ..Parameters::default() };
        let (mut queries, mut taken) = (0, 0);
        for kind in sql::Kind::ALL {
            for name in sql::names(kind) {
                let file = sql::find(kind, name).unwrap();
                let statements = match kind {
                    sql::Kind::Report => [Parameters::of_relation(name), one.clone()]
                        .iter()
                        .map(|parameters| of_report(file, parameters).unwrap())
                        .collect(),
                    sql::Kind::View | sql::Kind::Export => vec![of_file(file).unwrap()],
                };
                for statement in statements {
                    queries += 1;
                    taken += assert_is_planned_as_by_datafusion(&statement, state);
                    let columns = sql::documented(kind, name).into_iter();
                    for column in columns.flat_map(|view| &view.header().columns) {
                        let mut statement = statement.clone();
                        prune(&mut statement, &Mentioned::only(&[&column.name]), state);
                        assert_is_planned_as_by_datafusion(&statement, state);
                    }
                }
            }
        }
        assert!(taken * 2 > queries, "{taken} of {queries}");
    }

    /// How many SELECTs are taken off a query, and what is left.
    fn taken(query: &str, state: &SessionState) -> (usize, String) {
        let mut parsed = parse(query).unwrap().remove(0).parsed;
        let count = take_selects(&mut parsed, state).len();
        (count, parsed.to_string())
    }

    #[test]
    fn what_selects_read_is_left() {
        let planner = planner();
        let state = &planner.reports;
        for (query, count, left) in [
            (
                "SELECT a, b + 1 AS c FROM t WHERE a > 0 ORDER BY d",
                1,
                "SELECT NULL FROM t WHERE a > 0",
            ),
            ("WITH x AS (SELECT *, 1 AS b FROM t) SELECT x.* FROM x", 2, "SELECT NULL FROM t"),
            (
                "WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x JOIN t USING (a)) SELECT a FROM y WHERE a > 0",
                2,
                "WITH x AS (SELECT 1 AS a) SELECT NULL FROM x JOIN t USING(a)",
            ),
            (
                "WITH x AS (SELECT sum(a) AS a FROM t) SELECT a + 1 AS a FROM x",
                1,
                "SELECT sum(a) AS a FROM t",
            ),
            (
                "WITH x AS (SELECT a FROM t) SELECT a FROM x WHERE a IN (SELECT 1)",
                1,
                "WITH x AS (SELECT a FROM t) SELECT NULL FROM x WHERE a IN (SELECT 1)",
            ),
            (
                "WITH x AS (SELECT a FROM t LIMIT 1) SELECT a FROM x",
                1,
                "WITH x AS (SELECT a FROM t LIMIT 1) SELECT NULL FROM x",
            ),
        ] {
            assert_eq!(taken(query, state), (count, left.to_owned()), "{query}");
        }
        for query in [
            "SELECT sum(a) AS a FROM t",
            "SELECT rank() OVER () AS a FROM t",
            "SELECT unnest(a) AS a FROM t",
            "SELECT (SELECT 1) AS a FROM t",
            "SELECT a FROM t ORDER BY 1",
            "SELECT DISTINCT a FROM t",
            "SELECT a FROM t GROUP BY a",
            "SELECT a FROM t HAVING a > 0",
            "SELECT a FROM t QUALIFY rank() OVER () = 1",
            "SELECT a INTO u FROM t",
            "SELECT * EXCEPT (a) FROM t",
            "SELECT unnest_outer(a) AS a FROM t",
            "SELECT a FROM t |> WHERE a > 0",
            "SELECT a FROM t ORDER BY sum(b)",
            "SELECT a FROM t ORDER BY a LIMIT 1",
            "SELECT a FROM t UNION ALL SELECT a FROM t",
        ] {
            assert_eq!(taken(query, state), (0, query.to_owned()), "{query}");
        }
    }
}
