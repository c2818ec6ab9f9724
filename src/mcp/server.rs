//! Answers the protocol.

use std::sync::Arc;

use base::said;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout_at};
use workspace::WorkspaceOptions;

use super::call::Call;
use super::error::CallError;
use super::folders::Folders;
use super::limits::{CALLS, Limits};
use super::reply::Reply;
use super::resources;
use super::schema::{fitted, further};
use super::tool::Tool;
use super::tools;

/// What an agent is told first.
const INSTRUCTIONS: &str = "\
Profiles of programs that IREE has compiled. `open` says what there is; `doctor` whether it can be trusted; `top` and `explain` where \
the time goes; `sql` answers everything else, with the relations that `tables` documents; `compare` whether a change helped; `gaps` \
how to capture what is missing. The clocks of device and host differ: never add up both.";

/// A server.
#[derive(Clone)]
pub struct Server {
    folders: Arc<Folders>,
    options: WorkspaceOptions,
    limits: Limits,
    turns: Arc<Semaphore>,
}

impl Server {
    /// A server for what is below the folders. All calls share the memory of the options.
    pub fn new(folders: Folders, options: WorkspaceOptions, limits: Limits) -> Self {
        let turns = Arc::new(Semaphore::new(CALLS));
        Self { folders: Arc::new(folders), options, limits, turns }
    }

    /// Answers one client until it closes its side.
    pub async fn answer<R, W>(self, input: R, output: W) -> Result<(), String>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        match self.serve((input, output)).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
            // The client has left before it began.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs a call on a thread of its own, so that others are answered meanwhile.
    async fn run(
        &self,
        tool: &'static Tool,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, CallError> {
        let limit = self.limits.time;
        let deadline = Instant::now() + limit;
        let turn = tokio::select! {
            turn = timeout_at(deadline, Arc::clone(&self.turns).acquire_owned()) => turn,
            () = context.ct.cancelled() => return Err(CallError::Cancelled),
        };
        let Ok(Ok(turn)) = turn else { return Err(CallError::Time(limit)) };
        let call = Call::new(&self.folders, self.limits, &self.options, further(&(tool.input)()));
        let files = call.options.files.clone();
        let work = tokio::task::spawn_blocking(move || {
            // Also a call that is not waited for any more has its turn until it ends.
            let _turn = turn;
            (tool.run)(&call, arguments)
        });
        tokio::select! {
            done = work => done.unwrap_or_else(|failed| Err(CallError::Panicked(said(failed.into_panic().as_ref())))),
            () = sleep_until(deadline) => {
                files.stop();
                Err(CallError::Time(limit))
            }
            () = context.ct.cancelled() => {
                files.stop();
                Err(CallError::Cancelled)
            }
        }
    }
}

/// Writes the line of a call.
fn log(tool: &str, begun: Instant, outcome: &Result<Reply, CallError>) {
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    match outcome {
        Ok(reply) => tracing::info!(tool, ms, rows = reply.rows, "answered"),
        Err(error) => tracing::warn!(tool, ms, word = error.word(), "{}", one_line(&error.told())),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let this = Implementation::new("ireescope", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(this).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::ALL.iter().map(|tool| tool.listed()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::named(&request.name) else {
            let text = format!("there is no tool {}", request.name);
            return Err(ErrorData::invalid_params(text, None));
        };
        let begun = Instant::now();
        let arguments = fitted(&(tool.input)(), request.arguments.unwrap_or_default());
        let arguments = Value::Object(arguments);
        let outcome = self.run(tool, arguments, &context).await;
        log(tool.name, begun, &outcome);
        Ok(CallToolResponse::from(match outcome {
            Ok(reply) => {
                let mut result = CallToolResult::structured(reply.content.into());
                result.content = vec![ContentBlock::text(reply.text)];
                result
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.told())]),
        }))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::pages()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let Some((kind, text)) = resources::text(&uri) else {
            return Err(ErrorData::resource_not_found(format!("there is no resource {uri}"), None));
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(kind);
        Ok(ReadResourceResponse::from(ReadResourceResult::new(vec![contents])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most tokens that names, descriptions and schemas of all tools take, at four bytes of JSON for each.
    const TOKENS: usize = 2000;

    #[test]
    fn the_tools_are_described_in_short() {
        let all: Vec<_> = tools::ALL.iter().map(|tool| tool.listed()).collect();
        let bytes = serde_json::to_string(&all).unwrap().len();
        assert!(bytes / 4 <= TOKENS, "{bytes} bytes are {} tokens", bytes / 4);
        for tool in tools::ALL {
            assert!(tool.description.len() > 40, "{} says what it does", tool.name);
        }
    }

    #[test]
    fn pages_have_texts() {
        for page in resources::pages() {
            let (_, text) = resources::text(&page.uri).unwrap();
            assert!(text.len() > 1000, "{}", page.uri);
        }
        assert!(resources::text("ireescope://tables/dispatches").unwrap().1.contains("start_ns"));
        assert!(resources::text("ireescope://tables/nosuch").is_none());
    }
}
