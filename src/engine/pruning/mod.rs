//! What a statement does not ask of a view is taken out of the view's text before that is planned.
//!
//! `DataFusion` leaves such columns out as well, but of the finished plan, and the time that it takes for planning a SELECT
//! grows with the square of its columns. A column whose name a statement mentions nowhere cannot be meant by it.

mod asked;
mod mentioned;

use std::collections::HashSet;
use std::mem::take;
use std::ops::ControlFlow;

use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, GroupByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, SetOperator,
    SetQuantifier, Statement as Ast, Visit, Visitor,
};

use super::statement::Statement;

pub use asked::Asked;
pub use mentioned::Mentioned;

/// Takes columns out of a query that are not wanted, and says which.
pub fn prune(statement: &mut Statement, wanted: &Mentioned, state: &SessionState) -> Vec<String> {
    let Parsed::Statement(parsed) = &mut statement.parsed else { return Vec::new() };
    let Ast::Query(query) = parsed.as_mut() else { return Vec::new() };
    prune_query(query, wanted, &|name| state.aggregate_functions().contains_key(name))
}

/// Does so; `is_aggregate` knows functions by their names.
fn prune_query(
    query: &mut Query,
    wanted: &Mentioned,
    is_aggregate: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let with = query.with.take();
    let gone = prune_body(query, wanted, is_aggregate).unwrap_or_default();
    let Some(mut with) = with else { return gone };
    if !with.recursive {
        let mut wanted = Mentioned::within(query);
        // What stands in a WITH is used by what follows it.
        for part in with.cte_tables.iter_mut().rev() {
            if part.alias.columns.is_empty() {
                prune_query(&mut part.query, &wanted, is_aggregate);
            }
            wanted.add(Mentioned::within(&part.query));
        }
    }
    query.with = Some(with);
    gone
}

/// Does so but for its WITH; `None` where every column has to stay.
fn prune_body(
    query: &mut Query,
    wanted: &Mentioned,
    is_aggregate: &dyn Fn(&str) -> bool,
) -> Option<Vec<String>> {
    if wanted.is_everything() || !is_ordered_by_name(query) {
        return None;
    }
    let mut selects = branches(&mut query.body)?;
    let names: Vec<Option<String>> = selects.first()?.projection.iter().map(name).collect();
    let is_even = |select: &&mut Select| select.projection.len() == names.len();
    if !selects.iter().all(is_even) || !selects.iter().all(|select| is_plain(select)) {
        return None;
    }
    let kept: HashSet<usize> =
        selects.iter().flat_map(|select| pinned(select, is_aggregate)).collect();
    let items: Vec<_> = selects.iter_mut().map(|select| take(&mut select.projection)).collect();
    // ORDER BY and its like mention columns of the answer as well.
    let own = Mentioned::within(query);
    let stays = |nth: usize, name: Option<&String>| {
        let is_meant = name.is_none_or(|name| wanted.has(name) || own.has(name));
        is_meant || kept.contains(&nth)
    };
    let mut stay: Vec<bool> =
        names.iter().enumerate().map(|(nth, name)| stays(nth, name.as_ref())).collect();
    if let (false, Some(first)) = (stay.contains(&true), stay.first_mut()) {
        // Rows are counted without any column, but a SELECT needs one.
        *first = true;
    }
    for (select, items) in branches(&mut query.body)?.into_iter().zip(items) {
        let staying = items.into_iter().zip(&stay).filter(|(_, stays)| **stays);
        select.projection = staying.map(|(item, _)| item).collect();
    }
    let gone = names.into_iter().zip(stay).filter(|(_, stays)| !stays);
    Some(gone.filter_map(|(name, _)| name).collect())
}

/// The SELECTs of a query, which are one or those of UNION ALL.
fn branches(body: &mut SetExpr) -> Option<Vec<&mut Select>> {
    match body {
        SetExpr::Select(select) => Some(vec![select]),
        SetExpr::SetOperation {
            op: SetOperator::Union,
            set_quantifier: SetQuantifier::All,
            left,
            right,
        } => {
            let mut selects = branches(left)?;
            selects.extend(branches(right)?);
            Some(selects)
        }
        _ => None,
    }
}

/// What a column is called, where the text says so.
fn name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(path)) => {
            path.last().map(|name| name.value.clone())
        }
        _ => None,
    }
}

/// Whether a SELECT gives the same rows without some of its columns.
fn is_plain(select: &Select) -> bool {
    let is_one = |item: &SelectItem| {
        matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
    };
    let is_grouped_by_name = match &select.group_by {
        GroupByExpr::All(_) => false,
        GroupByExpr::Expressions(by, _) => !by.iter().any(is_position),
    };
    select.distinct.is_none()
        && select.into.is_none()
        && select.projection.iter().all(is_one)
        && is_grouped_by_name
}

/// Whether no position of a column stands in ORDER BY.
pub fn is_ordered_by_name(query: &Query) -> bool {
    match query.order_by.as_ref().map(|order| &order.kind) {
        None => true,
        Some(OrderByKind::All(_)) => false,
        Some(OrderByKind::Expressions(by)) => !by.iter().any(|it| is_position(&it.expr)),
    }
}

fn is_position(expression: &Expr) -> bool {
    matches!(expression, Expr::Value(_))
}

/// Columns that make rows: those that unnest, and one aggregate of a SELECT that has one row for it.
fn pinned(select: &Select, is_aggregate: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let items = || select.projection.iter().enumerate();
    let unnests = items().filter(|(_, item)| calls(item, &is_unnest));
    let is_ungrouped = matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let aggregate = items().find(|(_, item)| is_ungrouped && calls(item, is_aggregate));
    unnests.chain(aggregate).map(|(nth, _)| nth).collect()
}

/// What a function that is called is known by.
pub fn function_name(call: &Function) -> String {
    let name = call.name.0.last().and_then(|part| part.as_ident());
    name.map_or_else(String::new, |name| name.value.to_lowercase())
}

/// Whether a function of this name makes rows.
pub fn is_unnest(name: &str) -> bool {
    matches!(name, "unnest" | "unnest_outer")
}

/// Whether an expression calls a function, and not one of its subqueries or over a window.
fn calls(item: &SelectItem, is_it: &dyn Fn(&str) -> bool) -> bool {
    item.visit(&mut Calls { is_it, depth: 0 }).is_break()
}

struct Calls<'a> {
    is_it: &'a dyn Fn(&str) -> bool,
    depth: usize,
}

impl Visitor for Calls<'_> {
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
                if self.depth == 0 && call.over.is_none() && (self.is_it)(&function_name(call)) =>
            {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::statement::parse;
    use super::*;

    /// The text of a query after pruning, and what is gone.
    fn pruned(query: &str, wanted: &[&str]) -> (String, Vec<String>) {
        let mut statement = parse(query).unwrap().remove(0);
        let Parsed::Statement(parsed) = &mut statement.parsed else { panic!("a query") };
        let Ast::Query(parsed) = parsed.as_mut() else { panic!("a query") };
        let gone = prune_query(parsed, &Mentioned::only(wanted), &|name| name == "sum");
        (parsed.to_string(), gone)
    }

    #[test]
    fn columns_that_are_not_wanted_go() {
        for (query, wanted, expected) in [
            ("SELECT a, b AS c, t.d FROM t", &["c"][..], "SELECT b AS c FROM t"),
            ("SELECT a, \"Big\" FROM t", &["big"], "SELECT \"Big\" FROM t"),
            ("SELECT a, b FROM t", &[], "SELECT a FROM t"),
            (
                "SELECT a, b FROM t UNION ALL SELECT c, d FROM u",
                &["b"],
                "SELECT b FROM t UNION ALL SELECT d FROM u",
            ),
            ("SELECT a, b, c FROM t ORDER BY b", &["a"], "SELECT a, b FROM t ORDER BY b"),
            (
                "SELECT a, b, c FROM t GROUP BY a, b, c",
                &["a"],
                "SELECT a, b, c FROM t GROUP BY a, b, c",
            ),
            (
                "WITH x AS (SELECT a, b FROM t), y AS (SELECT a, b, c FROM x) SELECT a, c FROM y",
                &["a"],
                "WITH x AS (SELECT a FROM t), y AS (SELECT a FROM x) SELECT a FROM y",
            ),
            ("SELECT a, sum(b) AS s FROM t", &["s"], "SELECT sum(b) AS s FROM t"),
        ] {
            assert_eq!(pruned(query, wanted).0, expected, "{query}");
        }
        assert_eq!(pruned("SELECT a, b AS c, d FROM t", &["d"]).1, ["a", "c"]);
    }

    #[test]
    fn columns_that_make_rows_or_are_not_known_stay() {
        for query in [
            "SELECT 1 AS a, sum(b) AS b FROM t",
            "SELECT a, unnest(b) AS b FROM t",
            "SELECT DISTINCT a, b FROM t",
            "SELECT a, b FROM t UNION SELECT c, d FROM u",
            "SELECT a, b FROM t GROUP BY 1, 2",
            "SELECT a, b FROM t ORDER BY 2",
            "SELECT a, t.* FROM t",
            "SELECT a, b FROM t UNION ALL SELECT * FROM u",
            "WITH RECURSIVE x AS (SELECT a, b FROM t) SELECT a, b FROM x ORDER BY 2",
            "WITH x (c, d) AS (SELECT a, b FROM t) SELECT c AS a FROM x",
            "WITH x AS (SELECT a, b FROM t) SELECT x.* FROM x",
            "WITH x AS (SELECT a, b FROM t) SELECT c.e AS a FROM x AS c (e, f)",
            "WITH x AS (SELECT a, b FROM t) SELECT u.a FROM x NATURAL JOIN u",
        ] {
            assert_eq!(pruned(query, &["a"]), (query.to_owned(), Vec::new()), "{query}");
        }
    }

    #[test]
    fn statements_mention_what_they_name() {
        let mentioned = |query: &str| Mentioned::by(&parse(query).unwrap().remove(0).parsed);
        let names =
            mentioned("EXPLAIN SELECT a, t.B FROM t JOIN u USING (c) WHERE d > 0 ORDER BY \"E\"");
        for name in ["a", "b", "c", "d", "e", "E"] {
            assert!(names.has(name), "{name}");
        }
        assert!(!names.has("f"));
        assert!(!mentioned("SELECT count(*), a * 2 FROM t").has("f"));
        for query in [
            "SELECT * FROM t",
            "DESCRIBE t",
            "CREATE VIEW v AS SELECT a FROM t",
            "SELECT table_name FROM information_schema.columns",
        ] {
            assert!(mentioned(query).has("f"), "{query}");
        }
    }
}
