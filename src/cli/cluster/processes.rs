//! Runs the processes of a cluster until a signal ends them.

use std::time::Duration;

use tokio::runtime::Builder;

use super::args::{OfCluster, Scheduler, Tls, Worker};
use crate::base::processors;
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::open::Opening;
use crate::cli::signals;
use crate::cluster::{
    Certificates, Cluster, ClusterError, SchedulerOptions, WorkerOptions, schedule, work,
};
use crate::engine::{Planning, STACK, default_limit};

impl From<ClusterError> for CliError {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Address(_) => Self::Usage(error.to_string()),
            ClusterError::Open(_) | ClusterError::Everywhere(_) => {
                Self::Usage(FLAGS.spell(&error.to_string()))
            }
            other => Self::Lacking(other.to_string()),
        }
    }
}

impl Tls {
    fn read(&self) -> Result<Option<Certificates>, CliError> {
        Ok(self.tls.as_deref().map(Certificates::read).transpose()?)
    }
}

/// Returns how a cluster plans statements, if one is named.
pub fn planning(args: &OfCluster, opening: &Opening) -> Result<Option<Planning>, CliError> {
    let Some(address) = &args.cluster else { return Ok(None) };
    let parts = opening.threads.map(usize::from);
    Ok(Some(Cluster::at(address, args.tls.read()?, parts)?.planning()))
}

/// Runs `scheduler`.
pub fn run_scheduler(args: &Scheduler) -> Result<(), CliError> {
    let options = SchedulerOptions {
        listen: args.listen.clone(),
        tls: args.tls.read()?,
        worker_timeout: Duration::from_secs(args.worker_timeout),
    };
    let told = |place: &str| eprintln!("ireescope: the scheduler listens at {place}");
    wait(async {
        tokio::select! {
            ended = schedule(options, told) => ended.map_err(CliError::from),
            signalled = signals::first() => signalled,
        }
    })
}

/// Runs `worker`.
pub fn run_worker(args: &Worker, opening: &Opening) -> Result<(), CliError> {
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix("ireescope-worker-");
    let place = opening.spill_dir.clone().unwrap_or_else(std::env::temp_dir);
    let folder =
        folder.tempdir_in(&place).map_err(|source| CliError::Write { path: place, source })?;
    let limit = opening.options().memory_limit;
    let options = WorkerOptions {
        scheduler: args.scheduler.clone(),
        listen: args.listen.clone(),
        advertise: args.advertise.clone(),
        tls: args.tls.read()?,
        threads: opening.threads.map_or_else(processors, usize::from),
        memory: limit.unwrap_or_else(default_limit),
        folder: folder.path().to_owned(),
    };
    let told = |place: &str| eprintln!("ireescope: the worker serves its results at {place}");
    wait(async { Ok(work(options, told).await?) })
}

fn wait(process: impl Future<Output = Result<(), CliError>>) -> Result<(), CliError> {
    let runtime = Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let runtime =
        runtime.map_err(|source| CliError::System { action: "start a thread", source })?;
    let ended = runtime.block_on(process);
    runtime.shutdown_background();
    ended
}
