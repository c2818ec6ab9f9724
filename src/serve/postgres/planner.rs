//! Plans the statements of clients.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::DataType;
use pgwire::api::portal::Format;
use pgwire::api::results::FieldInfo;
use pgwire::api::stmt::QueryParser;
use pgwire::api::{ClientInfo, METADATA_USER, Type};
use pgwire::error::PgWireResult;
use pgwire::messages::response::TransactionStatus;
use tokio::sync::Mutex;

use super::catalogue::Catalogue;
use super::commands;
use super::description::{fields, types};
use super::errors::{refused, told};
use super::settings::Settings;
use super::statements::{Route, divide};
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
    /// One that has rows, with the types of its parameters.
    Rows(Arc<Prepared>, Arc<[Option<DataType>]>),
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

    /// Plans a statement.
    pub async fn prepared<C: ClientInfo>(
        &self,
        client: &C,
        text: &str,
        route: Route,
    ) -> PgWireResult<Stored> {
        if client.transaction_status() == TransactionStatus::Error && route != Route::Session {
            return Err(refused("25P02", "the transaction has failed; end it with ROLLBACK"));
        }
        let who = self.client(client)?;
        let prepared = match route {
            Route::Session => return Ok(Stored::Session(text.into())),
            Route::Cursor => {
                return Err(refused(
                    "0A000",
                    "cursors are not supported; results are streamed, and a portal gives rows in parts",
                ));
            }
            Route::Engine => self.service.prepare(&who, text).await,
            Route::Catalogue => {
                let settings = Settings::of(client, &self.service);
                let prepare = async {
                    let catalogue = self.catalogue(&who).await?;
                    let owned = text.to_owned();
                    let plan = move || async move { catalogue.ready(&owned, &settings).await };
                    let ready = self.service.on_statement_thread(plan).await?;
                    Ok(Prepared::fixed(text, ready))
                };
                let prepared = prepare.await;
                prepared.inspect_err(|error| self.service.failed(&who, text, error))
            }
        };
        let parameters = prepared.and_then(|it| it.parameters().map(|known| (it, known)));
        let (prepared, parameters) = parameters.map_err(|error| told(&error, text))?;
        Ok(Stored::Rows(Arc::new(prepared), parameters.into()))
    }
}

#[async_trait]
impl QueryParser for Planner {
    type Statement = Stored;

    async fn parse_sql<C>(
        &self,
        client: &C,
        sql: &str,
        _: &[Option<Type>],
    ) -> PgWireResult<Option<Stored>>
    where
        C: ClientInfo + Unpin + Send + Sync,
    {
        match divide(sql).as_slice() {
            [] => Ok(None),
            [(text, route)] => self.prepared(client, text, *route).await.map(Some),
            _ => Err(refused("42601", "several statements cannot be prepared as one")),
        }
    }

    fn get_parameter_types(&self, statement: &Stored) -> PgWireResult<Vec<Type>> {
        match statement {
            Stored::Rows(_, parameters) => types(parameters),
            Stored::Session(_) => Ok(Vec::new()),
        }
    }

    fn get_result_schema(
        &self,
        statement: &Stored,
        format: Option<&Format>,
    ) -> PgWireResult<Vec<FieldInfo>> {
        match statement {
            Stored::Rows(prepared, _) => {
                fields(&prepared.schema(), format.unwrap_or(&Format::UnifiedText), None)
            }
            Stored::Session(text) => Ok(commands::columns(text)),
        }
    }
}
