//! The process that runs tasks: it asks the scheduler for them, and serves their results to others.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use datafusion::prelude::SessionConfig;
use engine::bare_session;
use tokio::net::{TcpListener, TcpStream};

use super::client::settings;
use super::codec::Codec;
use super::error::ClusterError;
use super::scheduler::MESSAGE;
use super::tls::{Address, Certificates, with_tls};

/// How long a worker waits for its scheduler.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a worker is started.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// The address of the scheduler.
    pub scheduler: String,
    /// Where others get its results, as HOST:PORT; port 0 takes a free one.
    pub listen: String,
    /// The host by which others reach it, if not that of `listen`.
    pub advertise: Option<String>,
    pub tls: Option<Certificates>,
    /// Tasks at once.
    pub threads: usize,
    /// Memory for all tasks in bytes.
    pub memory: usize,
    /// The folder for results of stages and for what tasks write to disk.
    pub folder: PathBuf,
}

/// Runs a worker until it gets SIGINT or SIGTERM, which let its tasks finish, or until it loses the scheduler. Tells `started` where it
/// listens.
pub async fn work(options: WorkerOptions, started: impl FnOnce(&str)) -> Result<(), ClusterError> {
    let tls = options.tls.as_ref();
    let scheduler = Address::parse(&options.scheduler, tls.is_some())?;
    let listen = Address::parse(&options.listen, tls.is_some())?;
    let host = options.advertise.clone().unwrap_or_else(|| listen.host.clone());
    if host.parse::<IpAddr>().is_ok_and(|ip| ip.is_unspecified()) {
        return Err(ClusterError::Everywhere(host));
    }
    wait_for(&scheduler).await?;
    // Ballista binds the port itself, and wants a number for the host.
    let free = TcpListener::bind((listen.host.as_str(), listen.port)).await?.local_addr()?;
    let place = Address { host: host.clone(), port: free.port() }.url(tls.is_some());
    let codec = Arc::new(Codec::default());
    let for_sessions = options.tls.clone();
    let registry =
        BallistaFunctionRegistry::from(&bare_session(SessionConfig::new(), Vec::new(), None));
    let config = ExecutorProcessConfig {
        bind_host: free.ip().to_string(),
        external_host: Some(host),
        port: free.port(),
        scheduler_host: scheduler.host,
        scheduler_port: scheduler.port,
        vcores: options.threads,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(options.folder.display().to_string()),
        job_data_ttl_seconds: 3600,
        job_data_clean_up_interval_seconds: 600,
        grpc_max_decoding_message_size: MESSAGE,
        grpc_max_encoding_message_size: MESSAGE,
        memory_pool_size: Some(options.memory as u64),
        override_function_registry: Some(Arc::new(registry)),
        override_config_producer: Some(Arc::new(move || {
            with_tls(settings(SessionConfig::new()), for_sessions.as_ref())
        })),
        override_logical_codec: Some(codec.clone()),
        override_physical_codec: Some(codec),
        override_arrow_flight_service: tls.map(flight),
        override_create_grpc_client_endpoint: tls.map(Certificates::endpoints),
        ..ExecutorProcessConfig::default()
    };
    started(&place);
    let failed = ClusterError::of("the worker ended, whose scheduler is at", &options.scheduler);
    start_executor_process(Arc::new(config)).await.map_err(failed)
}

/// Waits for a scheduler that is being started. Ballista's own time limit for that never ends.
async fn wait_for(scheduler: &Address) -> Result<(), ClusterError> {
    let begun = Instant::now();
    loop {
        match TcpStream::connect((scheduler.host.as_str(), scheduler.port)).await {
            Ok(_) => return Ok(()),
            Err(source) if begun.elapsed() > PATIENCE => {
                return Err(ClusterError::NoScheduler { address: scheduler.url(false), source });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Returns what serves results to those with certificates.
fn flight(tls: &Certificates) -> Arc<ArrowFlightServerProvider> {
    let tls = tls.of_server();
    Arc::new(move |folder, address, mut shutdown, of_server| {
        let tls = tls.clone();
        tokio::spawn(async move {
            let service = FlightServiceServer::new(BallistaFlightService::new(folder))
                .max_decoding_message_size(MESSAGE as usize)
                .max_encoding_message_size(MESSAGE as usize);
            let server = create_grpc_server(&of_server).tls_config(tls);
            let routes = server.map_err(BallistaError::TonicError)?.add_service(service);
            let ended = routes.serve_with_shutdown(address, shutdown.recv());
            ended.await.map_err(BallistaError::TonicError)
        })
    })
}
