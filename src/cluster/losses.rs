//! What a scheduler does when a worker is lost: it ends the statements that run.
//!
//! Ballista 55 would compute again what the worker had computed. But where that makes it start a stage anew, the next stage reads the results
//! of both attempts, and counts rows twice (seen with workers that were killed during a join: sums a quarter too high). So nothing is computed
//! again across stages. Invariant: when the scheduler learns that a worker is lost, the running statements are cancelled before it
//! begins to recover: it removes the worker here first, and the events of both are handled in their order.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::ExecutorHeartbeat;
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::{
    BallistaCluster, BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot,
};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};

type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// The state of a cluster, which ends the statements that run when it loses a worker.
pub struct Losses {
    state: Arc<dyn ClusterState>,
    server: OnceLock<Server>,
}

impl Losses {
    /// Puts itself before the state of a cluster.
    pub fn watch(cluster: &BallistaCluster) -> (Arc<Self>, BallistaCluster) {
        let losses = Arc::new(Self { state: cluster.cluster_state(), server: OnceLock::new() });
        let watched = BallistaCluster::new(losses.clone(), cluster.job_state());
        (losses, watched)
    }

    /// Names the scheduler, before it has workers.
    pub fn of(&self, server: Server) {
        // It is named once.
        let _ = self.server.set(server);
    }

    async fn cancel_all(&self) -> Result<()> {
        let Some(server) = self.server.get() else { return Ok(()) };
        let jobs: Vec<JobId> =
            server.state.task_manager.get_running_job_cache().keys().cloned().collect();
        for job in jobs {
            server.cancel_job(job).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl ClusterState for Losses {
    async fn init(&self) -> Result<()> {
        self.state.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        jobs: Arc<HashMap<JobId, JobInfoCache>>,
        workers: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        self.state.bind_schedulable_tasks(distribution, jobs, workers).await
    }

    async fn unbind_tasks(&self, slots: Vec<ExecutorSlot>) -> Result<()> {
        self.state.unbind_tasks(slots).await
    }

    async fn register_executor(&self, worker: ExecutorMetadata, spec: ExecutorData) -> Result<()> {
        self.state.register_executor(worker, spec).await
    }

    async fn save_executor_metadata(&self, worker: ExecutorMetadata) -> Result<()> {
        self.state.save_executor_metadata(worker).await
    }

    async fn get_executor_metadata(&self, worker: &str) -> Result<ExecutorMetadata> {
        self.state.get_executor_metadata(worker).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.state.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.state.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, worker: &str) -> Result<()> {
        self.cancel_all().await?;
        self.state.remove_executor(worker).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.state.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, worker: &str) -> Option<ExecutorHeartbeat> {
        self.state.get_executor_heartbeat(worker)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.state.cluster_state_events().await
    }
}
