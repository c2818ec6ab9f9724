//! Answers the messages of a client: simple queries, and prepared statements with parameters and portals.
//!
//! Rows are sent as they come. pgwire's own way for portals collects all of them first, and lets a client stop a statement
//! only until its first row.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::channel::oneshot;
use futures::{Sink, SinkExt};
use pgwire::api::portal::{Format, Portal, PortalExecutionState};
use pgwire::api::query::{
    ExtendedQueryHandler, SimpleQueryHandler, send_describe_response, send_execution_response,
    send_partial_query_response, send_query_response, send_ready_for_query,
};
use pgwire::api::results::{DescribePortalResponse, Response};
use pgwire::api::stmt::StoredStatement;
use pgwire::api::store::{Entry, PortalStore};
use pgwire::api::{
    ClientInfo, ClientPortalStore, ConnectionHandle, DEFAULT_NAME, PgWireConnectionState,
};
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::extendedquery::{
    Bind, BindComplete, Close, CloseComplete, Describe, Execute, Parse, ParseComplete,
    TARGET_TYPE_BYTE_PORTAL, TARGET_TYPE_BYTE_STATEMENT,
};
use pgwire::messages::response::{EmptyQueryResponse, TransactionStatus};
use pgwire::messages::simplequery::Query;
use pgwire::messages::startup::ParameterStatus;
use tokio::time::timeout;

use super::answers::Outcome;
use super::cursors::Cursors;
use super::errors::{refused, told};
use super::parameters::bound;
use super::planner::{Planner, Stored};
use super::prepared::Names;
use super::settings::Settings;
use super::statements::{Route, divide};
use super::values::fields;
use crate::error::ServeError;
use crate::service::Service;

/// Answers the clients of a server.
pub struct Session(Arc<Planner>);

impl Session {
    pub fn new(service: Arc<Service>) -> Self {
        Self(Arc::new(Planner::new(service)))
    }

    /// Answers one statement of a simple query.
    async fn answer<C>(&self, client: &mut C, text: &str, route: Route) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        let stored = self.0.prepared(client, text, route, &[]).await?;
        if let Stored::Rows(planned) | Stored::Declared(_, planned) = &stored
            && !planned.parameters.is_empty()
        {
            return Err(refused("42P02", "there is no parameter $1"));
        }
        match self.0.outcome(client, &stored, Vec::new(), &Format::UnifiedText).await? {
            Outcome::Told(Response::Query(rows)) => send_query_response(client, rows, true).await,
            Outcome::Told(other) => send_without_rows(client, other).await,
            Outcome::Copied(copied) => copied.send(client).await,
        }
    }
}

/// What the client of a statement may still do: stop it.
type Stop = Option<oneshot::Receiver<()>>;

/// Waits for an answer, unless the client stops it or it takes too long.
async fn in_time(
    limit: Duration,
    stop: &mut Stop,
    answer: impl Future<Output = PgWireResult<()>>,
) -> PgWireResult<()> {
    let stopped = async {
        // A handle that is dropped does not stop the statement.
        if let Some(stop) = stop
            && stop.await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        answered = timeout(limit, answer) => {
            answered.unwrap_or_else(|_| Err(told(&ServeError::time(limit), "")))
        }
        () = stopped => Err(told(&ServeError::Cancelled, "")),
    }
}

/// Tells a client of settings that have changed.
async fn tell_changes<C>(
    client: &mut C,
    before: &BTreeMap<&'static str, String>,
    settings: &Settings,
) -> PgWireResult<()>
where
    C: Sink<PgWireBackendMessage> + Unpin,
    PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
{
    for (name, value) in settings.told() {
        if before.get(name) != Some(&value) {
            let status = ParameterStatus::new(name.to_owned(), value);
            client.feed(PgWireBackendMessage::ParameterStatus(status)).await?;
        }
    }
    Ok(())
}

/// Sends an answer without rows.
async fn send_without_rows<C>(client: &mut C, answer: Response) -> PgWireResult<()>
where
    C: ClientInfo + Sink<PgWireBackendMessage> + Unpin,
    C::Error: Debug,
    PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
{
    let status = client.transaction_status();
    match answer {
        Response::Execution(tag) => send_execution_response(client, tag).await,
        Response::TransactionStart(tag) => {
            // Also after an error, back at a savepoint.
            client.set_transaction_status(TransactionStatus::Transaction);
            send_execution_response(client, tag).await
        }
        Response::TransactionEnd(tag) => {
            client.set_transaction_status(status.to_idle_state());
            send_execution_response(client, tag).await
        }
        Response::Error(error) => Err(PgWireError::UserError(error)),
        _ => {
            let empty = PgWireBackendMessage::EmptyQueryResponse(EmptyQueryResponse::new());
            Ok(client.feed(empty).await?)
        }
    }
}

async fn stop_of<C: ClientInfo>(client: &C) -> Stop {
    let handle = client.session_extensions().get::<Arc<ConnectionHandle>>()?;
    Some(handle.start_query().await)
}

#[async_trait]
impl SimpleQueryHandler for Session {
    async fn on_query<C>(&self, client: &mut C, query: Query) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        if !matches!(client.state(), PgWireConnectionState::ReadyForQuery) {
            return Err(PgWireError::NotReadyForQuery);
        }
        client.set_state(PgWireConnectionState::QueryInProgress);
        let mut stop = stop_of(client).await;
        let settings = self.0.settings(client);
        let before = settings.told();
        let statements = divide(&query.query);
        if statements.is_empty() {
            send_without_rows(client, Response::EmptyQuery).await?;
        }
        let kept = settings.session();
        for (text, route) in statements {
            let answer = self.answer(client, text, route);
            let answered = in_time(settings.time(), &mut stop, answer).await;
            answered.inspect_err(|_| settings.take_back(&kept))?;
        }
        tell_changes(client, &before, &settings).await?;
        client.set_state(PgWireConnectionState::ReadyForQuery);
        let status = client.transaction_status();
        send_ready_for_query(client, status).await
    }

    async fn do_query<C>(&self, _: &mut C, _: &str) -> PgWireResult<Vec<Response>>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        // `on_query` answers.
        Ok(Vec::new())
    }
}

#[async_trait]
impl ExtendedQueryHandler for Session {
    type Statement = Stored;
    type QueryParser = Planner;

    fn query_parser(&self) -> Arc<Planner> {
        Arc::clone(&self.0)
    }

    async fn on_parse<C>(&self, client: &mut C, message: Parse) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore<Statement = Stored>,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        let name = message.name.clone().unwrap_or_else(|| DEFAULT_NAME.to_owned());
        let names = Names::of(client);
        names.add(&name)?;
        match StoredStatement::parse(client, &message, self.query_parser()).await {
            Ok(Some(statement)) => client.portal_store().put_statement(Arc::new(statement)),
            Ok(None) => client.portal_store().put_empty_statement(&name),
            Err(error) => {
                if client.portal_store().get_statement(&name).is_none() {
                    names.remove(&name);
                }
                return Err(error);
            }
        }
        Ok(client.feed(PgWireBackendMessage::ParseComplete(ParseComplete::new())).await?)
    }

    async fn on_bind<C>(&self, client: &mut C, message: Bind) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore<Statement = Stored>,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        let name = message.statement_name.as_deref().unwrap_or(DEFAULT_NAME);
        let formats = message.parameter_format_codes.len();
        if formats > 1 && formats != message.parameters.len() {
            let given = message.parameters.len();
            return Err(refused("08P01", format!("{formats} formats for {given} values")));
        }
        match client.portal_store().get_statement(name) {
            Some(Entry::Value(statement)) => {
                let portal = Portal::try_new(&message, statement)?;
                client.portal_store().put_portal(Arc::new(portal));
            }
            Some(Entry::Empty) => {
                let portal = message.portal_name.as_deref().unwrap_or(DEFAULT_NAME);
                client.portal_store().put_empty_portal(portal);
            }
            None => return Err(PgWireError::StatementNotFound(name.to_owned())),
        }
        Ok(client.feed(PgWireBackendMessage::BindComplete(BindComplete::new())).await?)
    }

    async fn on_close<C>(&self, client: &mut C, message: Close) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore<Statement = Stored>,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        let name = message.name.as_deref().unwrap_or(DEFAULT_NAME);
        if message.target_type == TARGET_TYPE_BYTE_STATEMENT {
            Names::of(client).remove(name);
            client.portal_store().rm_statement(name);
        } else {
            client.portal_store().rm_portal(name);
        }
        Ok(client.feed(PgWireBackendMessage::CloseComplete(CloseComplete::new())).await?)
    }

    async fn on_execute<C>(&self, client: &mut C, message: Execute) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore<Statement = Stored>,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        if !matches!(client.state(), PgWireConnectionState::ReadyForQuery) {
            return Err(PgWireError::NotReadyForQuery);
        }
        let name = message.name.as_deref().unwrap_or(DEFAULT_NAME);
        let portal = match client.portal_store().get_portal(name) {
            Some(Entry::Value(portal)) => portal,
            Some(Entry::Empty) => return send_without_rows(client, Response::EmptyQuery).await,
            None => return Err(PgWireError::PortalNotFound(name.to_owned())),
        };
        let most = usize::try_from(message.max_rows).unwrap_or_default();
        client.set_state(PgWireConnectionState::QueryInProgress);
        let mut stop = stop_of(client).await;
        let settings = self.0.settings(client);
        let before = settings.told();
        in_time(settings.time(), &mut stop, self.advance(client, &portal, most)).await?;
        tell_changes(client, &before, &settings).await?;
        client.set_state(PgWireConnectionState::ReadyForQuery);
        Ok(())
    }

    async fn do_query<C>(
        &self,
        client: &mut C,
        portal: &Portal<Stored>,
        _: usize,
    ) -> PgWireResult<Response>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        // `advance` answers, also those that copy.
        match self.bound(client, portal).await? {
            Outcome::Told(response) => Ok(response),
            Outcome::Copied(_) => Err(refused("0A000", "a copy is no result")),
        }
    }

    async fn on_describe<C>(&self, client: &mut C, message: Describe) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore<Statement = Stored>,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        // A cursor is a portal.
        if message.target_type == TARGET_TYPE_BYTE_PORTAL
            && let Some(cursor) =
                message.name.as_ref().and_then(|it| Cursors::of(client).get(it).ok())
        {
            let columns = cursor.columns(&Format::UnifiedText)?;
            let described = DescribePortalResponse::new(fields(&columns));
            return send_describe_response(client, &described).await;
        }
        self._on_describe(client, message).await
    }
}

impl Session {
    /// Runs the statement of a portal.
    async fn bound<C>(&self, client: &mut C, portal: &Portal<Stored>) -> PgWireResult<Outcome>
    where
        C: ClientInfo + ClientPortalStore + Send + Sync,
        C::PortalStore: PortalStore,
    {
        let stored = &portal.statement.statement;
        let values = match stored {
            Stored::Rows(planned) | Stored::Declared(_, planned) => {
                bound(portal, &planned.parameters)?
            }
            _ => bound(portal, &[])?,
        };
        self.0.outcome(client, stored, values, &portal.result_column_format).await
    }

    /// Sends the next rows of a portal, at most so many if that is not 0.
    async fn advance<C>(
        &self,
        client: &mut C,
        portal: &Portal<Stored>,
        most: usize,
    ) -> PgWireResult<()>
    where
        C: ClientInfo + ClientPortalStore + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::PortalStore: PortalStore<Statement = Stored>,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        let state = portal.state();
        let mut state = state.lock().await;
        if matches!(*state, PortalExecutionState::Initial) {
            match self.bound(client, portal).await? {
                Outcome::Told(Response::Query(rows)) => {
                    *state = PortalExecutionState::Suspended(rows);
                }
                Outcome::Copied(copied) => {
                    *state = PortalExecutionState::Finished;
                    return copied.send(client).await;
                }
                Outcome::Told(other) => {
                    *state = PortalExecutionState::Finished;
                    return send_without_rows(client, other).await;
                }
            }
        }
        let PortalExecutionState::Suspended(rows) = &mut *state else {
            return Err(refused("55000", "the portal has given all of its rows"));
        };
        if !send_partial_query_response(client, rows, most).await? {
            *state = PortalExecutionState::Finished;
        }
        Ok(())
    }
}
