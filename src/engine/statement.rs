//! One SQL statement, parsed; columns without a name are called what was typed.
//!
//! `DataFusion` would call `sum(x)` `sum(table.x)` and `1` `Int64(1)`: names for itself, not for people.

use datafusion::sql::parser::{DFParser, Statement as Parsed};
use datafusion::sql::sqlparser::ast::{Expr, Ident, Query, SelectItem, SetExpr, Statement as Ast};

use super::error::EngineError;

/// A parsed statement.
#[derive(Debug, Clone)]
pub struct Statement {
    pub(super) parsed: Parsed,
    text: String,
}

impl Statement {
    /// The statement as SQL.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The statements of a script.
pub fn parse(script: &str) -> Result<Vec<Statement>, EngineError> {
    let statements = DFParser::parse_sql(script)?;
    Ok(statements
        .into_iter()
        .map(|mut parsed| {
            let text = parsed.to_string();
            name_columns(&mut parsed);
            Statement { parsed, text }
        })
        .collect())
}

fn name_columns(parsed: &mut Parsed) {
    if let Parsed::Statement(statement) = parsed
        && let Ast::Query(query) = statement.as_mut()
    {
        name_query(query);
    }
}

fn name_query(query: &mut Query) {
    let mut body = query.body.as_mut();
    // The first SELECT of a set operation names its columns.
    while let SetExpr::SetOperation { left, .. } = body {
        body = left.as_mut();
    }
    match body {
        SetExpr::Select(select) => select.projection.iter_mut().for_each(name_item),
        SetExpr::Query(query) => name_query(query),
        _ => {}
    }
}

fn name_item(item: &mut SelectItem) {
    if let SelectItem::UnnamedExpr(expression) = item
        && !matches!(expression, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
    {
        let alias = Ident::with_quote('"', expression.to_string());
        *item = SelectItem::ExprWithAlias { expr: expression.clone(), alias };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_called_what_was_typed() {
        let statements =
            parse("SELECT 1, sum(t.x), y, z AS w FROM t UNION SELECT 2, 3, 4, 5; SELECT 'a'")
                .unwrap();
        let texts: Vec<String> =
            statements.iter().map(|statement| statement.parsed.to_string()).collect();
        assert_eq!(
            texts,
            [
                "SELECT 1 AS \"1\", sum(t.x) AS \"sum(t.x)\", y, z AS w FROM t UNION SELECT 2, 3, 4, 5",
                "SELECT 'a' AS \"'a'\""
            ]
        );
        assert_eq!(statements[1].text(), "SELECT 'a'");
    }
}
