//! Plans SELECTs of columns and of groups in fixed queries, which is most of them.
//!
//! `DataFusion` plans each twice, looks for UNNEST by comparing the names of its columns with one another, each written anew
//! every time, and copies a part of a WITH wherever it is read: a fifth of what a small command did. The plan is the same
//! without, which a test holds for all fixed queries.

use std::mem::{replace, take};
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchemaRef, Result, TableReference, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::WildcardOptions;
use datafusion::logical_expr::planner::ContextProvider;
use datafusion::logical_expr::select_expr::SelectExpr;
use datafusion::logical_expr::utils::{expr_as_column_expr, find_aggregate_exprs};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, LogicalPlanBuilderOptions, SortExpr,
};
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::planner::{
    IdentNormalizer, PlannerContext, SqlToRel, object_name_to_table_reference,
};
use datafusion::sql::sqlparser::ast::{
    Expr as Sql, GroupByExpr, OrderBy, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind as Qualified, SetExpr, SetOperator, SetQuantifier,
    Statement as Ast, TableFactor, TableWithJoins, Value,
};

use super::super::pruning::is_ordered_by_name;
use super::names::Names;
use super::shapes::{self, Shape, has_only_a_body, is_of_one_row, is_plain};

/// The plan of a fixed query.
pub async fn plan(state: &SessionState, statement: Parsed) -> Result<LogicalPlan> {
    let names = Names::of(state, &statement).await?;
    let Parsed::Statement(statement) = statement else { return plan_err!("a query is wanted") };
    let Ast::Query(query) = *statement else { return plan_err!("a query is wanted") };
    let sql = SqlToRel::new(&names);
    Planner { state, names: &names, sql }.query(*query, &PlannerContext::new())
}

/// Plans the parts of one statement.
struct Planner<'a> {
    state: &'a SessionState,
    names: &'a Names<'a>,
    sql: SqlToRel<'a, Names<'a>>,
}

impl Planner<'_> {
    /// Plans a query, which may read parts of a WITH that it stands in.
    fn query(&self, mut query: Query, known: &PlannerContext) -> Result<LogicalPlan> {
        let mut known = known.clone();
        if let Some(with) = query.with.take_if(|with| is_plain(with)) {
            for part in with.cte_tables {
                let name = IdentNormalizer::default().normalize(part.alias.name);
                let plan = LogicalPlanBuilder::from(self.query(*part.query, &known)?);
                let plan = plan.alias(TableReference::bare(name.as_str()))?.build()?;
                known.insert_cte(name, plan);
            }
        }
        if !self.is_ours(&query) {
            return self.any(query, &mut known);
        }
        self.body(*query.body, order(query.order_by), &mut known, None)
    }

    /// Whether a query has nothing but a body, and, where that is a SELECT of columns, an order.
    fn is_ours(&self, query: &Query) -> bool {
        let is_in_order = || {
            self.shape(&query.body) == Some(Shape::Columns)
                && is_ordered_by_name(query)
                && is_of_one_row(&query.order_by, self.state)
        };
        has_only_a_body(query) && (query.order_by.is_none() || is_in_order())
    }

    fn shape(&self, body: &SetExpr) -> Option<Shape> {
        match body {
            SetExpr::Select(select) => shapes::shape(select, self.state),
            _ => None,
        }
    }

    /// Plans SELECTs and what UNION ALL makes of them; where `first` are the columns of the first of them, the others have
    /// their names from it.
    fn body(
        &self,
        body: SetExpr,
        order: Vec<OrderByExpr>,
        known: &mut PlannerContext,
        first: Option<&DFSchemaRef>,
    ) -> Result<LogicalPlan> {
        match (self.shape(&body), body) {
            (Some(Shape::Columns), SetExpr::Select(select)) => {
                self.columns(*select, order, known, first)
            }
            (Some(Shape::Groups), SetExpr::Select(select)) => self.groups(*select, known, first),
            // Only `DataFusion` can name the columns of any other SELECT after those of the first.
            (
                _,
                SetExpr::SetOperation {
                    op: SetOperator::Union,
                    set_quantifier: SetQuantifier::All,
                    left,
                    right,
                },
            ) if self.shape(&right).is_some() => {
                let left = self.body(*left, Vec::new(), known, None)?;
                // One column by itself keeps its name.
                let first = Some(left.schema()).filter(|columns| columns.fields().len() > 1);
                let right = self.body(*right, Vec::new(), known, first)?;
                LogicalPlanBuilder::from(left).union(right)?.build()
            }
            (_, other) => self.any(of_body(other), known),
        }
    }

    /// Plans a query as `DataFusion` does.
    fn any(&self, query: Query, known: &mut PlannerContext) -> Result<LogicalPlan> {
        self.sql.sql_statement_to_plan_with_context(Ast::Query(Box::new(query)), known)
    }

    /// Plans a SELECT of columns.
    fn columns(
        &self,
        select: Select,
        order: Vec<OrderByExpr>,
        known: &mut PlannerContext,
        first: Option<&DFSchemaRef>,
    ) -> Result<LogicalPlan> {
        let (columns, read) = self.read(select, known)?;
        let schema = Arc::clone(read.schema());
        let plan = projected(read, columns, first)?;
        if order.is_empty() {
            return Ok(plan);
        }
        // What is ordered by is looked for among the columns first.
        let mut columns = plan.schema().as_ref().clone();
        columns.merge(&schema);
        let order = order.into_iter().map(|by| {
            // NULL counts as the largest, as DataFusion has it.
            let ascending = by.options.asc.unwrap_or(true);
            let nulls_first = by.options.nulls_first.unwrap_or(!ascending);
            let by = self.sql.sql_to_expr(by.expr, &columns, known)?;
            Ok(SortExpr::new(by, ascending, nulls_first))
        });
        let order: Vec<SortExpr> = order.collect::<Result<_>>()?;
        LogicalPlanBuilder::from(plan).sort(order)?.build()
    }

    /// Plans a SELECT of groups: what is wanted is taken from the groups and what they come to.
    fn groups(
        &self,
        mut select: Select,
        known: &mut PlannerContext,
        first: Option<&DFSchemaRef>,
    ) -> Result<LogicalPlan> {
        let by = match replace(&mut select.group_by, GroupByExpr::Expressions(vec![], vec![])) {
            GroupByExpr::Expressions(by, _) => by,
            GroupByExpr::All(_) => Vec::new(),
        };
        let (mut columns, read) = self.read(select, known)?;
        if first.is_some() {
            let named = projected(read.clone(), columns, first)?.expressions();
            columns = named.into_iter().map(SelectExpr::Expression).collect();
        }
        let wanted = columns.iter().filter_map(|column| match column {
            SelectExpr::Expression(column) => Some(column),
            _ => None,
        });
        let sums = find_aggregate_exprs(wanted.clone());
        let by = by.into_iter().map(|by| self.sql.sql_to_expr(by, read.schema(), known));
        let by: Vec<Expr> = by.collect::<Result<_>>()?;
        let options = LogicalPlanBuilderOptions::new().with_add_implicit_group_by_exprs(true);
        let plan = LogicalPlanBuilder::from(read.clone()).with_options(options);
        let plan = plan.aggregate(by, sums)?.build()?;
        let made = plan.expressions();
        let columns = wanted.map(|column| {
            let of_groups = column.clone().transform_down(|part| {
                if made.contains(&part) {
                    return Ok(Transformed::yes(expr_as_column_expr(&part, &read)?));
                }
                Ok(Transformed::no(part))
            });
            Ok(SelectExpr::Expression(of_groups?.data))
        });
        let columns = columns.collect::<Result<_>>()?;
        projected(plan, columns, None)
    }

    /// The columns of a SELECT, and the plan of the rows that they are taken from.
    fn read(
        &self,
        mut select: Select,
        known: &mut PlannerContext,
    ) -> Result<(Vec<SelectExpr>, LogicalPlan)> {
        let items = take(&mut select.projection);
        let plan = self.rows(select, known)?;
        let columns = items.into_iter().map(|item| self.column(item, &plan, known));
        Ok((columns.collect::<Result<_>>()?, plan))
    }

    /// The plan of the rows that a SELECT without items takes them from.
    fn rows(&self, mut select: Select, known: &mut PlannerContext) -> Result<LogicalPlan> {
        if is_of_one_row(&select.selection, self.state)
            && let Some(mut plan) = self.relation(&select.from, known)?
        {
            if let Some(condition) = select.selection {
                let condition = self.sql.sql_to_expr(condition, plan.schema(), known)?;
                plan = LogicalPlanBuilder::from(plan).filter(condition)?.build()?;
            }
            return Ok(plan);
        }
        select.projection.push(SelectItem::UnnamedExpr(Sql::value(Value::Null)));
        match self.any(of_body(SetExpr::Select(Box::new(select))), known)? {
            LogicalPlan::Projection(nothing) => Ok(Arc::unwrap_or_clone(nothing.input)),
            other => plan_err!("a SELECT is planned as {}", other.display()),
        }
    }

    /// The plan of the only table, view or part of a WITH that is read, if it is in no order, which would be lost.
    fn relation(
        &self,
        from: &[TableWithJoins],
        known: &PlannerContext,
    ) -> Result<Option<LogicalPlan>> {
        let [TableWithJoins { relation, joins }] = from else { return Ok(None) };
        let TableFactor::Table { name, alias: None, args: None, .. } = relation else {
            return Ok(None);
        };
        if !joins.is_empty() {
            return Ok(None);
        }
        let name = object_name_to_table_reference(name.clone(), true)?;
        let part = known.get_cte(name.table()).filter(|_| name.schema().is_none());
        let plan = if let Some(part) = part {
            part.clone()
        } else {
            let source = self.names.get_table_source(name.clone())?;
            LogicalPlanBuilder::scan(name, source, None)?.build()?
        };
        let is_ordered = plan.exists(|node| Ok(matches!(node, LogicalPlan::Sort(_))))?;
        Ok((!is_ordered).then_some(plan))
    }

    fn column(
        &self,
        item: SelectItem,
        read: &LogicalPlan,
        known: &mut PlannerContext,
    ) -> Result<SelectExpr> {
        Ok(match item {
            SelectItem::UnnamedExpr(column) => {
                self.sql.sql_to_expr(column, read.schema(), known)?.into()
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let name = IdentNormalizer::default().normalize(alias);
                match self.sql.sql_to_expr(expr, read.schema(), known)? {
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
}

/// The plan of columns; where `first` are those of the first SELECT of several, columns without a name have theirs.
fn projected(
    read: LogicalPlan,
    columns: Vec<SelectExpr>,
    first: Option<&DFSchemaRef>,
) -> Result<LogicalPlan> {
    let read = LogicalPlanBuilder::from(read);
    let plan = match first {
        Some(first) => read.project_with_validation_and_schema(columns, first)?,
        None => read.project(columns)?,
    };
    plan.build()
}

/// A query of nothing but a body.
fn of_body(body: SetExpr) -> Query {
    Query {
        with: None,
        body: Box::new(body),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    }
}

fn order(by: Option<OrderBy>) -> Vec<OrderByExpr> {
    match by.map(|by| by.kind) {
        Some(OrderByKind::Expressions(by)) => by,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::optimizer::AnalyzerRule;
    use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;

    use super::*;
    use crate::engine::fixed::{coercion, optimizing};
    use crate::engine::parameters::Parameters;
    use crate::engine::planner::Planner as Planned;
    use crate::engine::pruning::{Mentioned, prune};
    use crate::engine::statement::{Statement, of_file, of_report, parse};

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    fn assert_is_planned_as_by_datafusion(statement: &Statement, state: &SessionState) {
        let parsed = &statement.parsed;
        assert_eq!(statement.named().to_string(), statement.text(), "a column has no name");
        let ours = run(plan(state, parsed.clone())).unwrap();
        let theirs = run(state.statement_to_plan(parsed.clone())).unwrap();
        let texts = [&ours, &theirs].map(|plan| plan.display_indent_schema().to_string());
        assert_eq!(texts[0], texts[1], "{}", statement.text());
        assert!(ours == theirs, "{}", statement.text());
        if !optimizing::has_subqueries(&ours).unwrap() {
            let ours = coercion::coerced(ours).unwrap().data;
            let theirs = TypeCoercion::new().analyze(theirs, state.config_options()).unwrap();
            assert!(ours == theirs, "{}", statement.text());
        }
    }

    #[test]
    fn fixed_queries_are_planned_as_by_datafusion() {
        let planner = Planned::of_nothing();
        let state = &planner.reports;
        let one = Parameters { id: Some(1), id_filter: 1, by: "queue", ..Parameters::default() };
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
                    assert_is_planned_as_by_datafusion(&statement, state);
                    let columns = sql::documented(kind, name).into_iter();
                    for column in columns.flat_map(|view| &view.header().columns) {
                        let mut statement = statement.clone();
                        prune(&mut statement, &Mentioned::only(&[&column.name]), state);
                        assert_is_planned_as_by_datafusion(&statement, state);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_simple_is_planned_by_datafusion() {
        let nothing = Planned::of_nothing();
        let state = &nothing.reports;
        let shape = |query: &str| {
            let parsed = parse(query).unwrap().remove(0).parsed;
            let names = run(Names::of(state, &parsed)).unwrap();
            let planner = Planner { state, names: &names, sql: SqlToRel::new(&names) };
            let Parsed::Statement(parsed) = parsed else { panic!("{query}") };
            let Ast::Query(parsed) = *parsed else { panic!("{query}") };
            planner.shape(&parsed.body).filter(|_| planner.is_ours(&parsed))
        };
        for query in [
            "SELECT a, b + 1 AS c FROM t WHERE a > 0 ORDER BY d",
            "SELECT x.* FROM x JOIN t USING (a) WHERE a IN (SELECT 1)",
        ] {
            assert_eq!(shape(query), Some(Shape::Columns), "{query}");
        }
        for query in [
            "SELECT sum(a) AS a FROM t",
            "SELECT a FROM t GROUP BY a",
            "SELECT a, count(*) FILTER (WHERE b > 1) + 1 AS n FROM t GROUP BY a, b + 1",
        ] {
            assert_eq!(shape(query), Some(Shape::Groups), "{query}");
        }
        for query in [
            "SELECT a AS b FROM t GROUP BY b",
            "SELECT a FROM t GROUP BY 1",
            "SELECT a FROM t GROUP BY ROLLUP (a, b)",
            "SELECT sum(a) OVER () AS a FROM t",
            "SELECT a, sum(b) AS b FROM t GROUP BY a ORDER BY a",
            "SELECT count((SELECT 1)) AS n FROM t",
            "SELECT rank() OVER () AS a FROM t",
            "SELECT unnest(a) AS a FROM t",
            "SELECT (SELECT 1) AS a FROM t",
            "SELECT a FROM t ORDER BY 1",
            "SELECT DISTINCT a FROM t",
            "SELECT a FROM t HAVING a > 0",
            "SELECT a FROM t QUALIFY rank() OVER () = 1",
            "SELECT a INTO u FROM t",
            "SELECT * EXCEPT (a) FROM t",
            "SELECT unnest_outer(a) AS a FROM t",
            "SELECT a FROM t |> WHERE a > 0",
            "SELECT a FROM t ORDER BY sum(b)",
            "SELECT a FROM t ORDER BY a LIMIT 1",
        ] {
            assert_eq!(shape(query), None, "{query}");
        }
    }

    #[test]
    fn parts_and_branches_are_planned_as_by_datafusion() {
        let nothing = Planned::of_nothing();
        let state = &nothing.reports;
        for query in [
            "WITH x AS (SELECT *, 1 AS b FROM bundles) SELECT x.* FROM x ORDER BY b DESC",
            "WITH x AS (SELECT sum(event_id) AS a FROM queue_events) SELECT a + 1 AS a FROM x WHERE a > 1",
            "WITH x AS (SELECT bundle AS a FROM bundles ORDER BY a) SELECT a FROM x",
            "WITH x AS (SELECT bundle AS a FROM bundles ORDER BY a LIMIT 1) SELECT a FROM x",
            "WITH x AS (SELECT 1 AS bundles) SELECT bundles FROM x",
            "WITH bundles AS (SELECT 1 AS a) SELECT a FROM bundles",
            "WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x JOIN x AS z USING (a)) SELECT a FROM y",
            "WITH x (b) AS (SELECT 1 AS a) SELECT b FROM x",
            "WITH x AS (SELECT 1 AS a) SELECT a FROM x WHERE a IN (SELECT a FROM x)",
            "SELECT key FROM dispatches WHERE duration_ns > 1 UNION ALL SELECT NULL FROM bundles",
            "SELECT 1 AS a, NULL AS b UNION ALL SELECT NULL, NULL UNION ALL SELECT 2, 3",
            "SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a",
            "SELECT bundle AS a FROM bundles UNION ALL SELECT min(bundle) AS a FROM bundles",
            "SELECT 1 AS a, 2 AS b UNION ALL SELECT NULL, NULL FROM bundles GROUP BY bundle UNION ALL SELECT 3, 4",
            "SELECT bundle FROM bundles UNION SELECT key FROM dispatches",
            "SELECT type, count(*) AS n, sum(event_id) + 1 AS s FROM queue_events GROUP BY type, event_id % 2",
            "SELECT event_id % 2 AS odd, max(type) FILTER (WHERE event_id > 1) AS t FROM queue_events GROUP BY event_id % 2",
            "SELECT 1 AS a, 2 AS b UNION ALL SELECT count(path), count(path) FROM bundles",
            "SELECT string_agg(key, ', ' ORDER BY key) AS a FROM dispatches AS d JOIN bundles USING (bundle)",
            "SELECT count(DISTINCT d.key) AS n FROM dispatches AS d JOIN bundles AS b ON b.bundle = d.bundle GROUP BY d.bundle",
        ] {
            assert_is_planned_as_by_datafusion(&parse(query).unwrap().remove(0), state);
        }
    }
}
