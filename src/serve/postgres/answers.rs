//! What statements answer: rows, copies, cursors, and words about the session.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use pgwire::api::portal::Format;
use pgwire::api::results::{Response, Tag};
use pgwire::api::store::PortalStore;
use pgwire::api::{ClientInfo, ClientPortalStore};
use pgwire::error::PgWireResult;
use pgwire::messages::response::TransactionStatus;

use super::commands;
use super::copied::Copied;
use super::cursors::{Command, Cursor, Cursors};
use super::errors::{refused, told};
use super::planned::Planned;
use super::planner::{Planner, Stored};
use super::prepared::Names;
use super::response::response;
use super::settings::Settings;
use super::values::as_described;
use crate::rows::Rows;

/// What a statement answers.
pub enum Outcome {
    /// As most do.
    Told(Response),
    /// By copying rows.
    Copied(Box<Copied>),
}

impl Planner {
    /// Runs a statement with values for its parameters.
    pub(super) async fn outcome<C>(
        &self,
        client: &mut C,
        stored: &Stored,
        values: Vec<ScalarValue>,
        format: &Format,
    ) -> PgWireResult<Outcome>
    where
        C: ClientInfo + ClientPortalStore + Send + Sync,
        C::PortalStore: PortalStore,
    {
        let done = |tag: Tag| Outcome::Told(Response::Execution(tag));
        Ok(match stored {
            Stored::Rows(planned) => self.rows(client, planned, values, format).await?,
            Stored::Bound(planned, values) => {
                self.rows(client, planned, values.to_vec(), format).await?
            }
            Stored::Kept(name, planned) => {
                Names::of(client).keep(name, planned)?;
                done(Tag::new("PREPARE"))
            }
            Stored::Copied(planned, copy) => {
                let described = planned.columns(&copy.format())?;
                let rows = self.run(client, planned, values).await?;
                let columns = as_described(described, &rows.schema);
                let options = self.settings(client).format();
                let statement = Arc::clone(&planned.prepared.text);
                let copy = Arc::clone(copy);
                Outcome::Copied(Box::new(Copied {
                    rows,
                    columns: columns.into(),
                    options,
                    copy,
                    statement,
                }))
            }
            Stored::Declared(command, planned) => {
                self.declare(client, command, planned, values).await?;
                done(Tag::new("DECLARE CURSOR"))
            }
            Stored::Cursor(command, _) => {
                let cursors = Cursors::of(client);
                match &**command {
                    Command::Fetch { name, most } => {
                        let options = self.settings(client).format();
                        let rows = cursors.get(name)?.fetch(*most, format, options).await?;
                        Outcome::Told(Response::Query(rows))
                    }
                    Command::Move { name, most } => {
                        let skipped = cursors.get(name)?.skip(*most).await?;
                        done(Tag::new("MOVE").with_rows(skipped))
                    }
                    Command::Close(name) => {
                        cursors.close(name)?;
                        done(Tag::new("CLOSE CURSOR"))
                    }
                    Command::CloseAll | Command::Declare { .. } => {
                        cursors.close_all();
                        done(Tag::new("CLOSE CURSOR ALL"))
                    }
                }
            }
            Stored::Session(text) => Outcome::Told(self.about_session(client, text)?),
        })
    }

    /// Runs a query.
    async fn run<C: ClientInfo>(
        &self,
        client: &C,
        planned: &Planned,
        values: Vec<ScalarValue>,
    ) -> PgWireResult<Rows> {
        let (who, prepared) = (self.client(client)?, &planned.prepared);
        let rows = self.service.run(&who, prepared, values).await;
        rows.map_err(|error| told(&error, &prepared.text))
    }

    async fn rows<C: ClientInfo>(
        &self,
        client: &C,
        planned: &Planned,
        values: Vec<ScalarValue>,
        format: &Format,
    ) -> PgWireResult<Outcome> {
        let options = self.settings(client).format();
        let described = planned.columns(format)?;
        let rows = self.run(client, planned, values).await?;
        let text = Arc::clone(&planned.prepared.text);
        Ok(Outcome::Told(Response::Query(response(rows, described, options, text))))
    }

    /// Opens a cursor.
    async fn declare<C: ClientInfo>(
        &self,
        client: &C,
        command: &Command,
        planned: &Planned,
        values: Vec<ScalarValue>,
    ) -> PgWireResult<()> {
        let Command::Declare { name, is_binary, is_held, .. } = command else { return Ok(()) };
        if !is_held && client.transaction_status() == TransactionStatus::Idle {
            let what = "a cursor ends with its transaction: begin one, or declare it WITH HOLD";
            return Err(refused("25P01", what));
        }
        let cursors = Cursors::of(client);
        cursors.check(name)?;
        let rows = self.run(client, planned, values).await?;
        let (schema, text) = (Arc::clone(&planned.schema), Arc::clone(&planned.prepared.text));
        cursors.add(name, Cursor::new(rows, schema, text, [*is_binary, *is_held]));
        Ok(())
    }

    fn about_session<C>(&self, client: &mut C, text: &str) -> PgWireResult<Response>
    where
        C: ClientInfo + ClientPortalStore,
        C::PortalStore: PortalStore,
    {
        let settings = self.settings(client);
        let answered = commands::answer(text, &settings, client)?;
        self.service.hold(self.client(client)?.as_ref(), settings.is_repeatable());
        Ok(answered)
    }

    pub(super) fn settings<C: ClientInfo>(&self, client: &C) -> Arc<Settings> {
        Settings::of(client, &self.service)
    }
}
