//! Questions about what does not exist here: keys, indexes, triggers, policies and the like.
//!
//! Clients ask for them in ways that DataFusion cannot plan. The answer needs no plan: an inner join with a relation that has no
//! rows has none, so only the names of the columns are needed.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArguments, GroupByExpr, JoinOperator, ObjectName, Query, Select, SelectItem,
    SetExpr, SetOperator, Statement, TableFactor, TableWithJoins, Value, ValueWithSpan, Visitor,
};
use dialect::built::quoted;
use dialect::walk;

/// The relations of `pg_catalog` that have no rows here.
pub(crate) const EMPTY: &[&str] = &[
    "pg_attrdef",
    "pg_constraint",
    "pg_db_role_setting",
    "pg_default_acl",
    "pg_enum",
    "pg_event_trigger",
    "pg_foreign_data_wrapper",
    "pg_foreign_server",
    "pg_foreign_table",
    "pg_index",
    "pg_indexes",
    "pg_inherits",
    "pg_largeobject",
    "pg_largeobject_metadata",
    "pg_matviews",
    "pg_partitioned_table",
    "pg_policy",
    "pg_publication",
    "pg_publication_namespace",
    "pg_publication_rel",
    "pg_replication_origin",
    "pg_replication_slots",
    "pg_seclabel",
    "pg_sequence",
    "pg_shdepend",
    "pg_shseclabel",
    "pg_statistic",
    "pg_statistic_ext",
    "pg_statistic_ext_data",
    "pg_stat_user_tables",
    "pg_subscription",
    "pg_subscription_rel",
    "pg_trigger",
    "pg_user_mapping",
];
/// Functions that have a row for no rows.
const AGGREGATES: &[&str] = &[
    "array_agg",
    "avg",
    "bool_and",
    "bool_or",
    "count",
    "every",
    "json_agg",
    "jsonb_agg",
    "max",
    "min",
    "string_agg",
    "sum",
];

/// Returns a statement without rows that has the columns and the parameters of this one, if this one cannot have rows.
pub(crate) fn without_rows(statement: &Statement) -> Option<String> {
    let Statement::Query(query) = statement else { return None };
    if !has_no_rows(query, &[]) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for name in columns(&query.body)? {
        let mut unique = name.clone();
        while names.contains(&unique) {
            unique.push('_');
        }
        names.push(unique);
    }
    let columns = names.iter().map(|name| format!("NULL::TEXT AS {}", quoted(name)));
    let columns = columns.collect::<Vec<_>>().join(", ");
    let uses = parameters(statement).into_iter().map(|name| format!(" AND {name} IS NULL"));
    Some(format!("SELECT {columns} WHERE false{}", uses.collect::<String>()))
}

/// Whether a query cannot have rows. `known` names the parts of the WITH clauses around it that have none.
pub(crate) fn has_no_rows(query: &Query, known: &[String]) -> bool {
    let mut known = known.to_vec();
    for part in query.with.iter().flat_map(|with| &with.cte_tables) {
        if has_no_rows(&part.query, &known) {
            known.push(part.alias.name.value.to_lowercase());
        }
    }
    is_empty(&query.body, &known)
}

fn is_empty(body: &SetExpr, known: &[String]) -> bool {
    match body {
        SetExpr::Select(select) => {
            !has_aggregates(select) && select.from.iter().any(|from| joined(from, known))
        }
        SetExpr::Query(query) => has_no_rows(query, known),
        SetExpr::SetOperation { op: SetOperator::Union, left, right, .. } => {
            is_empty(left, known) && is_empty(right, known)
        }
        _ => false,
    }
}

/// Whether tables that are joined have no rows together.
fn joined(from: &TableWithJoins, known: &[String]) -> bool {
    let mut is_empty = factor(&from.relation, known);
    for join in &from.joins {
        let other = factor(&join.relation, known);
        is_empty = match join.join_operator {
            JoinOperator::Join(_) | JoinOperator::Inner(_) | JoinOperator::CrossJoin(_) => {
                is_empty || other
            }
            JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => is_empty,
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => other,
            _ => is_empty && other,
        };
    }
    is_empty
}

fn factor(relation: &TableFactor, known: &[String]) -> bool {
    match relation {
        TableFactor::Table { name, args: None, .. } => {
            let last = last(name);
            let is_of_catalogue = match name.0.as_slice() {
                [_] => true,
                [schema, _] => schema.to_string().eq_ignore_ascii_case("pg_catalog"),
                _ => false,
            };
            is_of_catalogue && EMPTY.contains(&last.as_str())
                || name.0.len() == 1 && known.contains(&last)
        }
        TableFactor::Derived { subquery, .. } => has_no_rows(subquery, known),
        TableFactor::NestedJoin { table_with_joins, .. } => joined(table_with_joins, known),
        _ => false,
    }
}

/// Whether a query has a row even for no rows.
fn has_aggregates(select: &Select) -> bool {
    let is_grouped = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(by, _) => !by.is_empty(),
    };
    !is_grouped && select.projection.iter().any(aggregates)
}

/// Whether a part of a statement calls an aggregate, subqueries aside.
pub fn aggregates(part: &SelectItem) -> bool {
    walk::walk(part, &mut Aggregates { depth: 0 }).is_break()
}

struct Aggregates {
    /// How many subqueries are around what is visited.
    depth: usize,
}

impl Visitor for Aggregates {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Function(call)
                if self.depth == 0
                    && call.over.is_none()
                    && AGGREGATES.contains(&last(&call.name).as_str()) =>
            {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Returns the names of the columns of a query.
fn columns(body: &SetExpr) -> Option<Vec<String>> {
    let select = match body {
        SetExpr::Select(select) => select,
        SetExpr::Query(query) => return columns(&query.body),
        SetExpr::SetOperation { left, .. } => return columns(left),
        _ => return None,
    };
    let mut names = Vec::new();
    for item in &select.projection {
        match item {
            SelectItem::ExprWithAlias { alias, .. } => names.push(alias.value.clone()),
            SelectItem::UnnamedExpr(expression) => names.push(named(expression)),
            SelectItem::Wildcard(_) => match select.from.as_slice() {
                [TableWithJoins { relation: TableFactor::Derived { subquery, .. }, joins }]
                    if joins.is_empty() =>
                {
                    names.extend(columns(&subquery.body)?);
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(names)
}

/// Returns the name that PostgreSQL gives to the column of an expression.
fn named(expression: &Expr) -> String {
    match expression {
        Expr::Identifier(name) => name.value.clone(),
        Expr::CompoundIdentifier(parts) => {
            parts.last().map(|it| it.value.clone()).unwrap_or_default()
        }
        Expr::Function(call) if !matches!(call.args, FunctionArguments::None) => last(&call.name),
        Expr::Cast { expr, .. } | Expr::Nested(expr) => named(expr),
        Expr::Case { .. } => "case".into(),
        _ => "?column?".into(),
    }
}

/// Returns the last part of a name in lower case.
fn last(name: &ObjectName) -> String {
    let ident = name.0.last().and_then(|part| part.as_ident());
    ident.map(|it| it.value.to_lowercase()).unwrap_or_default()
}

/// Returns the parameters of a statement.
fn parameters(statement: &Statement) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let _ = walk::expressions(statement, |expression| {
        if let Expr::Value(ValueWithSpan { value: Value::Placeholder(name), .. }) = expression {
            found.insert(name.clone());
        }
        ControlFlow::<()>::Continue(())
    });
    found
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
    use datafusion::sql::sqlparser::parser::Parser;

    use super::*;

    fn answer(text: &str) -> Option<String> {
        without_rows(&Parser::parse_sql(&PostgreSqlDialect {}, text).unwrap()[0])
    }

    #[test]
    fn inner_joins_with_empty_relations_have_no_rows() {
        let found = answer(
            "SELECT n.nspname AS s, i.indkey, pg_catalog.pg_get_expr(i.indpred, 1), NULL, NULL \
             FROM pg_class c JOIN pg_catalog.pg_index i ON c.oid = i.indrelid, pg_namespace n WHERE c.oid = $1",
        );
        let names = ["s", "indkey", "pg_get_expr", "?column?", "?column?_"];
        let columns = names.map(|name| format!("NULL::TEXT AS \"{name}\"")).join(", ");
        assert_eq!(found, Some(format!("SELECT {columns} WHERE false AND $1 IS NULL")));
        let nested = "WITH k AS (SELECT conname FROM pg_constraint) SELECT * FROM (SELECT conname AS a FROM k) x";
        assert_eq!(answer(nested), Some("SELECT NULL::TEXT AS \"a\" WHERE false".into()));
        assert!(answer("SELECT 1 FROM pg_index UNION SELECT 2 FROM pg_trigger").is_some());
    }

    #[test]
    fn what_may_have_rows_is_left() {
        for text in [
            "SELECT c.relname FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid",
            "SELECT count(*) FROM pg_index",
            "SELECT 1 FROM pg_index UNION SELECT 2",
            "SELECT * FROM pg_index",
            "SELECT 1 FROM mine.pg_index",
            "SELECT indrelid FROM pg_index FULL JOIN pg_class ON true",
        ] {
            assert_eq!(answer(text), None, "{text}");
        }
        let within = "SELECT array_to_string((SELECT array_agg(x) FROM pg_class), ', ') AS a FROM pg_event_trigger e";
        assert!(answer(within).is_some());
        let grouped = "SELECT indrelid, count(*) FROM pg_index GROUP BY indrelid";
        assert!(answer(grouped).is_some());
    }
}
