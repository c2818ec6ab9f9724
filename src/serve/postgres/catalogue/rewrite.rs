//! What psql and drivers write that DataFusion cannot plan, written otherwise.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    ArrayElemTypeDef, BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, ObjectName, Query, SelectItem, SetExpr,
    Statement, Value, ValueWithSpan, visit_relations_mut,
};
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use dialect::walk;

use super::empty::{aggregates, has_no_rows};
use crate::postgres::statements::byte;

/// Columns that the relations of `datafusion-pg-catalog` lack. No relation has privileges or options of its own, and what is described
/// is only relations and columns.
const MISSING: &[(&str, &str)] =
    &[("relacl", "NULL::TEXT[]"), ("reloptions", "NULL::TEXT[]"), ("tableoid", "NULL::INT")];

/// Writes `'array_in'::regproc` as `'array_in'`: the catalogue has names of functions where PostgreSQL has their numbers.
pub(crate) fn with_names(text: &str) -> Cow<'_, str> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize_with_location();
    let Ok(mut tokens) = tokens else { return text.into() };
    tokens.retain(|it| !matches!(it.token, Token::Whitespace(_)));
    let (mut written, mut done) = (String::new(), 0);
    for [name, colons, kind] in tokens.array_windows() {
        let (Token::SingleQuotedString(function), Token::DoubleColon, Token::Word(word)) =
            (&name.token, &colons.token, &kind.token)
        else {
            continue;
        };
        let places = (byte(text, name.span.start), byte(text, kind.span.end));
        let (Some(begin), Some(end)) = places else { continue };
        if word.value.eq_ignore_ascii_case("regproc") && !function.contains('\'') {
            written.push_str(text.get(done..begin).unwrap_or_default());
            let function = function.trim_start_matches("pg_catalog.");
            written.extend(["'", function, "'"]);
            done = end;
        }
    }
    if done == 0 {
        return text.into();
    }
    written.push_str(text.get(done..).unwrap_or_default());
    written.into()
}

/// Writes what a statement asks for as DataFusion plans it: columns of the same text have names of their own, subqueries return at
/// most one row (relations of the catalogue are asked for by their numbers), and `ARRAY(SELECT …)` is an aggregate.
pub fn rewritten(statement: &mut Statement) -> Result<(), ParserError> {
    qualify(statement);
    let Statement::Query(query) = statement else { return Ok(()) };
    name_columns(&mut query.body);
    let missing = MISSING.iter().map(|(column, value)| Ok((*column, parsed(value)?)));
    let missing = missing.collect::<Result<Vec<_>, ParserError>>()?;
    let nothing = parsed("NULL")?;
    let _ = walk::expressions_mut(query, |expression| {
        if subquery(expression).is_some_and(|asked| has_no_rows(asked, &[]))
            || is_options(expression)
        {
            *expression = nothing.clone();
        }
        if let Expr::Exists { subquery, negated } = expression
            && has_no_rows(subquery, &[])
        {
            *expression = Expr::Value(Value::Boolean(*negated).with_empty_span());
        }
        ControlFlow::<()>::Continue(())
    });
    let _ = walk::expressions_mut(query, |expression| {
        match expression {
            Expr::Subquery(subquery) => reduce(subquery, "first_value"),
            Expr::CompoundIdentifier(parts) => {
                let last = parts.last().map(|part| part.value.to_lowercase()).unwrap_or_default();
                if let Some((_, value)) = missing.iter().find(|(column, _)| *column == last) {
                    *expression = value.clone();
                }
            }
            Expr::Function(call) if call.name.to_string().eq_ignore_ascii_case("array") => {
                if let FunctionArguments::Subquery(subquery) = &mut call.args {
                    subquery.order_by = None;
                    reduce(subquery, "array_agg");
                    *expression = Expr::Subquery(subquery.clone());
                }
            }
            Expr::Identifier(name)
                if name.quote_style.is_none()
                    && ["current_schema", "current_role"]
                        .iter()
                        .any(|it| name.value.eq_ignore_ascii_case(it)) =>
            {
                *expression = call(&name.value.to_lowercase(), Vec::new());
            }
            Expr::Cast { data_type, .. } if is_oid(data_type) => *data_type = DataType::Int(None),
            Expr::Cast {
                data_type:
                    DataType::Array(
                        ArrayElemTypeDef::SquareBracket(element, _)
                        | ArrayElemTypeDef::AngleBracket(element),
                    ),
                ..
            } if is_oid(element) => **element = DataType::Int(None),
            Expr::Like { pattern, escape_char, .. } => escape(pattern, escape_char),
            // `datafusion-pg-catalog` writes an empty text for the search path in a question of Grafana, which asks for
            // `quote_ident(table_schema)`.
            Expr::InList { expr, list, .. } => {
                if matches!(&**expr, Expr::Function(call) if call.name.to_string() == "quote_ident")
                    && let [
                        Expr::Value(ValueWithSpan {
                            value: Value::SingleQuotedString(path), ..
                        }),
                    ] = list.as_mut_slice()
                    && path.is_empty()
                {
                    *path = "public".into();
                }
            }
            Expr::BinaryOp { left, op: BinaryOperator::Eq | BinaryOperator::NotEq, right } => {
                by_name(left, right);
            }
            _ => {}
        }
        ControlFlow::<()>::Continue(())
    });
    Ok(())
}

/// Writes the schema of a relation of our own: `datafusion-pg-catalog` finds only its own without.
fn qualify(statement: &mut Statement) {
    let _ = visit_relations_mut(statement, |relation| {
        if relation.to_string().eq_ignore_ascii_case("pg_indexes") {
            *relation = ObjectName::from(["pg_catalog", "pg_indexes"].map(Ident::new).to_vec());
        }
        ControlFlow::<()>::Continue(())
    });
}

/// Returns the query whose row or rows are the value of an expression.
fn subquery(expression: &Expr) -> Option<&Query> {
    match expression {
        Expr::Subquery(query)
        | Expr::Function(Function { args: FunctionArguments::Subquery(query), .. }) => Some(query),
        _ => None,
    }
}

/// Whether an expression is the text of the options of a relation, which has none.
fn is_options(expression: &Expr) -> bool {
    let Expr::Function(call) = expression else { return false };
    let name = call.name.to_string().to_lowercase();
    let names = walk::expressions(expression, |part| match part {
        Expr::CompoundIdentifier(parts)
            if parts.last().is_some_and(|it| it.value == "reloptions") =>
        {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    name.ends_with("array_to_string") && names.is_break()
}

fn parsed(text: &str) -> Result<Expr, ParserError> {
    Parser::new(&PostgreSqlDialect {}).try_with_sql(text)?.parse_expr()
}

fn is_oid(data_type: &DataType) -> bool {
    let DataType::Custom(name, _) = data_type else { return false };
    let name = name.to_string().to_lowercase();
    name.trim_start_matches("pg_catalog.") == "oid"
}

/// Writes a pattern whose escaping character is not the backslash with the backslash, the only one of DataFusion.
fn escape(pattern: &mut Expr, character: &mut Option<ValueWithSpan>) {
    let Some(Value::SingleQuotedString(other)) = character.as_ref().map(|it| &it.value) else {
        return;
    };
    if other != "\\" && !other.is_empty() {
        let by = |text: &str| Expr::Value(Value::SingleQuotedString(text.into()).with_empty_span());
        *pattern = call("replace", vec![pattern.clone(), by(other), by("\\")]);
        *character = None;
    }
}

/// `proc.oid = type.typreceive` and `typreceive <> 0`: the catalogue has names of functions there, not their numbers.
fn by_name(left: &mut Expr, right: &mut Expr) {
    let is_function = |side: &Expr| {
        let name = match side {
            Expr::CompoundIdentifier(parts) => parts.last(),
            Expr::Identifier(name) => Some(name),
            _ => None,
        };
        name.is_some_and(|name| {
            matches!(name.value.as_str(), "typinput" | "typoutput" | "typreceive" | "typsend")
        })
    };
    let number = match (is_function(left), is_function(right)) {
        (true, false) => right,
        (false, true) => left,
        _ => return,
    };
    if matches!(&*number, Expr::Value(value) if value.to_string() == "0") {
        *number = Expr::Value(Value::SingleQuotedString("-".into()).with_empty_span());
        return;
    }
    if let Expr::CompoundIdentifier(parts) = number
        && let Some(last) = parts.last_mut()
        && last.value == "oid"
    {
        last.value = "proname".into();
    }
}

fn name_columns(body: &mut SetExpr) {
    let SetExpr::Select(select) = body else { return };
    let mut seen: HashMap<String, u32> = HashMap::new();
    for item in &mut select.projection {
        let SelectItem::UnnamedExpr(expr) = item else { continue };
        let times = seen.entry(expr.to_string()).or_default();
        *times += 1;
        if *times > 1 {
            let alias = Ident::with_quote('"', format!("?column?{times}"));
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
    }
}

/// Wraps the column of a subquery without aggregates and limits into an aggregate.
fn reduce(query: &mut Query, aggregate: &str) {
    let is_limited = query.limit_clause.is_some() || query.fetch.is_some();
    let SetExpr::Select(select) = query.body.as_mut() else { return };
    let [item] = select.projection.as_mut_slice() else { return };
    if is_limited || aggregates(item) {
        return;
    }
    if let SelectItem::UnnamedExpr(column) | SelectItem::ExprWithAlias { expr: column, .. } = item {
        *column = call(aggregate, vec![column.clone()]);
    }
}

fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let arguments = arguments.into_iter().map(|it| FunctionArg::Unnamed(FunctionArgExpr::Expr(it)));
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names() {
        assert_eq!(with_names("SELECT  'a  b'"), "SELECT  'a  b'");
        let text = "x = 'pg_catalog.f'::regproc OR 'it''s' = E'\\n' OR 'g' :: REGPROC;";
        assert_eq!(with_names(text), "x = 'f' OR 'it''s' = E'\\n' OR 'g';");
    }

    #[test]
    fn expressions_are_those_of_datafusion() {
        let of = |text: &str| {
            let text = format!("SELECT {text}");
            let mut statement = Parser::parse_sql(&PostgreSqlDialect {}, &text).unwrap().remove(0);
            rewritten(&mut statement).unwrap();
            statement.to_string()["SELECT ".len()..].to_owned()
        };
        assert_eq!(of("n LIKE 'a/_' || '%' ESCAPE '/'"), "n LIKE replace('a/_' || '%', '/', '\\')");
        assert_eq!(of("p.oid = t.typreceive"), "p.proname = t.typreceive");
        assert_eq!(of("x::pg_catalog.oid"), "x::INT");
        assert_eq!(of("(SELECT f(indkey) FROM pg_index WHERE a = b.c)"), "NULL");
        assert_eq!(of("array_to_string(c.reloptions || ARRAY(SELECT x), ', ')"), "NULL");
        assert_eq!(of("quote_ident(a) IN ('')"), "quote_ident(a) IN ('public')");
        assert_eq!(of("a IN ('')"), "a IN ('')");
        assert_eq!(of("ARRAY(SELECT polname FROM pg_policy)"), "NULL");
    }

    #[test]
    fn columns_have_names_and_subqueries_one_row() {
        let text = "SELECT NULL, NULL, ARRAY(SELECT y FROM u ORDER BY 1), c.tableoid FROM t WHERE a = 0 OR (SELECT c.k = 'c' FROM c WHERE c.o = t.o)";
        let mut statement = Parser::parse_sql(&PostgreSqlDialect {}, text).unwrap().remove(0);
        rewritten(&mut statement).unwrap();
        assert_eq!(
            statement.to_string(),
            "SELECT NULL, NULL AS \"?column?2\", (SELECT array_agg(y) FROM u), NULL::INT FROM t WHERE a = 0 OR (SELECT first_value(c.k = 'c') FROM c WHERE c.o = t.o)"
        );
    }
}
