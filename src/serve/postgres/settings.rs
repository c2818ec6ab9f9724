//! Statements about the session: settings and transactions. There is nothing to change, so they are answered as clients
//! expect and change nothing but what this connection shows.

use datafusion::execution::context::SessionContext;
use datafusion_postgres::datafusion_pg_catalog::sql::PostgresCompatibilityParser;
use datafusion_postgres::hooks::set_show::SetShowHook;
use datafusion_postgres::hooks::transactions::TransactionStatementHook;
use datafusion_postgres::hooks::{HookClient, QueryHook};
use datafusion_postgres::pgwire::api::Type;
use datafusion_postgres::pgwire::api::results::{FieldFormat, FieldInfo, Response, Tag};
use datafusion_postgres::pgwire::error::PgWireResult;

use super::errors::refused;

/// First words of statements that change nothing here.
const WITHOUT_EFFECT: &[&str] =
    &["DEALLOCATE", "DISCARD", "RELEASE", "RESET", "SAVEPOINT", "UNLISTEN"];

/// Answers a statement about the session.
pub async fn answer(
    text: &str,
    context: &SessionContext,
    client: &mut dyn HookClient,
) -> PgWireResult<Response> {
    let first = text.split_whitespace().next().unwrap_or_default().to_uppercase();
    // These begin or end what a connection does not have here: savepoints, listeners, temporary tables, plans of the server.
    if let Some(tag) = WITHOUT_EFFECT.iter().find(|it| **it == first) {
        return Ok(Response::Execution(Tag::new(tag)));
    }
    // Back to a savepoint: the transaction goes on, also if it has failed.
    if first == "ROLLBACK" && text.split_whitespace().any(|word| word.eq_ignore_ascii_case("TO")) {
        return Ok(Response::TransactionStart(Tag::new("ROLLBACK")));
    }
    let parsed = PostgresCompatibilityParser::new().parse(text);
    let parsed = parsed.map_err(|error| refused("42601", error.to_string()))?;
    let Some(statement) = parsed.first() else { return Ok(Response::EmptyQuery) };
    let hooks: [&dyn QueryHook; 2] = [&TransactionStatementHook, &SetShowHook];
    for hook in hooks {
        if let Some(answered) = hook.handle_simple_query(statement, context, client).await {
            return answered;
        }
    }
    Err(refused("0A000", format!("{first} is not supported; this server only reads")))
}

/// Returns the columns of what [`answer`] returns.
pub fn columns(text: &str) -> Vec<FieldInfo> {
    let mut words = text.split_whitespace();
    let is_shown = words.next().is_some_and(|word| word.eq_ignore_ascii_case("SHOW"));
    let name = words.collect::<Vec<_>>().join(" ").to_lowercase();
    let column = FieldInfo::new(name, None, None, Type::VARCHAR, FieldFormat::Text);
    if is_shown { vec![column] } else { Vec::new() }
}
