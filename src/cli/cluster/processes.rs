//! Runs a worker until a signal ends it, and asks workers.

use std::time::Duration;

use tokio::runtime::Builder;

use super::args::{Connections, OfCluster, Worker};
use crate::base::processors;
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::open::Opening;
use crate::cli::signals;
use crate::cluster::{Certificates, Cluster, ClusterError, WorkerOptions, work};
use crate::engine::{Planning, STACK, default_limit};

impl From<ClusterError> for CliError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Address(_) => Self::Usage(error.to_string()),
            ClusterError::Open(_) => Self::Usage(FLAGS.spell(&error.to_string())),
            other => Self::Lacking(other.to_string()),
        }
    }
}

impl Connections {
    fn certificates(&self) -> Result<Option<Certificates>, CliError> {
        Ok(self.tls.as_deref().map(Certificates::read).transpose()?)
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(self.worker_timeout)
    }
}

/// Returns how a cluster plans statements, if one is named.
pub fn planning(args: &OfCluster, opening: &Opening) -> Result<Option<Planning>, CliError> {
    if args.cluster.is_empty() {
        return Ok(None);
    }
    let OfCluster { cluster, connections } = args;
    let workers = cluster.iter().map(String::as_str);
    let parts = opening.threads.map(usize::from);
    let cluster = Cluster::at(workers, connections.certificates()?, parts, connections.timeout());
    Ok(Some(cluster?.planning()))
}

/// Runs `worker`.
pub fn run_worker(args: &Worker, opening: &Opening) -> Result<(), CliError> {
    let threads = opening.threads.map_or_else(processors, usize::from);
    let options = WorkerOptions {
        listen: args.listen.clone(),
        tls: args.connections.certificates()?,
        threads,
        memory: opening.options().memory_limit.unwrap_or_else(default_limit),
        folder: opening.spill_dir.clone().unwrap_or_else(std::env::temp_dir),
        timeout: args.connections.timeout(),
        grace: Duration::from_secs(args.grace),
    };
    let told = |place: &str| eprintln!("ireescope: the worker listens at {place}");
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|source| CliError::System { action: "start a thread", source })?;
    let ended = runtime.block_on(async {
        let signal = async {
            // Without signals, it runs until it is killed.
            if signals::first().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        work(options, told, signal).await
    });
    runtime.shutdown_background();
    Ok(ended?)
}
