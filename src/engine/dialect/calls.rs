//! Checks calls of functions, and replaces functions of DuckDB by those of DataFusion.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, Ident, ObjectName, OrderByExpr, OrderByOptions,
    UnaryOperator, Value, WindowType, visit_expressions,
};

use super::refusal::{Flow, fault, reject, unsupported};

/// Rejects clauses of a call that DataFusion ignores. `is_scalar` tells whether a function is neither an aggregate nor a
/// window function.
pub fn check_function(function: &Function, is_scalar: &dyn Fn(&str) -> bool) -> Flow {
    let name = function.name.to_string();
    reject(&[(
        function.parameters != FunctionArguments::None,
        "f(…)(…)",
        "write one list of arguments",
    )])?;
    if let Some(WindowType::WindowSpec(window)) = &function.over {
        reject(&[(
            window.window_name.is_some(),
            "OVER (name …)",
            "write OVER name, or the whole window in parentheses",
        )])?;
    }
    let (mut clauses, mut is_distinct) = (&[][..], false);
    if let FunctionArguments::List(list) = &function.args {
        clauses = &list.clauses;
        is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    }
    for clause in clauses {
        if let FunctionArgumentClause::OrderBy(terms) = clause {
            for term in terms {
                let is_number = matches!(&term.expr, Expr::Value(value) if matches!(value.value, Value::Number(..)));
                reject(&[(is_number, "ORDER BY a number in a function", "name the column")])?;
                check_order(term)?;
            }
        }
    }
    let is_aggregate = is_distinct
        || !clauses.is_empty()
        || function.over.is_some()
        || function.filter.is_some()
        || function.null_treatment.is_some()
        || !function.within_group.is_empty();
    if is_aggregate && is_scalar(&name.to_lowercase()) {
        return fault(format!(
            "{name} is not an aggregate; write it without DISTINCT, ORDER BY, FILTER, NULLS and OVER"
        ));
    }
    ControlFlow::Continue(())
}

/// Whether an expression has a part.
pub fn has(expression: &Expr, is_found: impl Fn(&Expr) -> bool) -> bool {
    let flow = visit_expressions(expression, |part| {
        if is_found(part) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    flow.is_break()
}

/// Replaces functions of DuckDB by those of DataFusion.
pub fn rename(function: &mut Function) {
    let name = function.name.to_string().to_lowercase();
    let same = match name.as_str() {
        "list" => "array_agg",
        "strftime" => "to_char",
        "max_by" | "arg_max" | "argmax" => return best(function, false),
        "min_by" | "arg_min" | "argmin" => return best(function, true),
        _ => return,
    };
    function.name = ObjectName::from(vec![Ident::new(same)]);
}

/// `max_by(x, y)` is the `first_value(x ORDER BY y DESC)` of the rows in which neither is NULL.
pub fn best(function: &mut Function, is_least: bool) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let [
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(key)),
    ] = list.args.as_slice()
    else {
        return;
    };
    if function.over.is_some() || !list.clauses.is_empty() || list.duplicate_treatment.is_some() {
        return;
    }
    let nested = |expression: &Expr| Box::new(Expr::Nested(Box::new(expression.clone())));
    let and = |left, right| Expr::BinaryOp { left, op: BinaryOperator::And, right };
    let mut filter =
        and(Box::new(Expr::IsNotNull(nested(value))), Box::new(Expr::IsNotNull(nested(key))));
    if let Some(given) = function.filter.take() {
        filter = and(nested(&given), Box::new(filter));
    }
    let options = OrderByOptions { asc: Some(is_least), nulls_first: Some(false) };
    // In parentheses, because DataFusion reads a bare number as the position of a column.
    let order = OrderByExpr { expr: *nested(key), options, with_fill: None };
    list.clauses = vec![FunctionArgumentClause::OrderBy(vec![order])];
    list.args.truncate(1);
    function.filter = Some(Box::new(filter));
    function.name = ObjectName::from(vec![Ident::new("first_value")]);
}

/// Rejects names of windows where DataFusion does not look them up.
pub fn check_windows<'a>(expressions: impl Iterator<Item = &'a Expr>) -> Flow {
    for expression in expressions {
        let is_named = |part: &Expr| {
            matches!(part, Expr::Function(Function { over: Some(WindowType::NamedWindow(_)), .. }))
        };
        if has(expression, is_named) {
            return unsupported("OVER name outside of SELECT", "write the window in parentheses");
        }
    }
    ControlFlow::Continue(())
}

/// Rejects constants, which order nothing.
pub fn check_order(term: &OrderByExpr) -> Flow {
    let text = match &term.expr {
        Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)) => &term.expr,
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Value(_)) => {
            &term.expr
        }
        _ => return ControlFlow::Continue(()),
    };
    fault(format!("ORDER BY {text} orders nothing; write a column or its position"))
}
