//! One SQL statement: people's is parsed, its columns without a name called what was typed; that of our files is read as the
//! build parsed it.
//!
//! `DataFusion` would call `sum(x)` `sum(table.x)` and `1` `Int64(1)`: names for itself, not for people.

use std::collections::HashSet;

use datafusion::sql::parser::{DFParser, Statement as Parsed};
use datafusion::sql::sqlparser::ast::{Expr, Ident, Query, SelectItem, SetExpr, Statement as Ast};

use super::error::EngineError;
use super::parameters::Parameters;

/// A parsed statement.
#[derive(Debug, Clone)]
pub struct Statement {
    pub(super) parsed: Parsed,
}

impl Statement {
    /// The statement as SQL.
    pub fn text(&self) -> String {
        self.parsed.to_string()
    }

    /// Fills parameters in.
    pub(super) fn fill(&mut self, parameters: &Parameters) {
        if let Parsed::Statement(parsed) = &mut self.parsed {
            parameters.fill(parsed.as_mut());
        }
    }

    /// The statement with a name for each of its columns.
    pub(super) fn named(&self) -> Parsed {
        let mut parsed = self.parsed.clone();
        name_columns(&mut parsed);
        parsed
    }
}

/// The statements of a script.
pub fn parse(script: &str) -> Result<Vec<Statement>, EngineError> {
    let statements = DFParser::parse_sql(script)?;
    if statements.iter().any(|parsed| matches!(parsed, Parsed::CopyTo(_))) {
        let instead = "COPY is not supported: name a file with -o (or .output in the shell)";
        return Err(EngineError::Query(instead.into()));
    }
    Ok(statements.into_iter().map(|parsed| Statement { parsed }).collect())
}

/// The statement of a file of ours, which names its columns itself.
pub fn of_file(file: &sql::File) -> Result<Statement, EngineError> {
    let statement = file.statement().map_err(EngineError::Query)?;
    Ok(Statement { parsed: Parsed::Statement(Box::new(statement)) })
}

/// The same of a report, its parameters filled in.
pub fn of_report(file: &sql::File, parameters: &Parameters) -> Result<Statement, EngineError> {
    let mut statement = of_file(file)?;
    statement.fill(parameters);
    Ok(statement)
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
        let texts: Vec<String> =
            statements.iter().map(|statement| statement.named().to_string()).collect();
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
    fn files_are_parsed_as_what_people_type() {
        for kind in sql::Kind::ALL {
            for name in sql::names(kind) {
                let file = sql::find(kind, name).unwrap();
                let typed = parse(file.query).unwrap();
                assert_eq!(typed.len(), 1, "{name}");
                assert_eq!(of_file(file).unwrap().parsed, typed[0].parsed, "{name}");
            }
        }
    }
}
