//! Connections to workers: those of a client for a statement, and those of a worker to others.
//!
//! Invariant: who waits for a worker learns within the timeout that it is gone, also if its machine tells nothing: each connection with something
//! to wait for asks whether the other side is there. Errors of connections are marked as such ([`lost`]).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{
    ChannelResolver, CoordinatorToWorkerMsg, ExecuteTaskRequest, GetWorkerInfoRequest,
    GetWorkerInfoResponse, SetPlanRequest, WorkerChannel, WorkerToCoordinatorMsg,
};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use http::HeaderMap;
use tonic::transport::{Channel, Endpoint};
use url::Url;

use super::errors::lost;
use super::tls::{Address, Certificates};

/// Connections by the addresses of the workers. They are made when they are used first.
#[derive(Clone)]
pub struct Connections(Arc<Parts>);

struct Parts {
    tls: Option<Certificates>,
    timeout: Duration,
    open: Mutex<HashMap<Url, Channel>>,
}

impl Connections {
    /// Without connections. A worker that is silent for longer than `timeout` is lost.
    pub fn new(tls: Option<Certificates>, timeout: Duration) -> Self {
        Self(Arc::new(Parts { tls, timeout, open: Mutex::default() }))
    }

    /// Returns the connection to a worker.
    pub fn to(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = match open.get(url) {
            Some(channel) => channel.clone(),
            None => open.entry(url.clone()).or_insert(self.connect(url)?).clone(),
        };
        let channel = create_worker_client(BoxCloneSyncChannel::new(channel));
        Ok(Box::new(Marked { channel, url: url.clone() }))
    }

    fn connect(&self, url: &Url) -> Result<Channel> {
        // Plans name workers, too: they lead nowhere else than flags may.
        let has_tls = self.0.tls.is_some();
        let place = format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or_default()
        );
        let is_allowed =
            (url.scheme() == "https") == has_tls && Address::parse(&place, has_tls).is_ok();
        if !is_allowed {
            return plan_err!(
                "the plan names the worker {url}, to which this process may not connect"
            );
        }
        let failed = |error| DataFusionError::External(Box::new(error));
        // Half of the time goes by before the other side is asked.
        let half = self.0.timeout / 2;
        let mut endpoint = Endpoint::from_shared(url.to_string())
            .map_err(failed)?
            .connect_timeout(self.0.timeout)
            .tcp_nodelay(true)
            // Streams of all statements share a connection: one that waits must not stop the others.
            .initial_connection_window_size(i32::MAX as u32)
            .http2_keep_alive_interval(half)
            .keep_alive_timeout(half);
        if let Some(tls) = &self.0.tls {
            endpoint = endpoint.tls_config(tls.of_client()).map_err(failed)?;
        }
        Ok(endpoint.connect_lazy())
    }
}

#[async_trait]
impl ChannelResolver for Connections {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        self.to(url)
    }
}

/// A connection whose errors say that they are of the connection.
struct Marked {
    channel: Box<dyn WorkerChannel>,
    url: Url,
}

#[async_trait]
impl WorkerChannel for Marked {
    async fn coordinator_channel(
        &mut self,
        headers: HeaderMap,
        plan: SetPlanRequest,
        messages: BoxStream<'static, CoordinatorToWorkerMsg>,
        metrics: ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<BoxStream<'static, Result<WorkerToCoordinatorMsg>>> {
        let url = self.url.clone();
        let opened = self.channel.coordinator_channel(headers, plan, messages, metrics, context);
        let answers = opened.await.map_err(|error| lost(error, &url))?;
        Ok(answers.map_err(move |error| lost(error, &url)).boxed())
    }

    async fn execute_task(
        &mut self,
        headers: HeaderMap,
        task: ExecuteTaskRequest,
        metrics: ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<Vec<BoxStream<'static, Result<RecordBatch>>>> {
        let opened = self.channel.execute_task(headers, task, metrics, context).await;
        let parts = opened.map_err(|error| lost(error, &self.url))?;
        let marked = parts.into_iter().map(|rows| {
            let url = self.url.clone();
            rows.map_err(move |error| lost(error, &url)).boxed()
        });
        Ok(marked.collect())
    }

    async fn get_worker_info(
        &mut self,
        request: GetWorkerInfoRequest,
    ) -> Result<GetWorkerInfoResponse> {
        self.channel.get_worker_info(request).await.map_err(|error| lost(error, &self.url))
    }
}
