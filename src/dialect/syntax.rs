//! Rewrites what users write into what DataFusion plans, and rejects clauses that it would ignore.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, GroupByExpr, LimitClause, OrderByExpr, OrderByKind,
    PipeOperator, Query, Select, SelectFlavor, SelectItem, SetExpr, SetOperator, SetQuantifier,
    TableFactor, Value, ValueWithSpan, VisitorMut, WildcardAdditionalOptions,
};

use super::arithmetic::marked;
use super::calls::{check_function, check_order, exact_quantile, mend_pattern, of_list, rename};
use super::joins::{check_alias, check_join, check_joins, expand_star};
use super::pivots::flatten;
use super::refusal::{Fault, Flow, fault, reject, unsupported};
use super::walk::walk_mut;
use super::windows::{name_windows, replace};

/// Rewrites a statement. `is_scalar` tells whether a function is neither an aggregate nor a window function.
pub fn rewrite(parsed: &mut Parsed, is_scalar: &dyn Fn(&str) -> bool) -> Result<(), Fault> {
    let flow = match parsed {
        Parsed::Statement(statement) => walk_mut(statement.as_mut(), &mut Rewriter { is_scalar }),
        Parsed::Explain(explain) => return rewrite(&mut explain.statement, is_scalar),
        _ => ControlFlow::Continue(()),
    };
    match flow {
        ControlFlow::Break(fault) => Err(fault),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Rewriter<'a> {
    is_scalar: &'a dyn Fn(&str) -> bool,
}

impl VisitorMut for Rewriter<'_> {
    type Break = Fault;

    fn pre_visit_query(&mut self, query: &mut Query) -> Flow {
        reject(&[
            (!query.locks.is_empty(), "FOR UPDATE", "leave it out"),
            (query.for_clause.is_some(), "FOR XML or FOR JSON", "use option `format`"),
            (query.settings.is_some(), "SETTINGS", "leave it out"),
            (query.format_clause.is_some(), "FORMAT", "use option `format`"),
        ])?;
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                check_alias(Some(&cte.alias))?;
                let inner = &cte.query;
                let is_union =
                    matches!(*inner.body, SetExpr::SetOperation { op: SetOperator::Union, .. });
                let has_more = inner.with.is_some()
                    || inner.order_by.is_some()
                    || inner.limit_clause.is_some()
                    || inner.fetch.is_some()
                    || !inner.pipe_operators.is_empty();
                reject(&[
                    (
                        with.recursive && is_union && has_more,
                        "WITH, ORDER BY or LIMIT in a UNION of WITH RECURSIVE",
                        "write it in the query that reads the result",
                    ),
                    (cte.from.is_some(), "FROM after WITH", "write WITH name AS (SELECT …)"),
                ])?;
            }
        }
        if let Some(order) = &mut query.order_by
            && let OrderByKind::Expressions(terms) = &mut order.kind
        {
            if let [OrderByExpr { expr: Expr::Identifier(name), options, .. }] = terms.as_slice()
                && name.quote_style.is_none()
                && name.value.eq_ignore_ascii_case("all")
            {
                let Some(count) = count_columns(&query.body) else {
                    return unsupported("ORDER BY ALL with *", "name the columns");
                };
                let options = *options;
                *terms = (1..=count)
                    .map(|nth| OrderByExpr { expr: number(nth), options, with_fill: None })
                    .collect();
            }
            terms.iter().try_for_each(check_order)?;
            if let SetExpr::Select(select) = query.body.as_ref() {
                replace(terms, &select.named_window)?;
            }
        }
        fetch_as_limit(query);
        for pipe in &mut query.pipe_operators {
            if let PipeOperator::Join(join) = pipe {
                check_join(join)?;
            }
            if let PipeOperator::Aggregate { group_by_expr, .. } = pipe {
                let is_ordered = group_by_expr
                    .iter()
                    .any(|term| term.order_by.asc.is_some() || term.order_by.nulls_first.is_some());
                reject(&[(is_ordered, "ASC or DESC in |> AGGREGATE", "write |> ORDER BY")])?;
            }
        }
        Self::check_set(&query.body, true)
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> Flow {
        if select.projection.is_empty() {
            if select.flavor == SelectFlavor::FromFirstNoSelect {
                select.flavor = SelectFlavor::Standard;
                select.projection =
                    vec![SelectItem::Wildcard(WildcardAdditionalOptions::default())];
            } else {
                return fault("a SELECT requires columns; write SELECT * for all");
            }
        }
        let modifiers = match &select.group_by {
            GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => modifiers,
        };
        let is_filtered = |item: &SelectItem| match item {
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                options.opt_ilike.is_some()
            }
            _ => false,
        };
        // `1_000` is parsed as `1 AS _000`.
        let is_split = |item: &SelectItem| match item {
            SelectItem::ExprWithAlias { expr: Expr::Value(value), alias } => {
                matches!(value.value, Value::Number(..))
                    && alias.quote_style.is_none()
                    && alias.value.starts_with('_')
                    && alias.value.contains(|letter: char| letter.is_ascii_digit())
                    && alias.value.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit())
            }
            _ => false,
        };
        reject(&[
            (select.prewhere.is_some(), "PREWHERE", "write WHERE"),
            (!select.connect_by.is_empty(), "CONNECT BY", "write WITH RECURSIVE"),
            (!select.optimizer_hints.is_empty(), "a hint", "leave it out"),
            (!modifiers.is_empty(), "GROUP BY … WITH", "write GROUP BY ROLLUP (…) or CUBE (…)"),
            (select.projection.iter().any(is_filtered), "* ILIKE", "name the columns"),
            (select.projection.iter().any(is_split), "_ in a number", "leave it out"),
        ])?;
        name_windows(select)?;
        for tables in &mut select.from {
            check_joins(tables)?;
        }
        expand_star(select)
    }

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> Flow {
        flatten(table)?;
        match table {
            TableFactor::Table {
                alias,
                args,
                with_hints,
                with_ordinality,
                partitions,
                sample,
                ..
            } => {
                check_alias(alias.as_ref())?;
                let settings = args.as_ref().is_some_and(|args| args.settings.is_some());
                reject(&[
                    (sample.is_some(), "TABLESAMPLE", "write ORDER BY random() LIMIT n"),
                    (!with_hints.is_empty(), "WITH after a table", "leave it out"),
                    (*with_ordinality, "WITH ORDINALITY", "write row_number() OVER ()"),
                    (!partitions.is_empty(), "PARTITION", "write WHERE"),
                    (settings, "SETTINGS", "leave it out"),
                ])
            }
            TableFactor::Derived { alias, sample, .. } => {
                check_alias(alias.as_ref())?;
                reject(&[(sample.is_some(), "TABLESAMPLE", "write ORDER BY random() LIMIT n")])
            }
            TableFactor::Function { alias, args, with_ordinality, .. } => {
                check_alias(alias.as_ref())?;
                let is_named = |arg: &FunctionArg| !matches!(arg, FunctionArg::Unnamed(_));
                reject(&[
                    (*with_ordinality, "WITH ORDINALITY", "write row_number() OVER ()"),
                    (args.iter().any(is_named), "a named argument", "give the arguments in order"),
                ])
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                check_alias(alias.as_ref())?;
                check_joins(table_with_joins)
            }
            TableFactor::UNNEST { alias, .. } => check_alias(alias.as_ref()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expression: &mut Expr) -> Flow {
        exact_quantile(expression)?;
        of_list(expression);
        match expression {
            Expr::SimilarTo { .. } => unsupported(
                "SIMILAR TO",
                "write x ~ '^(?:…)$' with a regular expression, or x LIKE '…'",
            ),
            Expr::BinaryOp { op: BinaryOperator::BitwiseXor, .. } => {
                unsupported("^", "write power(a, b), or a XOR b for bits")
            }
            Expr::BinaryOp {
                op:
                    BinaryOperator::PGRegexMatch
                    | BinaryOperator::PGRegexIMatch
                    | BinaryOperator::PGRegexNotMatch
                    | BinaryOperator::PGRegexNotIMatch,
                right,
                ..
            } => {
                mend_pattern(right);
                ControlFlow::Continue(())
            }
            Expr::BinaryOp {
                left,
                op:
                    BinaryOperator::Lt
                    | BinaryOperator::LtEq
                    | BinaryOperator::Gt
                    | BinaryOperator::GtEq,
                right,
            } if matches!(**left, Expr::Tuple(_)) || matches!(**right, Expr::Tuple(_)) => {
                unsupported("(a, b) < (c, d)", "write a < c OR a = c AND b < d")
            }
            Expr::Identifier(name) if name.quote_style.is_none() && name.value.starts_with('#') => {
                let place = name.value.trim_start_matches('#');
                unsupported(
                    &name.value,
                    &format!("name the column; ORDER BY and GROUP BY take the position {place}"),
                )
            }
            Expr::Function(function) => {
                rename(function)?;
                check_function(function, self.is_scalar)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// Marks the operators last, so that their texts are not read again.
    fn post_visit_expr(&mut self, expression: &mut Expr) -> Flow {
        if let Expr::BinaryOp { op, .. } = expression
            && let Some(mark) = marked(op)
        {
            *op = mark;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> Flow {
        if let Value::Number(text, _) = &value.value
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse::<u64>().is_err()
        {
            return fault(format!(
                "{text} overflows 64 bits; write '{text}'::DECIMAL(38, 0) or {text}.0"
            ));
        }
        ControlFlow::Continue(())
    }
}

impl Rewriter<'_> {
    fn check_set(body: &SetExpr, is_whole: bool) -> Flow {
        match body {
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                let is_bag = *op != SetOperator::Union && *set_quantifier == SetQuantifier::All;
                reject(&[(is_bag, &format!("{op} ALL"), "write it without ALL")])?;
                Self::check_set(left, false)?;
                Self::check_set(right, false)
            }
            SetExpr::Select(select) if !is_whole => {
                reject(&[(select.into.is_some(), "INTO in UNION", "write CREATE TABLE … AS")])
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Replaces FETCH FIRST n ROWS ONLY by LIMIT n.
fn fetch_as_limit(query: &mut Query) {
    if let Some(fetch) = &query.fetch
        && !fetch.with_ties
        && !fetch.percent
    {
        let count = fetch.quantity.clone().unwrap_or_else(|| number(1));
        match &mut query.limit_clause {
            None => {
                query.limit_clause = Some(LimitClause::LimitOffset {
                    limit: Some(count),
                    offset: None,
                    limit_by: Vec::new(),
                });
                query.fetch = None;
            }
            Some(LimitClause::LimitOffset { limit: limit @ None, .. }) => {
                *limit = Some(count);
                query.fetch = None;
            }
            Some(_) => {}
        }
    }
}

fn number(value: usize) -> Expr {
    Expr::Value(Value::Number(value.to_string(), false).with_empty_span())
}

/// Counts the columns of a query; `None` if it has a `*`.
fn count_columns(body: &SetExpr) -> Option<usize> {
    match body {
        SetExpr::Select(select) => {
            let is_star = |item: &SelectItem| {
                matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
            };
            (!select.projection.iter().any(is_star)).then_some(select.projection.len())
        }
        SetExpr::Query(query) => count_columns(&query.body),
        SetExpr::SetOperation { left, .. } => count_columns(left),
        SetExpr::Values(values) => values.rows.first().map(|row| row.content.len()),
        _ => None,
    }
}
