//! The process that runs tasks of stages, and serves their rows to the client and to other workers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNode;
use datafusion::datasource::sink::DataSinkExec;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion_distributed::{
    DistributedExt, ExecuteTaskRequest, ProducerHead, TaskKey, Worker, WorkerPlanRewriteEvent,
    WorkerPlanRewriteEventResponse, WorkerQueryContext,
};
use engine::{Memory, bare_session, spills_early};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use uuid::Uuid;

use super::codec::Codec;
use super::connected::version_text;
use super::connections::Connections;
use super::errors::{ClusterError, innermost};
use super::tls::{Address, Certificates};

/// How a worker is started.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Where it listens, as HOST:PORT; port 0 takes a free one.
    pub listen: String,
    pub tls: Option<Certificates>,
    /// The threads that it has, which clients ask for.
    pub threads: usize,
    /// Memory for all tasks in bytes.
    pub memory: usize,
    /// The folder for what tasks write to disk.
    pub folder: PathBuf,
    /// Another worker or a client that is silent for longer is lost.
    pub timeout: Duration,
    /// How long statements that run may go on after the worker was told to stop.
    pub grace: Duration,
}

/// Runs a worker until `stop` is done and what ran then has ended. Tells `started` where it listens.
pub async fn work(
    options: WorkerOptions,
    started: impl FnOnce(&str),
    stop: impl Future<Output = ()>,
) -> Result<(), ClusterError> {
    let WorkerOptions { listen, tls, threads, memory, folder, timeout, grace } = options;
    let address = Address::parse(&listen, tls.is_some())?;
    let failed = |source| ClusterError::Listen { address: listen.clone(), source };
    let listener = TcpListener::bind((address.host.as_str(), address.port)).await;
    let listener = listener.map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let ended = |error: &(dyn std::error::Error + 'static)| ClusterError::Ended(innermost(error));
    let memory = Memory::limited(memory, folder).map_err(|error| ended(&error))?;
    let (base, codec) = (bare_session(), Arc::new(Codec::default()));
    let connections = Connections::new(tls.clone(), timeout);
    let session = move |context: WorkerQueryContext| {
        let (base, codec, connections) = (base.clone(), Arc::clone(&codec), connections.clone());
        async move {
            let mut given = context.builder;
            let config = given.config().take().unwrap_or_default();
            let runtime = given.runtime_env().take().unwrap_or_default();
            let mut config = config
                .with_distributed_user_codec_arc(codec)
                .with_distributed_channel_resolver(connections)
                .with_distributed_worker_plan_rewrite_handler(reads_only);
            spills_early(config.options_mut());
            let state = SessionStateBuilder::new_from_existing(base);
            Ok(state.with_config(config).with_runtime_env(runtime).build())
        }
    };
    let worker = Worker::from_session_builder(session)
        .with_runtime_env(memory.runtime())
        .with_version(version_text(threads));
    let mut sweeping = std::pin::pin!(sweep(worker.clone()));
    let mut server = Server::builder()
        // Streams of all statements share a connection, and some wait for others.
        .max_concurrent_streams(Some(u32::MAX))
        .http2_keepalive_interval(Some(timeout / 2))
        .http2_keepalive_timeout(Some(timeout / 2))
        .tcp_nodelay(true);
    if let Some(tls) = &tls {
        let refused = |error: tonic::transport::Error| ClusterError::Tls(innermost(&error));
        server = server.tls_config(tls.of_server()).map_err(refused)?;
    }
    let (stopped, wait) = oneshot::channel::<()>();
    let serving = server.add_service(worker.into_worker_server()).serve_with_incoming_shutdown(
        TcpIncoming::from(listener).with_nodelay(Some(true)),
        async {
            let _ = wait.await;
        },
    );
    started(Address { port, ..address }.url(tls.is_some())?.as_str().trim_end_matches('/'));
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        ended_by_itself = &mut serving => return ended_by_itself.map_err(|error| ended(&error)),
        () = &mut sweeping => {}
        () = stop => {}
    }
    let _ = stopped.send(());
    // What still runs ends with the process.
    tokio::select! {
        ended_in_time = serving => ended_in_time.map_err(|error| ended(&error)),
        () = sweeping => Ok(()),
        () = tokio::time::sleep(grace) => Ok(()),
    }
}

/// Refuses plans that write files, which no statement makes.
fn reads_only(event: WorkerPlanRewriteEvent) -> Result<WorkerPlanRewriteEventResponse> {
    if event.plan.exists(|node| Ok(node.is::<DataSinkExec>()))? {
        return plan_err!("the plan writes files, which workers do not");
    }
    Ok(WorkerPlanRewriteEventResponse::new(event.plan))
}

/// How long tasks of a statement that is given up may run on.
const SWEEP: Duration = Duration::from_millis(500);

/// Ends tasks of statements that were given up: the cache in which datafusion-distributed 4.0 keeps tasks drops what was removed from it
/// only when it is asked for something else, and until then tasks that have readers no more, such as broadcasts, compute on.
async fn sweep(worker: Worker) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let task_key = TaskKey { query_id: Uuid::nil(), stage_id: 0, task_number: 0 };
        let no_task = ExecuteTaskRequest {
            task_key,
            target_partition_start: 0,
            target_partition_end: 0,
            producer_head: ProducerHead::None,
        };
        // There is no such task, for which it would wait.
        let _ = tokio::time::timeout(Duration::ZERO, worker.execute_task(no_task)).await;
    }
}
