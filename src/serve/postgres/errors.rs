//! Errors as PostgreSQL's protocol tells them: a class (SQLSTATE), and where in the statement.

use engine::EngineError;
use pgwire::error::{ErrorInfo, PgWireError};
use workspace::SqlError;

use crate::error::ServeError;

/// The classes of wrong statements, by the words of their messages.
const WRONG: &[(&str, &str)] = &[
    ("there is no column", "42703"),
    ("there is no table", "42P01"),
    ("there is no function", "42883"),
    ("Expected", "42601"),
    ("Unterminated", "42601"),
    ("expected one statement", "42601"),
    ("not allowed by option `read_only_sql`", "25006"),
    ("option `read_only_sql` allows no", "25006"),
    ("ivide by zero", "22012"),
    ("verflow", "22003"),
    ("annot cast", "22P02"),
    ("is not supported", "0A000"),
];
/// The class of statements that are wrong otherwise.
const OTHERWISE: &str = "42000";

/// Returns what a client is told of an error of its statement.
pub fn told(error: &ServeError, statement: &str) -> PgWireError {
    let mut info = ErrorInfo::new("ERROR".into(), code(error).into(), error.told());
    info.position = position(&info.message, statement).map(|position| position.to_string());
    PgWireError::UserError(Box::new(info))
}

/// Returns an error of this class.
pub fn refused(code: &str, text: impl Into<String>) -> PgWireError {
    PgWireError::UserError(Box::new(ErrorInfo::new("ERROR".into(), code.into(), text.into())))
}

/// Returns an error that ends the connection.
pub(crate) fn fatal(code: &str, text: impl Into<String>) -> PgWireError {
    PgWireError::UserError(Box::new(ErrorInfo::new("FATAL".into(), code.into(), text.into())))
}

fn code(error: &ServeError) -> &'static str {
    match error {
        ServeError::Statement(SqlError::Engine(EngineError::Query(text))) => {
            WRONG.iter().find(|(words, _)| text.contains(words)).map_or(OTHERWISE, |(_, code)| code)
        }
        ServeError::Statement(SqlError::Engine(EngineError::Bundle(_))) => "XX001",
        ServeError::Statement(SqlError::Engine(EngineError::Environment(_)))
        | ServeError::Memory(_) => "53200",
        ServeError::Statement(SqlError::Rows(_)) | ServeError::Bytes(_) => "54000",
        ServeError::Statement(SqlError::Time(_)) | ServeError::Cancelled | ServeError::Stopping => {
            "57014"
        }
        ServeError::Changed => "0A000",
        _ => "XX000",
    }
}

/// Returns the letter of the statement that a message is about, counted from 1: by the line and column that it names, or by
/// the name that it says is unknown, if that stands in the statement once.
fn position(message: &str, statement: &str) -> Option<usize> {
    if let Some((_, place)) = message.rsplit_once("Line: ") {
        let (line, column) = place.split_once(", Column: ")?;
        let digits = column.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(column.len());
        let (line, column) = (line.parse::<usize>().ok()?, column.get(..digits)?);
        let before: usize =
            statement.split('\n').take(line.checked_sub(1)?).map(|it| it.chars().count() + 1).sum();
        return Some(before + column.parse::<usize>().ok()?);
    }
    let (_, rest) = message.split_once("there is no ")?;
    let name = rest.split_once(' ')?.1;
    let end = name.find([';', ' ', ',', '(']).unwrap_or(name.len());
    let name = name.get(..end)?;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let mut found = statement.match_indices(name).filter(|(at, _)| {
        let before = statement.get(..*at).and_then(|text| text.chars().next_back());
        let after = statement.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    });
    let (at, _) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    Some(statement.get(..at)?.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_message() {
        let statement = "SELECT 'ä',\n  nothing FROM dispatches";
        let at = |text: &str| position(text, statement);
        assert_eq!(at("Expected: x, found: y at Line: 2, Column: 3"), Some(15));
        assert_eq!(at("there is no column nothing; did you mean x?"), Some(15));
        assert_eq!(at("there is no column s"), None);
        assert_eq!(at("something else"), None);
        assert_eq!(position("there is no column x", "SELECT x, x"), None);
    }
}
