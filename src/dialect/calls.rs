//! Checks calls of functions, and replaces functions of `DuckDB` by those of DataFusion.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AccessExpr, BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArgumentList, FunctionArguments, Ident, NullTreatment,
    ObjectName, OrderByExpr, OrderByOptions, Subscript, UnaryOperator, Value, WindowFrameBound,
    WindowType,
};

use super::refusal::{Flow, fault, reject, unsupported};

/// Rejects clauses of a call that DataFusion ignores. `is_scalar` tells whether a function is neither an aggregate nor a
/// window function.
pub(crate) fn check_function(function: &Function, is_scalar: &dyn Fn(&str) -> bool) -> Flow {
    let name = function.name.to_string();
    reject(&[(
        function.parameters != FunctionArguments::None,
        "f(…)(…)",
        "write one list of arguments",
    )])?;
    let (mut clauses, mut is_distinct) = (&[][..], false);
    if let FunctionArguments::List(list) = &function.args {
        clauses = &list.clauses;
        is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    }
    reject(&[(
        is_distinct && has_star(function),
        "DISTINCT *",
        "name the columns: count(DISTINCT (a, b))",
    )])?;
    check_window(function, &name)?;
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

/// Functions that DataFusion computes by removing the rows that leave a frame, which cancels out.
const CANCELLING: [&str; 12] = [
    "var",
    "var_pop",
    "var_samp",
    "var_sample",
    "variance",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "corr",
    "covar",
    "covar_pop",
    "covar_samp",
];

/// Rejects windows over which DataFusion computes something else.
fn check_window(function: &Function, name: &str) -> Flow {
    let Some(WindowType::WindowSpec(window)) = &function.over else {
        return ControlFlow::Continue(());
    };
    let name = name.to_lowercase();
    let is_moving = window
        .window_frame
        .as_ref()
        .is_some_and(|frame| !matches!(frame.start_bound, WindowFrameBound::Preceding(None)));
    let skips = |place: &FunctionArguments| match place {
        FunctionArguments::List(list) => {
            list.args.len() > 1 && list.clauses.iter().any(ignores_nulls)
        }
        _ => false,
    };
    let ignores = function.null_treatment == Some(NullTreatment::IgnoreNulls);
    let is_far = matches!(&function.args, FunctionArguments::List(list) if list.args.len() > 1);
    reject(&[
        (
            is_moving && CANCELLING.contains(&name.as_str()),
            &format!("{name} over a frame that moves"),
            "join each row with those of its frame, and group",
        ),
        (
            matches!(name.as_str(), "lead" | "lag") && (ignores && is_far || skips(&function.args)),
            &format!("{name}(x, n) IGNORE NULLS"),
            "filter the NULLs in a subquery",
        ),
    ])
}

fn ignores_nulls(clause: &FunctionArgumentClause) -> bool {
    matches!(clause, FunctionArgumentClause::IgnoreOrRespectNulls(NullTreatment::IgnoreNulls))
}

/// Replaces `mode(x)` by `list_mode(array_agg(x))`, and `mad` and `histogram` likewise.
pub(crate) fn of_list(expression: &mut Expr) {
    let Expr::Function(function) = &mut *expression else { return };
    let name = match function.name.to_string().to_lowercase().as_str() {
        "mode" => "list_mode",
        "mad" => "list_mad",
        "histogram" => "list_histogram",
        _ => return,
    };
    let mut list = function.clone();
    list.name = ObjectName::from(vec![Ident::new("array_agg")]);
    let list = FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(list)));
    let args =
        FunctionArgumentList { duplicate_treatment: None, args: vec![list], clauses: Vec::new() };
    *function = Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(args),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    };
}

/// Replaces `quantile_cont(x, q)` by `quantiles(x, q)[1]`, which does not round the weights.
pub(crate) fn exact_quantile(expression: &mut Expr) -> Flow {
    let Expr::Function(function) = &mut *expression else { return ControlFlow::Continue(()) };
    let name = function.name.to_string().to_lowercase();
    if !matches!(name.as_str(), "quantile_cont" | "percentile_cont") {
        return ControlFlow::Continue(());
    }
    let within = std::mem::take(&mut function.within_group);
    if let FunctionArguments::List(list) = &mut function.args {
        if let [term] = within.as_slice() {
            reject(&[(
                term.options.asc == Some(false),
                &format!("{name} of a descending order"),
                "write 1 - q and leave DESC out",
            )])?;
            list.args.insert(0, FunctionArg::Unnamed(FunctionArgExpr::Expr(term.expr.clone())));
        }
        reject(&[(list.args.len() != 2, &name, "write quantile_cont(x, q)")])?;
    }
    function.name = ObjectName::from(vec![Ident::new("quantiles")]);
    let first = Expr::Value(Value::Number("1".into(), false).with_empty_span());
    let access = AccessExpr::Subscript(Subscript::Index { index: first });
    *expression = Expr::CompoundFieldAccess {
        root: Box::new(expression.clone()),
        access_chain: vec![access],
    };
    ControlFlow::Continue(())
}

fn has_star(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    let is_star =
        |arg: &FunctionArg| matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
    list.args.iter().any(is_star)
}

/// Replaces functions of `DuckDB` by those of DataFusion.
pub fn rename(function: &mut Function) -> Flow {
    let name = function.name.to_string().to_lowercase();
    let same = match name.as_str() {
        "list" => "array_agg",
        "first" => "first_value",
        "last" => "last_value",
        "strftime" => {
            format_of_chrono(function)?;
            "to_char"
        }
        "columns" => {
            return unsupported("COLUMNS()", "name the columns, or write * EXCLUDE (…)");
        }
        "printf" | "format" => {
            return unsupported(
                &format!("{name}()"),
                "write concat('a = ', a), round(x, 2) or to_char",
            );
        }
        "list_transform" | "array_transform" | "apply" | "list_apply" | "list_filter"
        | "array_filter" | "list_reduce" => {
            return unsupported(&format!("{name}()"), "write FROM (SELECT unnest(l) AS x …)");
        }
        "try" => return unsupported("TRY()", "write TRY_CAST(x AS …)"),
        "regexp_replace" => return replacement(function),
        "regexp_like" => {
            if let [_, pattern, ..] = &mut *arguments(function) {
                mend_pattern(pattern);
            }
            return ControlFlow::Continue(());
        }
        "max_by" | "arg_max" | "argmax" => {
            best(function, false);
            return ControlFlow::Continue(());
        }
        "min_by" | "arg_min" | "argmin" => {
            best(function, true);
            return ControlFlow::Continue(());
        }
        _ => return ControlFlow::Continue(()),
    };
    function.name = ObjectName::from(vec![Ident::new(same)]);
    ControlFlow::Continue(())
}

/// Returns the arguments of a call, without names and `*`.
fn arguments(function: &mut Function) -> Vec<&mut Expr> {
    let FunctionArguments::List(list) = &mut function.args else { return Vec::new() };
    let given = list.args.iter_mut().filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
        _ => None,
    });
    given.collect()
}

/// Returns the text of a constant.
fn text(value: &mut Expr) -> Option<&mut String> {
    match value {
        Expr::Value(value) => match &mut value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Translates the format of `strftime` to the one of `to_char`, which is chrono's.
fn format_of_chrono(function: &mut Function) -> Flow {
    let arguments = arguments(function);
    let [_, format] = arguments.as_slice() else { return ControlFlow::Continue(()) };
    let Expr::Value(_) = format else {
        return unsupported("strftime with a computed format", "write a constant");
    };
    let Some(format) = arguments.into_iter().nth(1).and_then(text) else {
        return ControlFlow::Continue(());
    };
    let mut done = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            done.push(letter);
            continue;
        }
        let code: String = match letters.next() {
            Some('-') => ['-'].into_iter().chain(letters.next()).collect(),
            code => code.into_iter().collect(),
        };
        let same = match code.as_str() {
            "f" => "%6f",
            "g" => "%3f",
            "n" => "%9f",
            "c" => "%Y-%m-%d %H:%M:%S",
            "x" => "%Y-%m-%d",
            "X" => "%H:%M:%S",
            other => {
                let plain = other.trim_start_matches('-');
                if plain.len() != 1 || !"aAbBdGHIjmMpSuUVwWyY%".contains(plain) {
                    return unsupported(&format!("%{other} in strftime"), "write to_char");
                }
                done.push('%');
                other
            }
        };
        done.push_str(same);
    }
    *format = done;
    ControlFlow::Continue(())
}

/// `$1` in a replacement is that text; groups are `\1`, as in `PostgreSQL` and `DuckDB`.
fn replacement(function: &mut Function) -> Flow {
    let Some(replacement) = arguments(function).into_iter().nth(2) else {
        return ControlFlow::Continue(());
    };
    match text(replacement) {
        Some(text) => *text = text.replace('$', "$$"),
        None => {
            return unsupported("regexp_replace with a computed replacement", "write a constant");
        }
    }
    ControlFlow::Continue(())
}

/// DataFusion takes the pattern `.*` for true or false, also where the text is NULL.
pub(crate) fn mend_pattern(pattern: &mut Expr) {
    if let Some(text) = text(pattern)
        && text == ".*"
    {
        text.insert_str(0, "(?:");
        text.push(')');
    }
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

/// Rejects constants, which order nothing.
pub(crate) fn check_order(term: &OrderByExpr) -> Flow {
    let text = match &term.expr {
        Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)) => &term.expr,
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Value(_)) => {
            &term.expr
        }
        _ => return ControlFlow::Continue(()),
    };
    fault(format!("ORDER BY {text} orders nothing; write a column or its position"))
}
