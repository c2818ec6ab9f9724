//! What the parts of a query are: whether they are simple enough to be planned by themselves.

use std::ops::ControlFlow;

use datafusion::execution::SessionState;
use datafusion::sql::sqlparser::ast::{
    Expr as Sql, GroupByExpr, Ident, Query, Select, SelectFlavor, SelectItem,
    SelectItemQualifiedWildcardKind as Qualified, Visit, Visitor, WildcardAdditionalOptions, With,
    visit_expressions,
};

use super::super::pruning::{function_name, is_unnest};

/// Whether the parts of a WITH are queries by themselves with names.
pub fn is_plain(with: &With) -> bool {
    !with.recursive && with.cte_tables.iter().all(|part| part.alias.columns.is_empty())
}

/// Whether a query has a body and an order, and nothing else; every field is named, so that none is lost that is new.
pub fn has_only_a_body(query: &Query) -> bool {
    let Query {
        with: None,
        body: _,
        order_by: _,
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
    locks.is_empty() && pipe_operators.is_empty()
}

/// What a SELECT is, where that is something simple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Columns of one row each.
    Columns,
    /// Groups of rows, and what they come to.
    Groups,
}

/// The shape of a SELECT that says nothing but where its rows come from, which, how they are grouped, and what is wanted.
pub fn shape(select: &Select, state: &SessionState) -> Option<Shape> {
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
        return None;
    };
    let is_simple = lateral_views.is_empty()
        && connect_by.is_empty()
        && by_modifiers.is_empty()
        && cluster_by.is_empty()
        && distribute_by.is_empty()
        && sort_by.is_empty()
        && named_window.is_empty();
    if !is_simple {
        return None;
    }
    if by.is_empty() && projection.iter().all(is_column) && is_of_one_row(projection, state) {
        return Some(Shape::Columns);
    }
    let are_groups = is_of_one_row(by, state)
        && by.iter().all(|by| is_by_itself(by, projection))
        && projection.iter().all(has_text)
        && projection.visit(&mut Calls { state, sums: true }).is_continue();
    are_groups.then_some(Shape::Groups)
}

/// Whether an item of a SELECT is a column or all of them.
fn is_column(item: &SelectItem) -> bool {
    match item {
        SelectItem::Wildcard(but)
        | SelectItem::QualifiedWildcard(Qualified::ObjectName(_), but) => {
            *but == WildcardAdditionalOptions::default()
        }
        item => has_text(item),
    }
}

/// Whether an item of a SELECT is written out.
fn has_text(item: &SelectItem) -> bool {
    matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
}

/// Whether what is grouped by is one expression, and neither the position nor another name of an item.
fn is_by_itself(by: &Sql, items: &[SelectItem]) -> bool {
    let is_item = |name: &Ident| {
        items
            .iter()
            .any(|item| matches!(item, SelectItem::ExprWithAlias { alias, .. } if alias == name))
    };
    let names_an_item = visit_expressions(by, |part| match part {
        Sql::Identifier(name) if is_item(name) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let is_one =
        !matches!(by, Sql::Value(_) | Sql::Rollup(_) | Sql::Cube(_) | Sql::GroupingSets(_));
    is_one && names_an_item.is_continue()
}

/// Whether a part of a SELECT takes a value from each row by itself.
pub fn is_of_one_row(part: &impl Visit, state: &SessionState) -> bool {
    part.visit(&mut Calls { state, sums: false }).is_continue()
}

/// Stops at queries, and at functions that take more than one row or make more of one; unless they sum up, if that may be.
struct Calls<'a> {
    state: &'a SessionState,
    sums: bool,
}

impl Visitor for Calls<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expression: &Sql) -> ControlFlow<()> {
        let Sql::Function(call) = expression else { return ControlFlow::Continue(()) };
        let name = function_name(call);
        let is_sum = self.state.aggregate_functions().contains_key(&name);
        let is_other = call.over.is_some()
            || is_unnest(&name)
            || (is_sum && !self.sums)
            || (!is_sum && self.state.window_functions().contains_key(&name));
        if is_other { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
