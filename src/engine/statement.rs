//! Parses SQL statements, and names the unnamed columns of users' queries.
//!
//! An unnamed column gets the text of its expression as its name; DataFusion would name `sum(x)` `sum(table.x)`, and
//! `1` `Int64(1)`.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::error::DataFusionError;
use datafusion::sql::parser::{DFParser, DFParserBuilder, Statement as Parsed};
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Query, SelectItem, SetExpr, Statement as Ast, Value, visit_expressions_mut,
};

use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::Tokenizer;

use super::dialect::{Grammar, Macros, rewrite_forms};
use super::error::EngineError;
use super::parameters::Parameters;

/// A parsed statement.
#[derive(Debug, Clone)]
pub struct Statement {
    pub(super) parsed: Parsed,
}

impl Statement {
    /// Replaces `$name` by the value of the variable: a number, NULL, or else a text. Fails if it has none.
    pub fn bind(&mut self, variables: &[(String, String)]) -> Result<(), EngineError> {
        let Parsed::Statement(statement) = &mut self.parsed else { return Ok(()) };
        let flow = visit_expressions_mut(statement.as_mut(), |expression| {
            let Expr::Value(value) = expression else { return ControlFlow::Continue(()) };
            let Value::Placeholder(placeholder) = &value.value else {
                return ControlFlow::Continue(());
            };
            let name = placeholder.trim_start_matches('$');
            // `$1` is a parameter of PREPARE.
            if name.starts_with(|letter: char| letter.is_ascii_digit()) {
                return ControlFlow::Continue(());
            }
            // The last value of a name counts.
            let Some((_, text)) = variables.iter().rfind(|(known, _)| known == name) else {
                return ControlFlow::Break(format!("${name} has no value; add -v {name}=VALUE"));
            };
            value.value = match text {
                text if text.eq_ignore_ascii_case("null") => Value::Null,
                text if text.parse::<f64>().is_ok_and(f64::is_finite) => {
                    Value::Number(text.clone(), false)
                }
                text => Value::SingleQuotedString(text.clone()),
            };
            ControlFlow::Continue(())
        });
        match flow {
            ControlFlow::Break(missing) => Err(EngineError::Query(missing)),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Returns the statement as SQL.
    pub fn text(&self) -> String {
        self.parsed.to_string()
    }

    /// Returns the statement with a name for each of its columns, and the definitions of macros for their calls.
    pub(super) fn expanded(&self, macros: &Macros) -> Result<Parsed, EngineError> {
        let mut parsed = self.parsed.clone();
        name_columns(&mut parsed);
        macros.expand(&mut parsed).map_err(|fault| EngineError::Query(fault.into()))?;
        Ok(parsed)
    }
}

/// Parses the statements of a user's script.
pub fn parse(script: &str) -> Result<Vec<Statement>, EngineError> {
    let tokens = Tokenizer::new(&Grammar, script).tokenize_with_location();
    let tokens = tokens.map_err(|error| DataFusionError::from(ParserError::from(error)))?;
    let tokens = rewrite_forms(tokens).map_err(|fault| EngineError::Query(fault.into()))?;
    let mut parser = DFParserBuilder::new("").with_dialect(&Grammar).build()?;
    parser.parser = parser.parser.with_tokens_with_locations(tokens);
    statements(parser)
}

fn statements(mut parser: DFParser<'_>) -> Result<Vec<Statement>, EngineError> {
    let statements = parser.parse_statements()?;
    if statements.iter().any(|parsed| matches!(parsed, Parsed::CopyTo(_))) {
        let instead = "COPY is not supported: name a file with -o (or .output in the shell)";
        return Err(EngineError::Query(instead.into()));
    }
    Ok(statements.into_iter().map(|parsed| Statement { parsed }).collect())
}

/// Parses a SQL file of this project and substitutes its parameters. These files name all columns.
pub fn of_file(file: &sql::View, parameters: &Parameters) -> Result<Statement, EngineError> {
    select(file.query, parameters)?
        .ok_or_else(|| EngineError::Query(format!("{} is not a single SELECT", file.qualified())))
}

/// Parses a text with exactly one query; `None` for any other text.
fn select(text: &str, parameters: &Parameters) -> Result<Option<Statement>, EngineError> {
    let mut statements = statements(DFParserBuilder::new(text).with_dialect(&Grammar).build()?)?;
    let Some(mut only) = statements.pop().filter(|_| statements.is_empty()) else {
        return Ok(None);
    };
    let Parsed::Statement(parsed) = &mut only.parsed else { return Ok(None) };
    if !matches!(parsed.as_ref(), Ast::Query(_)) {
        return Ok(None);
    }
    parameters.fill(parsed.as_mut());
    Ok(Some(only))
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
    // The first SELECT of a set operation determines the names of its columns.
    while let SetExpr::SetOperation { left, .. } = body {
        body = left.as_mut();
    }
    match body {
        SetExpr::Select(select) => {
            let mut seen = HashSet::new();
            select.projection.iter_mut().for_each(|item| name_item(item, &mut seen));
        }
        SetExpr::Query(query) => name_query(query),
        _ => {}
    }
}

fn name_item(item: &mut SelectItem, seen: &mut HashSet<String>) {
    let SelectItem::UnnamedExpr(expression) = item else { return };
    let (typed, named) = match &*expression {
        Expr::Identifier(name) => (name.value.clone(), true),
        Expr::CompoundIdentifier(path) => {
            (path.last().map_or_else(String::new, |name| name.value.clone()), true)
        }
        other => (other.to_string(), false),
    };
    let mut name = typed.clone();
    let mut count = 0;
    while !seen.insert(name.clone()) {
        count += 1;
        name = format!("{typed}_{count}");
    }
    if !named || count > 0 {
        *item = SelectItem::ExprWithAlias {
            expr: expression.clone(),
            alias: Ident::with_quote('"', name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_called_what_was_typed() {
        let statements =
            parse("SELECT 1, sum(t.x), y, z AS w FROM t UNION SELECT 2, 3, 4, 5; SELECT 'a'; SELECT x, t.x, 1, 1 FROM t")
                .unwrap();
        let texts: Vec<String> = statements
            .iter()
            .map(|it| it.expanded(&Macros::default()).unwrap().to_string())
            .collect();
        assert_eq!(
            texts,
            [
                "SELECT 1 AS \"1\", sum(t.x) AS \"sum(t.x)\", y, z AS w FROM t UNION SELECT 2, 3, 4, 5",
                "SELECT 'a' AS \"'a'\"",
                "SELECT x, t.x AS \"x_1\", 1 AS \"1\", 1 AS \"1_1\" FROM t"
            ]
        );
        assert_eq!(statements[1].text(), "SELECT 'a'");
        assert!(parse("COPY t TO 'x.csv'").is_err());
    }

    #[test]
    fn a_file_is_one_select() {
        let select = |text| select(text, &Parameters::default()).map(|select| select.is_some());
        assert!(select("-- A header.\nWITH a AS (SELECT 1) SELECT * FROM a").unwrap());
        for text in ["", "SELECT 1; SELECT 2", "DROP TABLE dispatches"] {
            assert!(!select(text).unwrap(), "{text}");
        }
        assert!(select("SELECT (").is_err());
    }
}
