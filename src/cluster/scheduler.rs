//! The process that splits plans into stages and hands out their tasks.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::extension::SessionConfigExt;
use ballista_core::optimizer::ballista_default_optimizer_rules;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use engine::bare_session;
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::client::settings;
use super::codec::Codec;
use super::error::ClusterError;
use super::leaves::Leaves;
use super::losses::Losses;
use super::tls::{Address, Certificates, with_tls};

/// Largest message, that is a plan with the row groups of its scans.
pub(super) const MESSAGE: u32 = 256 << 20;

/// How a scheduler is started.
#[derive(Debug, Clone)]
pub struct SchedulerOptions {
    /// Where it listens, as HOST:PORT; port 0 takes a free one.
    pub listen: String,
    pub tls: Option<Certificates>,
    /// After this time without a sign of a worker, it is lost.
    pub worker_timeout: Duration,
}

/// Runs a scheduler until the future is dropped. Tells `started` where it listens.
pub async fn schedule(
    options: SchedulerOptions,
    started: impl FnOnce(&str),
) -> Result<(), ClusterError> {
    let SchedulerOptions { listen, tls, worker_timeout } = options;
    let address = Address::parse(&listen, tls.is_some())?;
    let listener = TcpListener::bind((address.host.as_str(), address.port)).await?;
    let port = listener.local_addr()?.port();
    let address = Address { port, ..address };
    let seconds = worker_timeout.as_secs().max(2);
    let codec = Arc::new(Codec::default());
    let (for_session, for_builder) = (codec.clone(), tls.clone());
    let config = SchedulerConfig {
        external_host: address.host.clone(),
        bind_host: address.host.clone(),
        bind_port: port,
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: seconds,
        expire_dead_executor_interval_seconds: seconds.div_ceil(4),
        no_executors_grace_period_seconds: seconds,
        grpc_server_max_decoding_message_size: MESSAGE,
        grpc_server_max_encoding_message_size: MESSAGE,
        override_config_producer: Some(Arc::new(move || {
            with_tls(settings(SessionConfig::new()), for_builder.as_ref())
                .with_ballista_logical_extension_codec(for_session.clone())
                .with_ballista_physical_extension_codec(for_session.clone())
        })),
        override_session_builder: Some(Arc::new(|config| {
            Ok(bare_session(config, ballista_default_optimizer_rules(), Some(Arc::new(Leaves))))
        })),
        override_logical_codec: Some(codec.clone()),
        override_physical_codec: Some(codec),
        override_create_grpc_client_endpoint: tls.as_ref().map(Certificates::endpoints),
        use_tls: tls.is_some(),
        // A stage whose input is lost is not started anew (losses.rs).
        stage_max_failures: 1,
        ..SchedulerConfig::default()
    };
    let place = address.url(tls.is_some());
    let failed = |what| ClusterError::of(what, &place);
    let cluster = BallistaCluster::new_from_config(&config);
    let cluster = cluster.await.map_err(failed("cannot start a scheduler at"))?;
    let (losses, cluster) = Losses::watch(&cluster);
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config.into());
    let scheduler = scheduler.await.map_err(failed("cannot start a scheduler at"))?;
    losses.of(scheduler.clone());
    started(&place);
    let Some(tls) = tls else {
        let served = start_grpc_service_with_listener(listener, scheduler);
        return served.await.map_err(failed("the scheduler ended at"));
    };
    // With certificates it answers workers and clients only: Ballista's pages for programs know none.
    let service = SchedulerGrpcServer::new(scheduler)
        .max_encoding_message_size(MESSAGE as usize)
        .max_decoding_message_size(MESSAGE as usize);
    let refused = |error: tonic::transport::Error| ClusterError::Tls(error.to_string());
    let mut server = Server::builder().tls_config(tls.of_server()).map_err(refused)?;
    server
        .add_service(service)
        .serve_with_incoming(TcpIncoming::from(listener))
        .await
        .map_err(refused)
}
