//! Parses one file; the build does it for all that are embedded.

use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};

/// The one SELECT of a file, in the dialect that `DataFusion` reads.
pub fn parse(query: &str) -> Result<Statement, ParserError> {
    let mut statements = Parser::parse_sql(&GenericDialect {}, query)?;
    match (statements.pop(), statements.is_empty()) {
        (Some(only @ Statement::Query(_)), true) => Ok(only),
        _ => Err(ParserError::ParserError("a file is one SELECT".into())),
    }
}
