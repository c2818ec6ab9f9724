//! Cursors: DECLARE, FETCH, MOVE and CLOSE. A cursor is a statement that runs, and gives its rows as they are asked for.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::sql::sqlparser::tokenizer::Token;
use futures::{StreamExt, stream};
use parking_lot::Mutex;
use pgwire::api::ClientInfo;
use pgwire::api::portal::Format;
use pgwire::api::results::QueryResponse;
use pgwire::error::PgWireResult;
use pgwire::types::format::FormatOptions;
use tokio::sync::Mutex as Lock;

use super::errors::{refused, told};
use super::values::{Column, as_described, columns, encode, fields};
use super::words::{Words, padded, tokens};
use crate::error::ServeError;
use crate::rows::Rows;

/// Most cursors of a connection: each is a statement that runs.
const MOST: usize = 32;

/// A statement about cursors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Opens one for a query.
    Declare {
        name: String,
        query: String,
        is_binary: bool,
        is_held: bool,
    },
    /// Gives the next rows, at most so many if there is a number.
    Fetch {
        name: String,
        most: Option<usize>,
    },
    /// Skips them.
    Move {
        name: String,
        most: Option<usize>,
    },
    Close(String),
    CloseAll,
}

impl Command {
    /// Reads a statement.
    pub fn read(text: &str) -> PgWireResult<Self> {
        let tokens = tokens(text)?;
        let mut words = Words(&tokens);
        let command = if words.take("DECLARE") {
            return declare(&mut words, text);
        } else if words.take("FETCH") {
            fetch(&mut words)?.map(|(name, most)| Self::Fetch { name, most })
        } else if words.take("MOVE") {
            fetch(&mut words)?.map(|(name, most)| Self::Move { name, most })
        } else {
            words.take("CLOSE");
            if words.take("ALL") {
                Some(Self::CloseAll)
            } else {
                words.identifier().map(Self::Close)
            }
        };
        let known = command.filter(|_| words.is_empty());
        known.ok_or_else(|| {
            refused("42601", "FETCH [NEXT | n | ALL] FROM name, MOVE and CLOSE are understood")
        })
    }
}

fn declare(words: &mut Words<'_>, text: &str) -> PgWireResult<Command> {
    let wrong = || refused("42601", "DECLARE name CURSOR FOR query is understood");
    let name = words.identifier().ok_or_else(wrong)?;
    let (mut is_binary, mut is_held) = (false, false);
    loop {
        if words.take("BINARY") {
            is_binary = true;
        } else if words.take_all(&["NO", "SCROLL"])
            || words.take("INSENSITIVE")
            || words.take("ASENSITIVE")
            || words.take("CURSOR")
            || words.take_all(&["WITHOUT", "HOLD"])
        {
        } else if words.take_all(&["WITH", "HOLD"]) {
            is_held = true;
        } else if words.take("SCROLL") {
            return Err(refused("0A000", "cursors only go forward here; leave out SCROLL"));
        } else {
            break;
        }
    }
    if !words.take("FOR") {
        return Err(wrong());
    }
    let query = padded(text, words.0).ok_or_else(wrong)?;
    Ok(Command::Declare { name, query, is_binary, is_held })
}

/// Reads how many rows are wanted, and the name of the cursor.
fn fetch(words: &mut Words<'_>) -> PgWireResult<Option<(String, Option<usize>)>> {
    let backward = || refused("55000", "cursors only go forward here: FETCH NEXT, n or ALL");
    if ["PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE", "BACKWARD"]
        .iter()
        .any(|it| words.take(it))
    {
        return Err(backward());
    }
    let _ = words.take("FORWARD") || words.take("NEXT");
    let most = match words.peek() {
        _ if words.take("ALL") => None,
        Some(Token::Number(digits, _)) => {
            words.next();
            Some(digits.parse::<usize>().map_err(|_| backward())?)
        }
        Some(Token::Minus) => return Err(backward()),
        _ => Some(1),
    };
    if most == Some(0) {
        return Err(refused("0A000", "the row of FETCH 0 is not kept"));
    }
    let _ = words.take("FROM") || words.take("IN");
    Ok(words.identifier().map(|name| (name, most)))
}

/// A cursor.
#[derive(Clone)]
pub struct Cursor {
    /// The columns as they were described.
    pub schema: SchemaRef,
    is_binary: bool,
    is_held: bool,
    statement: Arc<str>,
    rows: Arc<Lock<Left>>,
}

/// The rows that are left.
struct Left {
    rows: Rows,
    /// Of a batch of which some rows were given.
    begun: Option<RecordBatch>,
}

impl Left {
    /// Returns the next rows, at most so many.
    async fn next(&mut self, most: usize) -> Option<Result<RecordBatch, ServeError>> {
        let batch = match self.begun.take() {
            Some(batch) => batch,
            None => match self.rows.next().await? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        let given = batch.num_rows().min(most);
        if given < batch.num_rows() {
            self.begun = Some(batch.slice(given, batch.num_rows() - given));
        }
        Some(Ok(batch.slice(0, given)))
    }
}

impl Cursor {
    pub fn new(
        rows: Rows,
        schema: SchemaRef,
        statement: Arc<str>,
        [is_binary, is_held]: [bool; 2],
    ) -> Self {
        let rows = Arc::new(Lock::new(Left { rows, begun: None }));
        Self { schema, is_binary, is_held, statement, rows }
    }

    /// Returns the columns of its rows.
    pub fn columns(&self, format: &Format) -> PgWireResult<Vec<Column>> {
        columns(&self.schema, if self.is_binary { &Format::UnifiedBinary } else { format })
    }

    /// Returns the next rows, at most so many.
    pub async fn fetch(
        &self,
        most: Option<usize>,
        format: &Format,
        options: FormatOptions,
    ) -> PgWireResult<QueryResponse> {
        let described = self.columns(format)?;
        let told_columns = Arc::new(fields(&described));
        let left = Arc::clone(&self.rows).lock_owned().await;
        let columns = Arc::new(as_described(described, &left.rows.schema));
        let (statement, most) = (Arc::clone(&self.statement), most.unwrap_or(usize::MAX));
        let given = stream::unfold((left, most), move |(mut left, most)| {
            let (columns, options) = (Arc::clone(&columns), options.clone());
            let statement = Arc::clone(&statement);
            async move {
                if most == 0 {
                    return None;
                }
                let batch = left.next(most).await?;
                let count = batch.as_ref().map_or(0, RecordBatch::num_rows);
                let rows = match batch {
                    Ok(batch) => encode(&columns, &options, &batch),
                    Err(error) => vec![Err(told(&error, &statement))],
                };
                Some((stream::iter(rows), (left, most - count)))
            }
        });
        let mut response = QueryResponse::new(told_columns, given.flatten());
        response.set_command_tag("FETCH");
        Ok(response)
    }

    /// Skips the next rows, at most so many. Returns how many there were.
    pub async fn skip(&self, most: Option<usize>) -> PgWireResult<usize> {
        let mut left = self.rows.lock().await;
        let most = most.unwrap_or(usize::MAX);
        let mut skipped = 0;
        while skipped < most {
            match left.next(most - skipped).await {
                Some(Ok(batch)) => skipped += batch.num_rows(),
                Some(Err(error)) => return Err(told(&error, &self.statement)),
                None => break,
            }
        }
        Ok(skipped)
    }
}

/// The cursors of a connection.
#[derive(Default)]
pub struct Cursors(Mutex<HashMap<String, Cursor>>);

impl Cursors {
    /// Returns the cursors of a connection.
    pub fn of<C: ClientInfo>(client: &C) -> Arc<Self> {
        client.session_extensions().get_or_insert_with(Self::default)
    }

    /// Fails if one more with this name cannot be opened.
    pub fn check(&self, name: &str) -> PgWireResult<()> {
        let known = self.0.lock();
        if known.contains_key(name) {
            return Err(refused("42P03", format!("there is a cursor {name} already")));
        }
        if known.len() >= MOST {
            return Err(refused("54000", format!("more than {MOST} cursors are open")));
        }
        Ok(())
    }

    pub fn add(&self, name: &str, cursor: Cursor) {
        self.0.lock().insert(name.to_owned(), cursor);
    }

    pub fn get(&self, name: &str) -> PgWireResult<Cursor> {
        let found = self.0.lock().get(name).cloned();
        found.ok_or_else(|| refused("34000", format!("there is no cursor {name}")))
    }

    pub fn close(&self, name: &str) -> PgWireResult<()> {
        let closed = self.0.lock().remove(name);
        closed.map(drop).ok_or_else(|| refused("34000", format!("there is no cursor {name}")))
    }

    pub(crate) fn close_all(&self) {
        self.0.lock().clear();
    }

    /// Closes those that end with their transaction.
    pub fn end(&self) {
        self.0.lock().retain(|_, cursor| cursor.is_held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_cursors_are_understood() {
        let read = |text: &str| Command::read(text).unwrap();
        let fetch = |most| Command::Fetch { name: "c".into(), most };
        assert_eq!(read("FETCH c"), fetch(Some(1)));
        assert_eq!(read("fetch forward 7 from c"), fetch(Some(7)));
        assert_eq!(read("FETCH ALL IN \"c\""), fetch(None));
        assert_eq!(read("FETCH FORWARD ALL FROM c"), fetch(None));
        assert_eq!(read("FETCH NEXT FROM c"), fetch(Some(1)));
        assert_eq!(read("MOVE 3 c"), Command::Move { name: "c".into(), most: Some(3) });
        assert_eq!(read("CLOSE ALL"), Command::CloseAll);
        assert_eq!(
            read("DECLARE c BINARY NO SCROLL CURSOR WITH HOLD FOR\n SELECT 'for', 1"),
            Command::Declare {
                name: "c".into(),
                query: format!("{}\n SELECT 'for', 1", " ".repeat(47)),
                is_binary: true,
                is_held: true,
            }
        );
        for wrong in [
            "FETCH BACKWARD 1 FROM c",
            "FETCH -1 FROM c",
            "FETCH 0 FROM c",
            "DECLARE c",
            "CLOSE",
            "DECLARE c SCROLL CURSOR FOR SELECT 1",
            "FETCH 1 FROM c d",
        ] {
            assert!(Command::read(wrong).is_err(), "{wrong}");
        }
    }
}
