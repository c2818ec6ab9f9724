//! Statements about the session: settings, transactions, and prepared statements that are dropped.
//!
//! Nothing can be written, so a transaction is what its settings hold for, and the state of the files that its statements
//! read if it is repeatable.

use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::Token;
use futures::stream;
use pgwire::api::results::{DataRowEncoder, FieldFormat, FieldInfo, QueryResponse, Response, Tag};
use pgwire::api::store::PortalStore;
use pgwire::api::{ClientInfo, ClientPortalStore, Type};
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::response::TransactionStatus;

use super::cursors::Cursors;
use super::errors::refused;
use super::prepared::Names;
use super::settings::{Refusal, SETTINGS, Settings};
use super::words::{Words, tokens};

/// A statement about the session.
#[derive(Debug, PartialEq)]
enum Command {
    /// Begins a transaction, perhaps with an isolation.
    Begin(&'static str, Option<String>),
    Commit,
    Rollback,
    /// Goes back to a savepoint. Nothing has changed since, and the transaction goes on.
    RollbackTo,
    Set {
        name: String,
        value: Option<String>,
        is_local: bool,
    },
    /// Sets the isolation of the transaction, or of those that follow.
    Isolation {
        level: Option<String>,
        is_local: bool,
    },
    Show(String),
    ShowAll,
    Reset(String),
    ResetAll,
    Deallocate(String),
    DeallocateAll,
    DiscardAll,
    /// Begins or ends what a connection does not have here: savepoints, listeners, temporary tables.
    Nothing(&'static str),
}

/// Answers a statement about the session.
pub fn answer<C>(text: &str, settings: &Settings, client: &mut C) -> PgWireResult<Response>
where
    C: ClientInfo + ClientPortalStore,
    C::PortalStore: PortalStore,
{
    let command = command(text)?;
    let status = client.transaction_status();
    let ends = matches!(command, Command::Commit | Command::Rollback | Command::RollbackTo);
    if status == TransactionStatus::Error && !ends {
        return Err(refused("25P02", "the transaction has failed; end it with ROLLBACK"));
    }
    let done = |tag: &str| Response::Execution(Tag::new(tag));
    Ok(match command {
        Command::Begin(tag, _) if status == TransactionStatus::Transaction => done(tag),
        Command::Begin(tag, level) => {
            settings.begin();
            isolate(settings, level, true)?;
            Response::TransactionStart(Tag::new(tag))
        }
        Command::Commit | Command::Rollback => {
            let takes_back = command == Command::Rollback || status == TransactionStatus::Error;
            settings.end(takes_back);
            Cursors::of(client).end();
            Response::TransactionEnd(Tag::new(if takes_back { "ROLLBACK" } else { "COMMIT" }))
        }
        Command::RollbackTo if status == TransactionStatus::Idle => {
            return Err(refused("25P01", "there is no transaction, and so no savepoint"));
        }
        Command::RollbackTo => Response::TransactionStart(Tag::new("ROLLBACK")),
        Command::Set { name, value, is_local } => {
            settings.set(&name, value.as_deref(), is_local).map_err(wrong)?;
            done("SET")
        }
        Command::Isolation { level, is_local } => {
            isolate(settings, level, is_local)?;
            done("SET")
        }
        Command::Show(name) => {
            let value = settings.get(&name).ok_or_else(|| unknown(&name))?;
            rows(columns(text), [[Some(value), None, None]])?
        }
        Command::ShowAll => {
            let all =
                settings.all().into_iter().map(|(name, value)| [Some(name), Some(value), None]);
            rows(columns(text), all)?
        }
        Command::Reset(name) => {
            settings.set(&name, None, false).map_err(wrong)?;
            done("RESET")
        }
        Command::ResetAll => {
            settings.reset();
            done("RESET")
        }
        Command::Deallocate(name) => {
            if !Names::of(client).remove(&name) {
                return Err(refused("26000", format!("there is no prepared statement {name}")));
            }
            client.portal_store().rm_statement(&name);
            done("DEALLOCATE")
        }
        Command::DeallocateAll => {
            drop_all(client);
            done("DEALLOCATE ALL")
        }
        Command::DiscardAll => {
            drop_all(client);
            Cursors::of(client).close_all();
            settings.reset();
            done("DISCARD ALL")
        }
        Command::Nothing(tag) => done(tag),
    })
}

/// Returns the columns of what [`answer`] returns.
pub fn columns(text: &str) -> Vec<FieldInfo> {
    let names = match command(text) {
        Ok(Command::Show(name)) => {
            let known = SETTINGS.iter().find(|it| it.name.eq_ignore_ascii_case(&name));
            vec![known.map_or(name, |it| it.name.to_owned())]
        }
        Ok(Command::ShowAll) => ["name", "setting", "description"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    };
    let column = |name| FieldInfo::new(name, None, None, Type::TEXT, FieldFormat::Text);
    names.into_iter().map(column).collect()
}

fn isolate(settings: &Settings, level: Option<String>, is_local: bool) -> PgWireResult<()> {
    let Some(level) = level else { return Ok(()) };
    let name = if is_local { "transaction_isolation" } else { "default_transaction_isolation" };
    settings.set(name, Some(&level), is_local).map_err(wrong)
}

/// Drops all prepared statements of a connection.
fn drop_all<C>(client: &C)
where
    C: ClientInfo + ClientPortalStore,
    C::PortalStore: PortalStore,
{
    for name in Names::of(client).take() {
        client.portal_store().rm_statement(&name);
    }
}

fn rows(
    columns: Vec<FieldInfo>,
    rows: impl IntoIterator<Item = [Option<String>; 3]>,
) -> PgWireResult<Response> {
    let columns = Arc::new(columns);
    let mut sent = Vec::new();
    for row in rows {
        let mut encoder = DataRowEncoder::new(Arc::clone(&columns));
        for value in row.iter().take(columns.len()) {
            encoder.encode_field(value)?;
        }
        sent.push(Ok(encoder.take_row()));
    }
    Ok(Response::Query(QueryResponse::new(columns, stream::iter(sent))))
}

fn wrong((code, text): Refusal) -> PgWireError {
    refused(code, text)
}

fn unknown(name: &str) -> PgWireError {
    refused("42704", format!("there is no setting {name}; SHOW ALL lists them"))
}

/// Takes the modes of a transaction, and returns its isolation.
fn modes(words: &mut Words<'_>) -> PgWireResult<Option<String>> {
    let other = || {
        let known = "ISOLATION LEVEL with a level, READ ONLY, READ WRITE and DEFERRABLE";
        refused("42601", format!("a transaction has the modes {known}"))
    };
    let mut level = None;
    while !words.is_empty() {
        let [committed, uncommitted] = [["READ", "COMMITTED"], ["READ", "UNCOMMITTED"]];
        if words.take_all(&["ISOLATION", "LEVEL"]) {
            level = Some(if words.take_all(&committed) {
                "read committed"
            } else if words.take_all(&uncommitted) {
                "read uncommitted"
            } else if words.take_all(&["REPEATABLE", "READ"]) {
                "repeatable read"
            } else if words.take("SERIALIZABLE") {
                "serializable"
            } else {
                return Err(other());
            });
        } else if !(words.take_all(&["READ", "ONLY"])
                // Nothing can be written in any transaction; clients that may write say so in all that they begin.
                || words.take_all(&["READ", "WRITE"])
                || words.take_all(&["NOT", "DEFERRABLE"])
                || words.take("DEFERRABLE")
                || matches!(words.next(), Some(Token::Comma)))
        {
            return Err(other());
        }
    }
    Ok(level.map(str::to_owned))
}

fn command(text: &str) -> PgWireResult<Command> {
    let tokens = tokens(text)?;
    let mut words = Words(&tokens);
    let first = match words.next() {
        Some(Token::Word(word)) => word.value.to_uppercase(),
        _ => String::new(),
    };
    let command = match first.as_str() {
        "SET" => set(&mut words)?,
        "SHOW" => show(&mut words),
        "RESET" if words.take("ALL") => Some(Command::ResetAll),
        "RESET" if words.take_all(&["TIME", "ZONE"]) => Some(Command::Reset("TimeZone".into())),
        "RESET" => words.name().map(Command::Reset),
        "DEALLOCATE" => {
            words.take("PREPARE");
            if words.take("ALL") {
                Some(Command::DeallocateAll)
            } else {
                words.identifier().map(Command::Deallocate)
            }
        }
        "DISCARD" if words.take("ALL") => Some(Command::DiscardAll),
        "DISCARD" => words.name().map(|_| Command::Nothing("DISCARD")),
        "SAVEPOINT" => words.name().map(|_| Command::Nothing("SAVEPOINT")),
        "RELEASE" => words.name().map(|_| {
            words.name();
            Command::Nothing("RELEASE")
        }),
        "UNLISTEN" => {
            words.next();
            Some(Command::Nothing("UNLISTEN"))
        }
        _ => transaction(&first, &mut words)?,
    };
    match command {
        Some(command) if words.is_empty() => Ok(command),
        _ => Err(refused("42601", format!("this {first} is not understood"))),
    }
}

/// Returns the command of a statement that begins or ends a transaction.
fn transaction(first: &str, words: &mut Words<'_>) -> PgWireResult<Option<Command>> {
    if words.take("PREPARED")
        || (!first.eq("BEGIN") && words.take_all(&["TRANSACTION", "PREPARED"]))
    {
        return Err(refused("0A000", "prepared transactions are not supported"));
    }
    let has_work = words.take("WORK") || words.take("TRANSACTION");
    if words.take_all(&["AND", "CHAIN"]) {
        return Err(refused("0A000", "AND CHAIN is not supported; begin the next transaction"));
    }
    let ends = |words: &mut Words<'_>, command| {
        words.take_all(&["AND", "NO", "CHAIN"]);
        Ok(Some(command))
    };
    match first {
        "BEGIN" => Ok(Some(Command::Begin("BEGIN", modes(words)?))),
        "START" if has_work => Ok(Some(Command::Begin("START TRANSACTION", modes(words)?))),
        "COMMIT" | "END" => ends(words, Command::Commit),
        "ROLLBACK" if words.take("TO") => {
            words.take("SAVEPOINT");
            Ok(words.name().map(|_| Command::RollbackTo))
        }
        "ROLLBACK" | "ABORT" => ends(words, Command::Rollback),
        _ => Ok(None),
    }
}

fn show(words: &mut Words<'_>) -> Option<Command> {
    if words.take("ALL") {
        return Some(Command::ShowAll);
    }
    let name = if words.take_all(&["TIME", "ZONE"]) {
        "TimeZone".to_owned()
    } else if words.take_all(&["TRANSACTION", "ISOLATION", "LEVEL"]) {
        "transaction_isolation".to_owned()
    } else {
        words.name()?
    };
    Some(Command::Show(name))
}

fn set(words: &mut Words<'_>) -> PgWireResult<Option<Command>> {
    if words.take_all(&["SESSION", "CHARACTERISTICS", "AS", "TRANSACTION"]) {
        return Ok(Some(Command::Isolation { level: modes(words)?, is_local: false }));
    }
    if words.take_all(&["SESSION", "AUTHORIZATION"]) || words.take("ROLE") {
        let is_own = words.take("DEFAULT") || words.take("NONE");
        let refusal = || refused("0A000", "there are no roles on this server");
        return if is_own { Ok(Some(Command::Nothing("SET"))) } else { Err(refusal()) };
    }
    if words.take_all(&["TRANSACTION", "SNAPSHOT"]) {
        return Err(refused("0A000", "snapshots of other transactions are not supported"));
    }
    if words.take("TRANSACTION") {
        return Ok(Some(Command::Isolation { level: modes(words)?, is_local: true }));
    }
    let is_local = words.take("LOCAL");
    if !is_local {
        words.take("SESSION");
    }
    let name = if words.take_all(&["TIME", "ZONE"]) {
        Some("TimeZone".to_owned())
    } else if words.take("NAMES") {
        Some("client_encoding".to_owned())
    } else {
        let name = words.name();
        let has_sign = words.take("TO") || matches!(words.next(), Some(Token::Eq));
        name.filter(|_| has_sign && !words.is_empty())
    };
    let Some(name) = name else { return Ok(None) };
    let value = if words.take("DEFAULT") || (name == "TimeZone" && words.take("LOCAL")) {
        None
    } else {
        Some(words.value())
    };
    Ok(Some(Command::Set { name, value, is_local }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: Option<&str>, is_local: bool) -> Command {
        Command::Set { name: name.into(), value: value.map(str::to_owned), is_local }
    }

    #[test]
    fn statements_about_the_session_are_understood() {
        let known = [
            ("SET a = 1", set("a", Some("1"), false)),
            ("set local a.b to -1", set("a.b", Some("-1"), true)),
            ("SET SESSION a TO x, \"$user\", 'y z'", set("a", Some("x, \"$user\", y z"), false)),
            ("SET a TO ''", set("a", Some(""), false)),
            ("SET a TO DEFAULT", set("a", None, false)),
            ("SET TIME ZONE 'Asia/Tokyo'", set("TimeZone", Some("Asia/Tokyo"), false)),
            ("SET TIME ZONE LOCAL", set("TimeZone", None, false)),
            ("SET NAMES 'UTF8'", set("client_encoding", Some("UTF8"), false)),
            ("SET ROLE NONE", Command::Nothing("SET")),
            ("SHOW transaction isolation level", Command::Show("transaction_isolation".into())),
            ("SHOW ALL", Command::ShowAll),
            ("BEGIN", Command::Begin("BEGIN", None)),
            ("BEGIN READ WRITE, NOT DEFERRABLE", Command::Begin("BEGIN", None)),
            (
                "START TRANSACTION READ ONLY, ISOLATION LEVEL REPEATABLE READ",
                Command::Begin("START TRANSACTION", Some("repeatable read".into())),
            ),
            (
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                Command::Isolation { level: Some("serializable".into()), is_local: false },
            ),
            ("SET TRANSACTION READ ONLY", Command::Isolation { level: None, is_local: true }),
            ("END WORK", Command::Commit),
            ("COMMIT AND NO CHAIN", Command::Commit),
            ("ABORT", Command::Rollback),
            ("ROLLBACK TRANSACTION TO SAVEPOINT \"x y\"", Command::RollbackTo),
            ("RELEASE SAVEPOINT x", Command::Nothing("RELEASE")),
            ("UNLISTEN *", Command::Nothing("UNLISTEN")),
            ("DEALLOCATE PREPARE \"_pg3_0\"", Command::Deallocate("_pg3_0".into())),
            ("DISCARD ALL", Command::DiscardAll),
        ];
        for (text, wanted) in known {
            assert_eq!(command(text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn others_are_refused() {
        let wrong = [
            "SET",
            "SET a",
            "SET a =",
            "BEGIN ISOLATION LEVEL x",
            "START",
            "COMMIT x",
            "COMMIT AND CHAIN",
            "COMMIT PREPARED 'x'",
            "SET ROLE me",
            "SHOW",
            "RESET",
            "ROLLBACK TO",
            "SET TRANSACTION SNAPSHOT 'x'",
        ];
        for text in wrong {
            assert!(command(text).is_err(), "{text}");
        }
    }
}
