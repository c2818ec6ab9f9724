//! Runs the server until its client leaves or a signal ends it.

use rmcp::transport::stdio;
use tokio::runtime::Builder;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::args::Mcp;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::signals;
use crate::mcp::{Folders, Limits, PathError, Server};
use crate::workspace::{STACK, WorkspaceOptions};

impl From<PathError> for CliError {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Folder { path, source } => Self::Read { path, source },
            other => Self::Usage(other.to_string()),
        }
    }
}

/// Runs `mcp`.
pub fn run(args: &Mcp, opening: &Opening) -> Result<(), CliError> {
    let folders = Folders::new(&args.folders)?;
    // Standard output has messages of the protocol only. The library of the protocol tells of failures only.
    let lines = tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).finish();
    let own = Targets::new().with_target("mcp", LevelFilter::INFO);
    lines.with(own.with_default(LevelFilter::WARN)).init();
    let options = opening.options();
    let options = WorkspaceOptions { memory: Some(options.memory()?), ..options };
    let server = Server::new(folders, options, limits(args));
    let runtime =
        Builder::new_multi_thread().worker_threads(2).thread_stack_size(STACK).enable_all().build();
    let runtime =
        runtime.map_err(|source| CliError::System { action: "start a thread", source })?;
    let ended = runtime.block_on(async {
        let (input, output) = stdio();
        tokio::select! {
            answered = server.answer(input, output) => answered.map_err(CliError::Lacking),
            signal = signals::first() => signal,
        }
    });
    runtime.shutdown_background();
    ended
}

fn limits(args: &Mcp) -> Limits {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        rows: number(args.row_limit.into()),
        bytes: number(args.byte_limit.as_u64()),
        time: args.call_timeout,
    }
}
