//! The prepared statements of a connection: those of the protocol by their names, and those of PREPARE and EXECUTE.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::Token;
use parking_lot::Mutex;
use pgwire::api::{ClientInfo, Type};
use pgwire::error::PgWireResult;

use super::errors::refused;
use super::planned::Planned;
use super::words::{Words, padded, tokens};

/// Most statements that a connection may keep prepared.
const MOST: usize = 1000;

/// The prepared statements of a connection.
#[derive(Default)]
pub struct Names {
    /// Those of the protocol, which keeps the statements.
    names: Mutex<BTreeSet<String>>,
    /// Those of SQL.
    planned: Mutex<BTreeMap<String, Arc<Planned>>>,
}

impl Names {
    /// Returns the names of a connection.
    pub fn of<C: ClientInfo>(client: &C) -> Arc<Self> {
        client.session_extensions().get_or_insert_with(Self::default)
    }

    /// Adds a name, unless there are too many.
    pub fn add(&self, name: &str) -> PgWireResult<()> {
        let mut names = self.names.lock();
        if names.contains(name) {
            return Ok(());
        }
        if names.len() >= MOST {
            return Err(refused("54000", format!("more than {MOST} prepared statements")));
        }
        names.insert(name.to_owned());
        Ok(())
    }

    /// Removes a statement. Returns whether it was there.
    pub fn remove(&self, name: &str) -> bool {
        self.planned.lock().remove(name).is_some() | self.names.lock().remove(name)
    }

    /// Removes all statements, and returns the names of those of the protocol.
    pub fn take(&self) -> BTreeSet<String> {
        self.planned.lock().clear();
        std::mem::take(&mut self.names.lock())
    }

    /// Keeps a statement of PREPARE.
    pub fn keep(&self, name: &str, statement: &Arc<Planned>) -> PgWireResult<()> {
        let mut planned = self.planned.lock();
        if planned.contains_key(name) || self.names.lock().contains(name) {
            return Err(refused("42P05", format!("there is a prepared statement {name} already")));
        }
        if planned.len() >= MOST {
            return Err(refused("54000", format!("more than {MOST} prepared statements")));
        }
        planned.insert(name.to_owned(), Arc::clone(statement));
        Ok(())
    }

    /// Returns a statement of PREPARE.
    pub fn get(&self, name: &str) -> PgWireResult<Arc<Planned>> {
        let found = self.planned.lock().get(name).cloned();
        found.ok_or_else(|| refused("26000", format!("PREPARE has made no statement {name}")))
    }
}

/// A statement about prepared statements.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Prepares a query, whose parameters have these types.
    Prepare { name: String, types: Vec<Option<Type>>, query: String },
    /// Runs it. The values are written as SQL.
    Execute { name: String, values: Option<String> },
}

impl Command {
    /// Reads a statement.
    pub fn read(text: &str) -> PgWireResult<Self> {
        let wrong = || {
            refused(
                "42601",
                "PREPARE name (types) AS query and EXECUTE name (values) are understood",
            )
        };
        let tokens = tokens(text)?;
        let mut words = Words(&tokens);
        let is_execute = words.take("EXECUTE");
        if !is_execute && words.take_all(&["PREPARE", "TRANSACTION"]) {
            return Err(refused("0A000", "prepared transactions are not supported"));
        }
        if !is_execute {
            words.take("PREPARE");
        }
        let name = words.identifier().ok_or_else(wrong)?;
        if is_execute {
            if words.is_empty() {
                return Ok(Self::Execute { name, values: None });
            }
            let inner = words.0.split_last().map_or(words.0, |(_, inner)| inner);
            let [first, rest @ ..] = inner else { return Err(wrong()) };
            let is_list = first.token == Token::LParen
                && words.0.last().is_some_and(|it| it.token == Token::RParen);
            let values = padded(text, rest).filter(|_| is_list);
            return Ok(Self::Execute { name, values: Some(values.ok_or_else(wrong)?) });
        }
        let types =
            if words.peek() == Some(&Token::LParen) { types(&mut words)? } else { Vec::new() };
        if !words.take("AS") {
            return Err(wrong());
        }
        let query = padded(text, words.0).ok_or_else(wrong)?;
        Ok(Self::Prepare { name, types, query })
    }
}

/// The names of types.
const TYPES: &[(&str, Type, Type)] = &[
    ("bool boolean", Type::BOOL, Type::BOOL_ARRAY),
    ("int2 smallint", Type::INT2, Type::INT2_ARRAY),
    ("int4 int integer", Type::INT4, Type::INT4_ARRAY),
    ("int8 bigint", Type::INT8, Type::INT8_ARRAY),
    ("float4 real", Type::FLOAT4, Type::FLOAT4_ARRAY),
    ("float8 float double_precision", Type::FLOAT8, Type::FLOAT8_ARRAY),
    ("numeric decimal", Type::NUMERIC, Type::NUMERIC_ARRAY),
    ("text varchar character_varying", Type::TEXT, Type::TEXT_ARRAY),
    ("bytea", Type::BYTEA, Type::BYTEA_ARRAY),
    ("date", Type::DATE, Type::DATE_ARRAY),
    ("time", Type::TIME, Type::TIME_ARRAY),
    ("timestamp timestamp_without_time_zone", Type::TIMESTAMP, Type::TIMESTAMP_ARRAY),
    ("timestamptz timestamp_with_time_zone", Type::TIMESTAMPTZ, Type::TIMESTAMPTZ_ARRAY),
    ("interval", Type::INTERVAL, Type::INTERVAL_ARRAY),
    ("uuid", Type::UUID, Type::UUID_ARRAY),
];

/// Takes a list of types.
fn types(words: &mut Words<'_>) -> PgWireResult<Vec<Option<Type>>> {
    words.next();
    let (mut types, mut parts, mut is_array) = (Vec::new(), Vec::new(), false);
    loop {
        match words.next() {
            Some(Token::Word(word)) => parts.push(word.value.to_lowercase()),
            Some(Token::LBracket | Token::RBracket) => is_array = true,
            Some(end @ (Token::Comma | Token::RParen)) => {
                let name = parts.join("_");
                let is_of = |(all, ..): &&(&str, Type, Type)| all.split(' ').any(|it| it == name);
                let found = TYPES.iter().find(is_of);
                let kind = found.map(|(_, one, many)| if is_array { many } else { one }.clone());
                if kind.is_none() && name != "unknown" {
                    let what = format!("parameters of type {} are not supported", parts.join(" "));
                    return Err(refused("0A000", what));
                }
                types.push(kind);
                if *end == Token::RParen {
                    return Ok(types);
                }
                parts.clear();
                is_array = false;
            }
            _ => return Err(refused("42601", "PREPARE takes a list of types without lengths")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_prepared_ones_are_understood() {
        assert_eq!(
            Command::read("PREPARE p (int, double precision, text[]) AS SELECT $1").unwrap(),
            Command::Prepare {
                name: "p".into(),
                types: vec![Some(Type::INT4), Some(Type::FLOAT8), Some(Type::TEXT_ARRAY)],
                query: format!("{}SELECT $1", " ".repeat(45)),
            }
        );
        assert_eq!(
            Command::read("EXECUTE P(1, f('a'))").unwrap(),
            Command::Execute {
                name: "p".into(),
                values: Some(format!("{}1, f('a')", " ".repeat(10)))
            }
        );
        assert_eq!(
            Command::read("execute \"P\"").unwrap(),
            Command::Execute { name: "P".into(), values: None }
        );
        for wrong in [
            "PREPARE p",
            "PREPARE p (point) AS SELECT 1",
            "EXECUTE p 1",
            "EXECUTE",
            "PREPARE TRANSACTION 'x'",
        ] {
            assert!(Command::read(wrong).is_err(), "{wrong}");
        }
    }
}
