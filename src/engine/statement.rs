//! Parses SQL statements, and names the unnamed columns of users' queries.
//!
//! An unnamed column gets the text of its expression as its name; DataFusion would name `sum(x)` `sum(table.x)`, and
//! `1` `Int64(1)`.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::error::DataFusionError;
use datafusion::sql::parser::{DFParser, DFParserBuilder, Statement as Parsed};
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Query, SelectItem, SetExpr, Statement as Ast, Value, Visitor,
};
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use dialect::walk::{expressions_mut, walk};
use dialect::{Grammar, Macros, rewrite_forms};

use super::error::EngineError;
use super::parameters::Parameters;

/// A parsed statement.
#[derive(Debug, Clone)]
pub struct Statement {
    pub(super) parsed: Parsed,
    /// The line of the script where it begins.
    line: u64,
}

impl Statement {
    /// Replaces `$name` by the value of the variable: a number, NULL, or else a text. Fails if it has none.
    pub fn bind(&mut self, variables: &[(String, String)]) -> Result<(), EngineError> {
        let Parsed::Statement(statement) = &mut self.parsed else { return Ok(()) };
        let flow = expressions_mut(statement.as_mut(), |expression| {
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

    /// True for a statement that only defines a view, a table or a macro.
    pub fn is_definition(&self) -> bool {
        let Parsed::Statement(statement) = &self.parsed else { return false };
        matches!(
            statement.as_ref(),
            Ast::CreateView { .. } | Ast::CreateTable { .. } | Ast::CreateMacro { .. }
        )
    }

    /// Fails if the statement does more than read. The plans of the rest are checked, too.
    pub(super) fn check_that_it_reads(&self) -> Result<(), EngineError> {
        let reads = match &self.parsed {
            Parsed::Explain(_) => true,
            Parsed::Statement(statement) => matches!(
                statement.as_ref(),
                Ast::Query(_)
                    | Ast::Explain { .. }
                    | Ast::ExplainTable { .. }
                    | Ast::ShowTables { .. }
                    | Ast::ShowColumns { .. }
                    | Ast::ShowFunctions { .. }
            ),
            _ => false,
        };
        if reads {
            return Ok(());
        }
        let text = self.text();
        let first = text.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        Err(EngineError::Query(format!(
            "{first} is not allowed by option `read_only_sql`; SELECT, EXPLAIN, DESCRIBE and SHOW TABLES are"
        )))
    }

    /// Whether it has subqueries.
    pub fn has_subqueries(&self) -> bool {
        let Parsed::Statement(statement) = &self.parsed else { return false };
        let mut queries = Queries(0);
        let _ = walk(statement.as_ref(), &mut queries);
        queries.0 > 1
    }

    /// Returns the line of the script where the statement begins.
    pub fn line(&self) -> u64 {
        self.line
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

/// Counts queries.
struct Queries(usize);

impl Visitor for Queries {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Parses the statements of a user's script.
pub fn parse(script: &str) -> Result<Vec<Statement>, EngineError> {
    let tokens = Tokenizer::new(&Grammar, script).tokenize_with_location();
    let tokens = tokens.map_err(|error| DataFusionError::from(ParserError::from(error)))?;
    let tokens = rewrite_forms(tokens).map_err(|fault| EngineError::Query(fault.into()))?;
    let lines = lines(&tokens);
    let mut parser = DFParserBuilder::new("").with_dialect(&Grammar).build()?;
    parser.parser = parser.parser.with_tokens_with_locations(tokens);
    statements(parser, lines)
}

/// Parses a file that a folder brings with it, which may only define views and macros: one SELECT, which becomes the view
/// `name`, or statements CREATE VIEW and CREATE MACRO.
pub fn definitions(script: &str, name: &str) -> Result<Vec<Statement>, EngineError> {
    let mut statements = parse(script)?;
    let is_alone = statements.len() == 1;
    for Statement { parsed, line } in &mut statements {
        let Parsed::Statement(statement) = parsed else { return Err(not_defined(*line)) };
        match statement.as_mut() {
            Ast::Query(query) if is_alone => {
                name_query(query);
                **statement = view(name, query)?;
            }
            Ast::CreateView(view) if !view.or_replace => {}
            Ast::CreateMacro { or_replace: false, .. } => {}
            _ => return Err(not_defined(*line)),
        }
    }
    Ok(statements)
}

fn not_defined(line: u64) -> EngineError {
    EngineError::Query(format!(
        "line {line}: a file of views is one SELECT, or statements CREATE VIEW and CREATE MACRO without OR REPLACE"
    ))
}

/// Returns `CREATE VIEW "name" AS query`.
fn view(name: &str, query: &mut Box<Query>) -> Result<Ast, EngineError> {
    let text = "CREATE VIEW v AS VALUES (1)";
    let parsed = Parser::new(&Grammar).try_with_sql(text).and_then(|mut it| it.parse_statement());
    let mut parsed = parsed.map_err(DataFusionError::from)?;
    if let Ast::CreateView(view) = &mut parsed {
        view.name = Ident::with_quote('"', name).into();
        std::mem::swap(&mut view.query, query);
    }
    Ok(parsed)
}

/// Returns the lines where the statements begin.
fn lines(tokens: &[TokenWithSpan]) -> Vec<u64> {
    let words = tokens.iter().filter(|it| !matches!(it.token, Token::Whitespace(_)));
    let mut lines = Vec::new();
    let mut is_first = true;
    for word in words {
        let ends = word.token == Token::SemiColon;
        if is_first && !ends {
            lines.push(word.span.start.line);
        }
        is_first = ends;
    }
    lines
}

fn statements(mut parser: DFParser<'_>, lines: Vec<u64>) -> Result<Vec<Statement>, EngineError> {
    let statements = parser.parse_statements()?;
    let lines = lines.into_iter().chain(std::iter::repeat(1));
    Ok(statements.into_iter().zip(lines).map(|(parsed, line)| Statement { parsed, line }).collect())
}

/// Parses a SQL file of this project and substitutes its parameters. These files name all columns.
pub fn of_file(file: &sql::View, parameters: &Parameters) -> Result<Statement, EngineError> {
    select(file.query, parameters)?
        .ok_or_else(|| EngineError::Query(format!("{} is not a single SELECT", file.qualified())))
}

/// Parses a text with exactly one query; `None` for any other text.
fn select(text: &str, parameters: &Parameters) -> Result<Option<Statement>, EngineError> {
    let mut statements =
        statements(DFParserBuilder::new(text).with_dialect(&Grammar).build()?, Vec::new())?;
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
