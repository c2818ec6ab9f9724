//! Builds parts of queries.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, Ident, Query, Select, SelectFlavor, SelectItem, SetExpr, TableAlias,
    TableFactor, TableWithJoins, Value,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::grammar::Grammar;
use super::refusal::Fault;

/// A SELECT from a table.
pub fn select(projection: Vec<SelectItem>, table: TableFactor) -> Select {
    Select {
        select_token: AttachedToken::empty(),
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection,
        exclude: None,
        into: None,
        from: vec![TableWithJoins { relation: table, joins: Vec::new() }],
        lateral_views: Vec::new(),
        prewhere: None,
        selection: None,
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        connect_by: Vec::new(),
        flavor: SelectFlavor::Standard,
    }
}

pub fn query(select: Select) -> Query {
    Query {
        with: None,
        body: Box::new(SetExpr::Select(Box::new(select))),
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

/// A subquery in FROM.
pub fn derived(query: Query, alias: Option<TableAlias>) -> TableFactor {
    TableFactor::Derived { lateral: false, subquery: Box::new(query), alias, sample: None }
}

/// `expr AS "name"`.
pub fn named(expr: Expr, name: &str) -> SelectItem {
    SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) }
}

pub fn text(value: &str) -> Expr {
    Expr::Value(Value::SingleQuotedString(value.to_owned()).with_empty_span())
}

/// The name of a column in quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Parses an expression.
pub fn expression(text: &str) -> Result<Expr, Fault> {
    let parsed = Parser::new(&Grammar).try_with_sql(text).and_then(|mut it| it.parse_expr());
    parsed.map_err(|error| error.to_string().into())
}
