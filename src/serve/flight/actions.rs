//! Actions: statements are prepared, closed and stopped, and sessions end.

use arrow_flight::sql::{
    ActionCancelQueryRequest, ActionCancelQueryResult, ActionClosePreparedStatementRequest,
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, Any, Command,
    ProstMessageExt,
};
use arrow_flight::{
    Action, ActionType, CancelFlightInfoRequest, CancelFlightInfoResult, CancelStatus, FlightInfo,
    IpcMessage, SchemaAsIpc,
};
use bytes::Bytes;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::IpcWriteOptions;
use prost::Message;
use tonic::Status;

use super::errors::{internal, refused, wrong};
use super::logins::Login;
use super::parameters;
use super::sending::plain;
use super::statements::{Flight, command, without_transaction};

/// The actions, and what they do.
const ACTIONS: &[(&str, &str)] = &[
    ("CreatePreparedStatement", "Prepares a statement"),
    ("ClosePreparedStatement", "Closes a prepared statement"),
    ("CancelFlightInfo", "Stops a statement"),
    ("CancelQuery", "Stops a statement"),
    ("CloseSession", "Ends the login by which a token was given"),
];
/// Actions of Flight SQL that would change something.
const REFUSED: &[&str] = &[
    "BeginTransaction",
    "EndTransaction",
    "BeginSavepoint",
    "EndSavepoint",
    "CreatePreparedSubstraitPlan",
    "SetSessionOptions",
];

/// The answer to `CloseSession`, which arrow-flight does not have.
#[derive(Clone, PartialEq, Eq, Message)]
struct SessionClosed {
    #[prost(int32, tag = "1")]
    status: i32,
}

/// Flight's number for a session that is closed.
const CLOSED: i32 = 1;

/// Returns the actions that there are.
pub fn actions() -> Vec<ActionType> {
    let known = ACTIONS.iter();
    let action = |(name, does): &(&str, &str)| ActionType {
        r#type: (*name).to_owned(),
        description: (*does).to_owned(),
    };
    known.map(action).collect()
}

impl Flight {
    /// Does an action. Returns its answer, if it has one.
    pub async fn act(&self, login: &Login, action: &Action) -> Result<Option<Vec<u8>>, Status> {
        match action.r#type.as_str() {
            "CreatePreparedStatement" => self.prepare(login, unpacked(action)?).await.map(Some),
            "ClosePreparedStatement" => {
                let asked: ActionClosePreparedStatementRequest = unpacked(action)?;
                self.handles.close(&login.user, &asked.prepared_statement_handle)?;
                Ok(None)
            }
            "CancelFlightInfo" => {
                let asked = CancelFlightInfoRequest::decode(&*action.body);
                let asked = asked.map_err(|error| wrong(error.to_string()))?;
                self.cancel(login, &asked.info.unwrap_or_default())?;
                let answer = CancelFlightInfoResult { status: CancelStatus::Cancelled as i32 };
                Ok(Some(answer.encode_to_vec()))
            }
            "CancelQuery" => {
                let asked: ActionCancelQueryRequest = unpacked(action)?;
                let info = FlightInfo::decode(&*asked.info);
                self.cancel(login, &info.map_err(|error| wrong(error.to_string()))?)?;
                let answer = ActionCancelQueryResult { result: CancelStatus::Cancelled as i32 };
                Ok(Some(answer.as_any().encode_to_vec()))
            }
            "CloseSession" => {
                self.logins.end(login);
                Ok(Some(SessionClosed { status: CLOSED }.encode_to_vec()))
            }
            other if REFUSED.contains(&other) => Err(refused(other)),
            other => Err(Status::unimplemented(format!("there is no action {other:?}"))),
        }
    }

    async fn prepare(
        &self,
        login: &Login,
        asked: ActionCreatePreparedStatementRequest,
    ) -> Result<Vec<u8>, Status> {
        without_transaction(asked.transaction_id.as_ref())?;
        let bound = self.planned(login, &asked.query).await?;
        let answer = ActionCreatePreparedStatementResult {
            dataset_schema: encoded(&plain(&bound.prepared.schema()))?,
            parameter_schema: encoded(&parameters::schema(&bound.types))?,
            prepared_statement_handle: self
                .handles
                .keep_prepared(&login.user, bound)?
                .to_vec()
                .into(),
        };
        Ok(answer.as_any().encode_to_vec())
    }

    /// Stops the statements whose rows the endpoints give.
    fn cancel(&self, login: &Login, info: &FlightInfo) -> Result<(), Status> {
        let tickets = info.endpoint.iter().filter_map(|endpoint| endpoint.ticket.as_ref());
        for ticket in tickets {
            let Command::TicketStatementQuery(ticket) = command(&ticket.ticket)? else {
                return Err(wrong("only statements can be stopped"));
            };
            self.handles.stop(&login.user, &ticket.statement_handle)?;
        }
        Ok(())
    }
}

fn unpacked<M: ProstMessageExt>(action: &Action) -> Result<M, Status> {
    let any = Any::decode(&*action.body).map_err(|error| wrong(error.to_string()))?;
    let message = any.unpack::<M>().map_err(|error| wrong(error.to_string()))?;
    message.ok_or_else(|| wrong(format!("{} with a message of another action", action.r#type)))
}

fn encoded(schema: &Schema) -> Result<Bytes, Status> {
    let options = IpcWriteOptions::default();
    let message: Result<IpcMessage, ArrowError> = SchemaAsIpc::new(schema, &options).try_into();
    let IpcMessage(bytes) = message.map_err(|error| internal(&error))?;
    Ok(bytes)
}
