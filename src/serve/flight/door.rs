//! Answers the calls of clients.
//!
//! A client asks for a statement and gets a ticket (`get_flight_info`), with which it asks for the rows (`do_get`). Only then
//! the statement runs. A ticket is good for one time.

use std::pin::Pin;

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::{
    Command, CommandPreparedStatementQuery, DoPutPreparedStatementResult, ProstMessageExt,
    TicketStatementQuery,
};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightEndpoint, FlightInfo,
    HandshakeRequest, HandshakeResponse, PollInfo, PutResult, SchemaAsIpc, SchemaResult, Ticket,
};
use async_trait::async_trait;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::IpcWriteOptions;
use futures::{Stream, StreamExt, stream};
use prost::Message;
use tokio::time::{Instant, timeout};
use tonic::{Request, Response, Status, Streaming};

use super::about;
use super::actions::actions;
use super::errors::{internal, refused, told, wrong};
use super::handles::Bound;
use super::incoming::LOGIN;
use super::logins::Login;
use super::parameters;
use super::sending::{Messages, plain, sent, whole};
use super::statements::{Flight, command, without_transaction};
use crate::error::ServeError;

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Flight {
    /// Returns where a client gets the answer to a command.
    async fn info(&self, login: &Login, asked: &FlightDescriptor) -> Result<FlightInfo, Status> {
        let bound = match command(&asked.cmd)? {
            Command::CommandStatementQuery(query) => {
                without_transaction(query.transaction_id.as_ref())?;
                self.planned(login, &query.query).await?
            }
            Command::CommandPreparedStatementQuery(query) => {
                self.handles.prepared(&login.user, &query.prepared_statement_handle)?
            }
            question => {
                let columns = about::columns(&question).ok_or_else(|| unsupported(&question))?;
                let ticket = Ticket::new(question.into_any().encode_to_vec());
                return described(ticket, Some(&columns));
            }
        };
        parameters::check(&bound)?;
        let columns = known_columns(&bound);
        let handle = self.handles.keep_waiting(&login.user, bound)?;
        let ticket = TicketStatementQuery { statement_handle: handle.to_vec().into() };
        described(Ticket::new(ticket.as_any().encode_to_vec()), columns.as_ref())
    }

    /// Returns the columns of the answer to a command.
    async fn columns(&self, login: &Login, asked: &FlightDescriptor) -> Result<SchemaRef, Status> {
        match command(&asked.cmd)? {
            Command::CommandStatementQuery(query) => {
                without_transaction(query.transaction_id.as_ref())?;
                Ok(plain(&self.planned(login, &query.query).await?.prepared.schema()))
            }
            Command::CommandPreparedStatementQuery(query) => {
                let handle = &query.prepared_statement_handle;
                Ok(plain(&self.handles.prepared(&login.user, handle)?.prepared.schema()))
            }
            question => about::columns(&question).ok_or_else(|| unsupported(&question)),
        }
    }

    /// Runs a statement that waits.
    async fn rows(&self, login: &Login, handle: &[u8]) -> Result<Messages, Status> {
        let (call, begun) = (login.call(), Instant::now());
        let (bound, running) = self.handles.start(&login.user, handle)?;
        let rows = self.service.run(&login.client, &bound.prepared, bound.values.to_vec());
        let rows = tokio::select! {
            rows = rows => rows,
            () = running.stop.cancelled() => Err(ServeError::Cancelled),
        };
        let rows = rows.map_err(|error| told(&error))?;
        Ok(sent(rows, (begun, self.service.limits.time), running, call))
    }

    /// Keeps values for a prepared statement.
    async fn bind(
        &self,
        login: &Login,
        asked: &CommandPreparedStatementQuery,
        messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static,
    ) -> Result<PutResult, Status> {
        let handle = &asked.prepared_statement_handle;
        let types = self.handles.prepared(&login.user, handle)?.types;
        let values = parameters::read(messages, &types).await?;
        self.handles.bind(&login.user, handle, values)?;
        let result =
            DoPutPreparedStatementResult { prepared_statement_handle: Some(handle.clone()) };
        Ok(PutResult { app_metadata: result.encode_to_vec().into() })
    }
}

#[async_trait]
impl FlightService for Flight {
    type HandshakeStream = Answers<HandshakeResponse>;
    type ListFlightsStream = Answers<FlightInfo>;
    type DoGetStream = Messages;
    type DoPutStream = Answers<PutResult>;
    type DoActionStream = Answers<arrow_flight::Result>;
    type ListActionsStream = Answers<ActionType>;
    type DoExchangeStream = Messages;

    async fn handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        let login = Login::of(request.extensions())?;
        let (answer, header) = self.logins.token(&login)?;
        let mut response = Response::new(one(answer));
        response.metadata_mut().insert("authorization", header);
        Ok(response)
    }

    async fn get_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let (login, asked) = (Login::of(request.extensions())?, request.into_inner());
        let _call = login.call();
        let info = self.info(&login, &asked).await?;
        Ok(Response::new(info.with_descriptor(asked)))
    }

    async fn poll_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<PollInfo>, Status> {
        let info = self.get_flight_info(request).await?.into_inner();
        // Without a descriptor to ask for more, it is complete.
        Ok(Response::new(PollInfo::new().with_info(info)))
    }

    async fn get_schema(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<SchemaResult>, Status> {
        let (login, asked) = (Login::of(request.extensions())?, request.into_inner());
        let _call = login.call();
        let columns = self.columns(&login, &asked).await?;
        let options = IpcWriteOptions::default();
        let result: Result<SchemaResult, ArrowError> =
            SchemaAsIpc::new(&columns, &options).try_into();
        Ok(Response::new(result.map_err(|error| internal(&error))?))
    }

    async fn do_get(
        &self,
        request: Request<Ticket>,
    ) -> Result<Response<Self::DoGetStream>, Status> {
        let (login, ticket) = (Login::of(request.extensions())?, request.into_inner());
        let _call = login.call();
        let messages = match command(&ticket.ticket)? {
            Command::TicketStatementQuery(ticket) => {
                self.rows(&login, &ticket.statement_handle).await?
            }
            Command::CommandPreparedStatementQuery(query) => {
                let handle = &query.prepared_statement_handle;
                let bound = self.handles.prepared(&login.user, handle)?;
                parameters::check(&bound)?;
                let handle = self.handles.keep_waiting(&login.user, bound)?;
                self.rows(&login, &handle).await?
            }
            question => whole(about::answer(&self.service, question).await?),
        };
        Ok(Response::new(messages))
    }

    async fn do_put(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        let (login, mut messages) = (Login::of(request.extensions())?, request.into_inner());
        let _call = login.call();
        let first = timeout(LOGIN, messages.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("no message arrives"))??;
        let first = first.ok_or_else(|| wrong("no message has arrived"))?;
        let asked = first.flight_descriptor.as_ref();
        let asked = asked.ok_or_else(|| wrong("the first message has no descriptor"))?;
        let result = match command(&asked.cmd)? {
            Command::CommandPreparedStatementQuery(query) => {
                let messages = stream::iter([Ok(first)]).chain(messages);
                self.bind(&login, &query, messages).await?
            }
            Command::CommandStatementUpdate(_) | Command::CommandPreparedStatementUpdate(_) => {
                return Err(refused("statements that change something"));
            }
            Command::CommandStatementIngest(_) => return Err(refused("ingestion")),
            other => return Err(unsupported(&other)),
        };
        Ok(Response::new(one(result)))
    }

    async fn do_action(
        &self,
        request: Request<Action>,
    ) -> Result<Response<Self::DoActionStream>, Status> {
        let (login, action) = (Login::of(request.extensions())?, request.into_inner());
        let _call = login.call();
        let answer = self.act(&login, &action).await?;
        let answer = answer.map(|body| Ok(arrow_flight::Result { body: body.into() }));
        Ok(Response::new(Box::pin(stream::iter(answer))))
    }

    async fn list_actions(
        &self,
        _: Request<Empty>,
    ) -> Result<Response<Self::ListActionsStream>, Status> {
        Ok(Response::new(Box::pin(stream::iter(actions().into_iter().map(Ok)))))
    }

    async fn list_flights(
        &self,
        _: Request<Criteria>,
    ) -> Result<Response<Self::ListFlightsStream>, Status> {
        Err(Status::unimplemented("flights are not listed; ask for tables"))
    }

    async fn do_exchange(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        Err(refused("exchange"))
    }
}

/// Returns the columns of a statement; `None` if they depend on the types of values that are not known.
fn known_columns(bound: &Bound) -> Option<SchemaRef> {
    let is_known = bound.types.iter().all(Option::is_some);
    is_known.then(|| plain(&bound.prepared.schema()))
}

fn described(ticket: Ticket, columns: Option<&SchemaRef>) -> Result<FlightInfo, Status> {
    let endpoint = FlightEndpoint::new().with_ticket(ticket);
    let info = FlightInfo::new().with_endpoint(endpoint).with_ordered(true);
    match columns {
        Some(columns) => {
            let columns: &Schema = columns;
            info.try_with_schema(columns).map_err(|error| internal(&error))
        }
        None => Ok(info),
    }
}

fn unsupported(command: &Command) -> Status {
    let name = command.type_url().rsplit('.').next().unwrap_or_default().to_owned();
    Status::unimplemented(format!("{name} is not supported; this server answers SQL"))
}

fn one<T: Send + 'static>(answer: T) -> Answers<T> {
    Box::pin(stream::once(async { Ok(answer) }))
}
