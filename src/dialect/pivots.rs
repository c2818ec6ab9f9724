//! Replaces PIVOT, whose values are known, and UNPIVOT by subqueries.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Array, BinaryOperator, ExcludeSelectItem, Expr, ExprWithAlias, Function, FunctionArg,
    FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, NullInclusion, ObjectName,
    PivotValueSource, SelectItem, TableAlias, TableFactor, Value, WildcardAdditionalOptions,
};

use super::built::{derived, expression, named, query, select, text};
use super::forms::GROUPS;
use super::refusal::{Fault, Flow, fault, reject};
use super::walk::expressions;

/// Replaces a table if it is a PIVOT or UNPIVOT.
pub fn flatten(table: &mut TableFactor) -> Flow {
    let flat = match table {
        TableFactor::Pivot {
            table,
            aggregate_functions,
            value_column,
            value_source,
            default_on_null,
            alias,
        } => {
            reject(&[(default_on_null.is_some(), "DEFAULT ON NULL", "write coalesce(…)")])?;
            let PivotValueSource::List(values) = value_source else {
                return fault(
                    "the values of PIVOT are unknown here; list them: FOR x IN ('a', 'b')",
                );
            };
            pivot(table, aggregate_functions, value_column, values, alias.take())
        }
        TableFactor::Unpivot { table, value, name, columns, null_inclusion, alias } => {
            let is_whole = *null_inclusion == Some(NullInclusion::IncludeNulls);
            unpivot(table, (name, value), columns, is_whole, alias.take())
        }
        _ => return ControlFlow::Continue(()),
    };
    match flat {
        Ok(flat) => {
            *table = flat;
            ControlFlow::Continue(())
        }
        Err(fault) => ControlFlow::Break(fault),
    }
}

/// `SELECT <groups>, f(x) FILTER (WHERE c = 'a') AS a, … FROM t GROUP BY <groups>`. The groups are all columns that are not
/// used elsewhere, unless they are given.
fn pivot(
    table: &TableFactor,
    aggregates: &[ExprWithAlias],
    columns: &[Expr],
    values: &[ExprWithAlias],
    alias: Option<TableAlias>,
) -> Result<TableFactor, Fault> {
    let (groups, aggregates) = groups(aggregates);
    let mut items = match &groups {
        Some(groups) => groups.iter().map(group).collect(),
        None => vec![all_but(used(columns, &aggregates))],
    };
    let is_plain = matches!(aggregates.as_slice(), [ExprWithAlias { alias: None, .. }]);
    for value in values {
        let (condition, label) = condition(columns, value)?;
        for ExprWithAlias { expr, alias } in &aggregates {
            let Expr::Function(function) = expr else {
                return Err(format!("{expr} in PIVOT must be an aggregate: sum(x)").into());
            };
            let name = match alias {
                Some(alias) => format!("{label}_{}", alias.value),
                None if is_plain => label.clone(),
                None => format!("{label}_{expr}"),
            };
            items.push(named(filtered(function, condition.clone()), &name));
        }
    }
    let mut inner = select(items, table.clone());
    inner.group_by = match groups {
        Some(groups) => GroupByExpr::Expressions(groups, Vec::new()),
        None => GroupByExpr::All(Vec::new()),
    };
    Ok(derived(query(inner), alias))
}

fn group(term: &Expr) -> SelectItem {
    match term {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => SelectItem::UnnamedExpr(term.clone()),
        other => named(other.clone(), &other.to_string()),
    }
}

/// Takes the GROUP BY from the aggregates.
fn groups(aggregates: &[ExprWithAlias]) -> (Option<Vec<Expr>>, Vec<ExprWithAlias>) {
    let is_groups = |it: &&ExprWithAlias| match &it.expr {
        Expr::Function(function) => function.name.to_string() == GROUPS,
        _ => false,
    };
    let (found, rest): (Vec<_>, Vec<_>) = aggregates.iter().partition(is_groups);
    let found = found.first().map(|it| arguments(&it.expr).into_iter().cloned().collect());
    (found, rest.into_iter().cloned().collect())
}

fn arguments(call: &Expr) -> Vec<&Expr> {
    let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = call else {
        return Vec::new();
    };
    let given = list.args.iter().filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
        _ => None,
    });
    given.collect()
}

/// The columns in the expressions.
fn used(columns: &[Expr], aggregates: &[ExprWithAlias]) -> Vec<Ident> {
    let mut found: Vec<Ident> = Vec::new();
    for expression in columns.iter().chain(aggregates.iter().map(|it| &it.expr)) {
        let _ = expressions(expression, |part| {
            let name = match part {
                Expr::Identifier(name) => Some(name),
                Expr::CompoundIdentifier(path) => path.last(),
                _ => None,
            };
            if let Some(name) = name.map(as_stored)
                && !found.iter().any(|known| known.value == name.value)
            {
                found.push(name);
            }
            ControlFlow::<()>::Continue(())
        });
    }
    found
}

/// DataFusion compares the names in EXCLUDE as they are written.
fn as_stored(name: &Ident) -> Ident {
    match name.quote_style {
        None => Ident::new(name.value.to_lowercase()),
        Some(_) => name.clone(),
    }
}

/// `* EXCLUDE (…)`.
fn all_but(names: Vec<Ident>) -> SelectItem {
    let names: Vec<_> = names.into_iter().map(|name| ObjectName::from(vec![name])).collect();
    let opt_exclude = (!names.is_empty()).then_some(ExcludeSelectItem::Multiple(names));
    SelectItem::Wildcard(WildcardAdditionalOptions { opt_exclude, ..Default::default() })
}

/// Returns the condition for a value, or a value of each column, and its label.
fn condition(columns: &[Expr], value: &ExprWithAlias) -> Result<(Expr, String), Fault> {
    let given = match &value.expr {
        Expr::Tuple(values) => values.clone(),
        other => vec![other.clone()],
    };
    if given.len() != columns.len() {
        return Err(
            format!("PIVOT has {} columns but the value {}", columns.len(), value.expr).into()
        );
    }
    let label = given.iter().map(plain).collect::<Vec<_>>().join("_");
    let label = value.alias.as_ref().map_or(label, |alias| alias.value.clone());
    let equal = columns.iter().zip(given).map(|(column, value)| Expr::BinaryOp {
        left: Box::new(Expr::Nested(Box::new(column.clone()))),
        op: BinaryOperator::Eq,
        right: Box::new(Expr::Nested(Box::new(value))),
    });
    let whole = equal.reduce(and).ok_or("PIVOT requires a column after FOR")?;
    Ok((whole, label))
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

/// A constant without quotes.
fn plain(value: &Expr) -> String {
    match value {
        Expr::Value(known) => match &known.value {
            Value::SingleQuotedString(text) => text.clone(),
            other => other.to_string(),
        },
        other => other.to_string(),
    }
}

fn filtered(function: &Function, condition: Expr) -> Expr {
    let mut function = function.clone();
    let whole = match function.filter.take() {
        Some(given) => and(Expr::Nested(given), condition),
        None => condition,
    };
    function.filter = Some(Box::new(whole));
    Expr::Function(function)
}

/// `SELECT * EXCLUDE (a, b), unnest(['a', 'b']) AS name, unnest([a, b]) AS value FROM t`, without NULLs.
fn unpivot(
    table: &TableFactor,
    (name, value): (&Ident, &Expr),
    columns: &[ExprWithAlias],
    is_whole: bool,
    alias: Option<TableAlias>,
) -> Result<TableFactor, Fault> {
    let Expr::Identifier(value) = value else {
        return Err(format!("{value} in UNPIVOT must be the name of a column").into());
    };
    let exprs: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
    let labels = columns.iter().map(|ExprWithAlias { expr, alias }| {
        text(&match (alias, expr) {
            (Some(name), _) | (None, Expr::Identifier(name)) => name.value.clone(),
            (None, Expr::CompoundIdentifier(path)) => {
                path.last().map_or_else(String::new, |name| name.value.clone())
            }
            (None, other) => other.to_string(),
        })
    });
    let items = vec![
        all_but(used(&exprs, &[])),
        SelectItem::ExprWithAlias { expr: unnest(labels.collect())?, alias: name.clone() },
        SelectItem::ExprWithAlias { expr: unnest(exprs)?, alias: value.clone() },
    ];
    let inner = derived(query(select(items, table.clone())), alias.clone());
    if is_whole {
        return Ok(inner);
    }
    let mut outer = select(vec![all_but(Vec::new())], inner);
    outer.selection = Some(Expr::IsNotNull(Box::new(Expr::Identifier(value.clone()))));
    Ok(derived(query(outer), alias))
}

/// `unnest([…])`.
fn unnest(elements: Vec<Expr>) -> Result<Expr, Fault> {
    let mut call = expression("unnest(NULL)")?;
    if let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = &mut call {
        let array = Expr::Array(Array { elem: elements, named: false });
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(array))];
    }
    Ok(call)
}
