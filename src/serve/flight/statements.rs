//! What answers calls, and the statements that they name.

use std::sync::Arc;

use arrow_flight::sql::{Any, Command};
use bytes::Bytes;
use engine::Types;
use prost::Message;
use tonic::Status;

use super::errors::{refused, told, wrong};
use super::handles::{Bound, Handles};
use super::logins::{Login, Logins};
use super::parameters::numbered;
use crate::service::Service;

/// Answers the calls of clients.
pub struct Flight {
    pub service: Arc<Service>,
    pub logins: Arc<Logins>,
    pub handles: Arc<Handles>,
}

impl Flight {
    pub const fn new(service: Arc<Service>, logins: Arc<Logins>, handles: Arc<Handles>) -> Self {
        Self { service, logins, handles }
    }

    /// Plans a statement.
    pub async fn planned(&self, login: &Login, text: &str) -> Result<Bound, Status> {
        let prepared = self.service.prepare(&login.client, &numbered(text), Types::default()).await;
        let prepared = prepared.map_err(|error| told(&error))?;
        let types = prepared.parameters().map_err(|error| told(&error))?.into();
        Ok(Bound { prepared: Arc::new(prepared), types, values: [].into() })
    }
}

/// Returns the command of a descriptor or ticket.
pub fn command(bytes: &[u8]) -> Result<Command, Status> {
    let any = Any::decode(bytes);
    let any = any.map_err(|error| wrong(format!("not a command of Flight SQL: {error}")))?;
    Command::try_from(any).map_err(|error| wrong(error.to_string()))
}

/// Fails for a transaction, as none has begun.
pub(crate) fn without_transaction(transaction: Option<&Bytes>) -> Result<(), Status> {
    match transaction {
        Some(transaction) if !transaction.is_empty() => Err(refused("transactions")),
        _ => Ok(()),
    }
}
