//! Plans the statements of clients.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use engine::Types;
use pgwire::api::portal::Format;
use pgwire::api::results::FieldInfo;
use pgwire::api::stmt::QueryParser;
use pgwire::api::{ClientInfo, METADATA_USER, Type};
use pgwire::error::PgWireResult;
use pgwire::messages::response::TransactionStatus;
use tokio::sync::Mutex;

use super::catalogue::{Catalogue, of_driver};
use super::copy::Copy;
use super::cursors::Cursors;
use super::errors::{refused, told};
use super::parameters::{Parameter, parameters, said_types};
use super::planned::Planned;
use super::prepared::Names;
use super::settings::Settings;
use super::statements::{Route, divide};
use super::values::{columns, fields};
use super::{commands, cursors, meanings, prepared};
use crate::client::{Client, Door};
use crate::error::ServeError;
use crate::service::{Prepared, Service};

/// Plans the statements of the clients of a server.
pub struct Planner {
    pub service: Arc<Service>,
    /// The catalogue of the newest state that a client has asked about.
    catalogue: Mutex<Option<(u64, Arc<Catalogue>)>>,
}

/// A statement that a connection keeps.
#[derive(Clone)]
pub enum Stored {
    /// One that has rows.
    Rows(Arc<Planned>),
    /// EXECUTE of one with these values.
    Bound(Arc<Planned>, Arc<[ScalarValue]>),
    /// PREPARE of one with this name.
    Kept(Arc<str>, Arc<Planned>),
    /// COPY of its rows.
    Copied(Arc<Planned>, Arc<Copy>),
    /// DECLARE of a cursor for one.
    Declared(Arc<cursors::Command>, Arc<Planned>),
    /// One about a cursor, with the columns of its rows if it gives some.
    Cursor(Arc<cursors::Command>, Option<SchemaRef>),
    /// One about the session.
    Session(Arc<str>),
}

impl Planner {
    pub fn new(service: Arc<Service>) -> Self {
        Self { service, catalogue: Mutex::default() }
    }

    /// Returns who is connected.
    pub fn client<C: ClientInfo>(&self, client: &C) -> PgWireResult<Arc<Client>> {
        if let Some(known) = client.session_extensions().get::<Arc<Client>>() {
            return Ok(Arc::clone(&known));
        }
        let user = client.metadata().get(METADATA_USER).map_or("", String::as_str);
        let made = self.service.client(Door::Postgres, client.socket_addr(), user);
        let made = made.map_err(|error| told(&error, ""))?;
        client.session_extensions().insert(Arc::clone(&made));
        Ok(made)
    }

    async fn catalogue(&self, client: &Client) -> Result<Arc<Catalogue>, ServeError> {
        let snapshot = self.service.snapshot_of(client);
        let mut known = self.catalogue.lock().await;
        if let Some((number, catalogue)) = known.as_ref()
            && *number == snapshot.number
        {
            return Ok(Arc::clone(catalogue));
        }
        let engine = Arc::clone(&snapshot.engine);
        let made = move || async move { Catalogue::new(&engine).await };
        let made = Arc::new(self.service.on_statement_thread(made).await?);
        *known = Some((snapshot.number, Arc::clone(&made)));
        Ok(made)
    }

    /// Plans a statement, of whose parameters the client has said these types.
    pub async fn prepared<C: ClientInfo>(
        &self,
        client: &C,
        text: &str,
        route: Route,
        said: &[Option<Type>],
    ) -> PgWireResult<Stored> {
        if client.transaction_status() == TransactionStatus::Error && route != Route::Session {
            return Err(refused("25P02", "the transaction has failed; end it with ROLLBACK"));
        }
        match route {
            Route::Session => Ok(Stored::Session(text.into())),
            Route::Engine | Route::Catalogue => {
                self.planned(client, text, route, said).await.map(Stored::Rows)
            }
            Route::Copy => {
                let copy = Copy::read(text)?;
                let planned = self.query(client, &copy.query, &[]).await?;
                Ok(Stored::Copied(planned, Arc::new(copy)))
            }
            Route::Cursor => {
                let command = cursors::Command::read(text)?;
                if let cursors::Command::Declare { query, .. } = &command {
                    let planned = self.query(client, query, said).await?;
                    return Ok(Stored::Declared(Arc::new(command), planned));
                }
                let schema = match &command {
                    cursors::Command::Fetch { name, .. } => {
                        Some(Cursors::of(client).get(name)?.schema)
                    }
                    _ => None,
                };
                Ok(Stored::Cursor(Arc::new(command), schema))
            }
            Route::Prepared => match prepared::Command::read(text)? {
                prepared::Command::Prepare { name, types, query } => {
                    let planned = self.query(client, &query, &types).await?;
                    Ok(Stored::Kept(name.into(), planned))
                }
                prepared::Command::Execute { name, values } => {
                    let planned = Names::of(client).get(&name)?;
                    let values = self.values(client, values.as_deref(), &planned).await?;
                    Ok(Stored::Bound(planned, values.into()))
                }
            },
        }
    }

    /// Plans a query that is a part of a statement.
    async fn query<C: ClientInfo>(
        &self,
        client: &C,
        query: &str,
        said: &[Option<Type>],
    ) -> PgWireResult<Arc<Planned>> {
        match divide(query).as_slice() {
            [(_, route @ (Route::Engine | Route::Catalogue))] => {
                self.planned(client, query, *route, said).await
            }
            _ => Err(refused("42601", "a query is expected")),
        }
    }

    /// Computes the values of EXECUTE.
    async fn values<C: ClientInfo>(
        &self,
        client: &C,
        written: Option<&str>,
        planned: &Planned,
    ) -> PgWireResult<Vec<ScalarValue>> {
        let mut values = Vec::new();
        if let Some(written) = written {
            // In place of the blanks.
            let begin = written.len() - written.trim_start().len();
            let query = format!("SELECT {}", written.get(begin..).unwrap_or_default());
            let computed = self.query(client, &query, &[]).await?;
            let who = self.client(client)?;
            let rows = self.service.run(&who, &computed.prepared, Vec::new()).await;
            let batch = rows.map_err(|error| told(&error, &query))?.next().await;
            let batch = batch.transpose().map_err(|error| told(&error, &query))?;
            for column in batch.iter().flat_map(RecordBatch::columns) {
                let value = ScalarValue::try_from_array(column, 0);
                values.push(value.map_err(|error| refused("22000", error.to_string()))?);
            }
        }
        let (given, wanted) = (values.len(), planned.parameters.len());
        if given != wanted {
            return Err(refused("42601", format!("{given} values for {wanted} parameters")));
        }
        let typed = planned.parameters.iter().zip(values).enumerate();
        typed.map(|(nth, (parameter, value))| parameter.cast(value, nth + 1)).collect()
    }

    /// Plans a query about the catalogue.
    async fn of_catalogue(
        &self,
        who: &Client,
        text: &str,
        settings: Arc<Settings>,
    ) -> Result<Prepared, ServeError> {
        let catalogue = self.catalogue(who).await?;
        let (owned, user) = (text.to_owned(), who.user.clone());
        let plan = move || async move { catalogue.ready(&owned, &settings, &user).await };
        let ready = self.service.on_statement_thread(plan).await?;
        Ok(Prepared::fixed(text, ready))
    }

    /// Plans a query.
    async fn planned<C: ClientInfo>(
        &self,
        client: &C,
        text: &str,
        route: Route,
        said: &[Option<Type>],
    ) -> PgWireResult<Arc<Planned>> {
        let who = self.client(client)?;
        let prepared = if route == Route::Catalogue {
            let prepared = self.of_catalogue(&who, text, Settings::of(client, &self.service)).await;
            prepared.inspect_err(|error| self.service.failed(&who, text, error))
        } else {
            let types = Types { parameters: said_types(said), time_zone: Some("UTC".into()) };
            self.service.prepare(&who, &meanings::rewritten(text)?, types).await
        };
        let inferred = prepared.and_then(|it| it.parameters().map(|known| (it, known)));
        let (prepared, inferred) = inferred.map_err(|error| told(&error, text))?;
        let of_driver = if route == Route::Catalogue { of_driver(text) } else { &[] };
        let parameters = parameters(if said.is_empty() { of_driver } else { said }, &inferred);
        let types = parameters.iter().map(|it| Some(it.data_type())).collect();
        let prepared = self.service.typed(&who, prepared, types).await;
        let prepared = prepared.map_err(|error| told(&error, text))?;
        let nulls = parameters.iter().map(Parameter::null).collect::<PgWireResult<Vec<_>>>()?;
        let schema = prepared.schema_with(nulls).map_err(|error| told(&error, text))?;
        Ok(Arc::new(Planned { prepared, parameters, schema }))
    }
}

#[async_trait]
impl QueryParser for Planner {
    type Statement = Stored;

    async fn parse_sql<C>(
        &self,
        client: &C,
        sql: &str,
        said: &[Option<Type>],
    ) -> PgWireResult<Option<Stored>>
    where
        C: ClientInfo + Unpin + Send + Sync,
    {
        match divide(sql).as_slice() {
            [] => Ok(None),
            [(text, route)] => self.prepared(client, text, *route, said).await.map(Some),
            _ => Err(refused("42601", "several statements cannot be prepared as one")),
        }
    }

    fn get_parameter_types(&self, statement: &Stored) -> PgWireResult<Vec<Type>> {
        match statement {
            Stored::Rows(planned) | Stored::Declared(_, planned) => {
                Ok(planned.parameters.iter().map(|parameter| parameter.pg.clone()).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn get_result_schema(
        &self,
        statement: &Stored,
        format: Option<&Format>,
    ) -> PgWireResult<Vec<FieldInfo>> {
        let format = format.unwrap_or(&Format::UnifiedText);
        match statement {
            Stored::Rows(planned) | Stored::Bound(planned, _) => {
                Ok(fields(&planned.columns(format)?))
            }
            Stored::Cursor(_, Some(schema)) => Ok(fields(&columns(schema, format)?)),
            Stored::Session(text) => Ok(commands::columns(text)),
            _ => Ok(Vec::new()),
        }
    }
}
