//! Divides what a client sends into statements, and finds out who answers each.

use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

/// Who answers a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The engine.
    Engine,
    /// The catalogue of PostgreSQL.
    Catalogue,
    /// The session: settings and transactions.
    Session,
    /// The cursors of the session.
    Cursor,
    /// What copies rows to the client.
    Copy,
    /// The statements that the session has prepared by SQL.
    Prepared,
}

/// First words of statements about the session.
const SESSION: &[&str] = &[
    "ABORT",
    "BEGIN",
    "COMMIT",
    "DEALLOCATE",
    "DISCARD",
    "END",
    "RELEASE",
    "RESET",
    "ROLLBACK",
    "SAVEPOINT",
    "SET",
    "START",
    "UNLISTEN",
];
/// What SHOW lists; anything else is a setting.
const LISTED: &[&str] = &["CATALOGS", "COLUMNS", "DATABASES", "FUNCTIONS", "SCHEMAS", "TABLES"];
/// What tells of the server or the session: functions, and names that stand for calls of functions.
const OF_SERVER: &[&str] = &[
    "col_description",
    "current_database",
    "current_schema",
    "current_schemas",
    "current_setting",
    "format_type",
    "has_any_column_privilege",
    "has_database_privilege",
    "has_schema_privilege",
    "has_table_privilege",
    "obj_description",
    "set_config",
    "to_regclass",
    "to_regtype",
    "version",
];
const OF_SESSION: &[&str] =
    &["current_catalog", "current_role", "current_schema", "current_user", "session_user"];

/// Returns the statements of a script with who answers them. What cannot be divided is one statement, whose error the engine
/// tells.
pub fn divide(script: &str) -> Vec<(&str, Route)> {
    let Ok(tokens) = Tokenizer::new(&PostgreSqlDialect {}, script).tokenize_with_location() else {
        return vec![(script, Route::Engine)];
    };
    let mut statements = Vec::new();
    for part in tokens.split(|it| it.token == Token::SemiColon) {
        let mut words = part.iter().filter(|it| !matches!(it.token, Token::Whitespace(_)));
        let (Some(first), last) = (words.next(), words.next_back()) else { continue };
        let last = last.unwrap_or(first);
        let places = (byte(script, first.span.start), byte(script, last.span.end));
        let (Some(begin), Some(end)) = places else { return vec![(script, Route::Engine)] };
        let Some(text) = script.get(begin..end) else { return vec![(script, Route::Engine)] };
        statements.push((text, route(part)));
    }
    statements
}

fn route(tokens: &[TokenWithSpan]) -> Route {
    let mut words = tokens.iter().filter_map(|it| match &it.token {
        Token::Word(word) => Some(word),
        _ => None,
    });
    let first = words.next().map_or_else(String::new, |word| word.value.to_uppercase());
    let second = words.next().map_or_else(String::new, |word| word.value.to_uppercase());
    if first == "SHOW" && !LISTED.contains(&second.as_str()) || SESSION.contains(&first.as_str()) {
        return Route::Session;
    }
    match first.as_str() {
        "CLOSE" | "DECLARE" | "FETCH" | "MOVE" => return Route::Cursor,
        "COPY" => return Route::Copy,
        "EXECUTE" | "PREPARE" => return Route::Prepared,
        _ => {}
    }
    let nexts = tokens.iter().skip(1).map(|it| &it.token).chain([&Token::EOF]);
    let of_server = tokens.iter().zip(nexts).any(|(it, next)| match &it.token {
        Token::Word(word) => {
            let word = word.value.to_lowercase();
            let is_called = *next == Token::LParen && OF_SERVER.contains(&word.as_str());
            is_called
                || word.starts_with("pg_")
                || word == "information_schema"
                || OF_SESSION.contains(&word.as_str())
        }
        _ => false,
    });
    if of_server { Route::Catalogue } else { Route::Engine }
}

/// Returns the offset of a place in a text.
pub fn byte(text: &str, place: Location) -> Option<usize> {
    let line = usize::try_from(place.line).ok()?.checked_sub(1)?;
    let column = usize::try_from(place.column).ok()?.checked_sub(1)?;
    let mut begin = 0;
    for _ in 0..line {
        begin += text.get(begin..)?.find('\n')? + 1;
    }
    let rest = text.get(begin..)?;
    Some(rest.char_indices().nth(column).map_or(text.len(), |(at, _)| begin + at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_divided() {
        let script = "SELECT 'a;ä' ; -- one; two\nSET x = 1;\n\nSELECT oid FROM pg_class;SHOW TABLES; show x;;";
        let parts = divide(script);
        assert_eq!(
            parts,
            [
                ("SELECT 'a;ä'", Route::Engine),
                ("SET x = 1", Route::Session),
                ("SELECT oid FROM pg_class", Route::Catalogue),
                ("SHOW TABLES", Route::Engine),
                ("show x", Route::Session),
            ]
        );
        assert_eq!(divide("SELECT 'x"), [("SELECT 'x", Route::Engine)]);
        assert_eq!(divide(" ; "), []);
        assert_eq!(divide("SELECT version()"), [("SELECT version()", Route::Catalogue)]);
        assert_eq!(divide("SELECT version FROM x"), [("SELECT version FROM x", Route::Engine)]);
        assert_eq!(divide("DECLARE c CURSOR FOR SELECT 1")[0].1, Route::Cursor);
    }
}
