//! The side of a cluster that asks: statements of a session are planned here, and their stages run by the workers.
//!
//! Who answers is asked for each statement, so that workers come and go. Plans that cannot be sent, such as those of recursive queries and of
//! tables that only this process has, run here: a dataset is the same from everywhere.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion_distributed::{DistributedExt, SessionStateBuilderExt};
use datafusion_proto::bytes::physical_plan_to_bytes_with_extension_codec;
use engine::{Planning, without_own_tables};
use url::Url;

use super::codec::Codec;
use super::connected::Connected;
use super::connections::Connections;
use super::errors::{ClusterError, classified};
use super::explained::{analyzed, explained};
use super::running::running;
use super::scans::{divided, tasks};
use super::tls::{Address, Certificates};

/// The fewest parts of a task: what scans one part is not divided.
const LEAST: usize = 2;

/// Most bytes of a plan, with the rows of tables that the session has made, that is sent.
const LARGEST: usize = 16 << 20;

/// A cluster that answers statements.
#[derive(Debug, Clone)]
pub struct Cluster {
    urls: Vec<Url>,
    tls: Option<Certificates>,
    parts: Option<usize>,
    timeout: Duration,
}

impl Cluster {
    /// Names the cluster of these workers. Each task has `parts` parts that run at once, or as many as the worker with most threads. A worker that
    /// is silent for longer than `timeout` is lost. Nothing is connected yet.
    pub fn at<'a>(
        workers: impl IntoIterator<Item = &'a str>,
        tls: Option<Certificates>,
        parts: Option<usize>,
        timeout: Duration,
    ) -> Result<Self, ClusterError> {
        let url = |text| Address::parse(text, tls.is_some())?.url(tls.is_some());
        let urls = workers.into_iter().map(url).collect::<Result<_, _>>()?;
        Ok(Self { urls, tls, parts, timeout })
    }

    /// Returns how an engine plans statements that run there.
    pub fn planning(&self) -> Planning {
        let cluster = self.clone();
        Planning(Arc::new(move |state| cluster.session(state)))
    }

    fn session(&self, state: SessionState) -> SessionState {
        let mut physical = state.physical_optimizers().to_vec();
        without_own_tables(&mut physical);
        let codec = Arc::new(Codec::default());
        let config = state
            .config()
            .clone()
            .with_distributed_user_codec_arc(codec.clone())
            .with_distributed_desired_task_count_handler(tasks)
            .with_distributed_scale_up_leaf_node_handler(divided);
        SessionStateBuilder::new_from_existing(state)
            .with_config(config)
            .with_physical_optimizer_rules(physical)
            // Its settings, for the plans that the planner below divides.
            .with_distributed_planner()
            .with_query_planner(Arc::new(Planner { cluster: self.clone(), codec }))
            .build()
    }
}

#[derive(Debug)]
struct Planner {
    cluster: Cluster,
    codec: Arc<Codec>,
}

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.plan(plan, session).await.map_err(classified)
    }
}

impl Planner {
    async fn plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let state = session.as_any().downcast_ref::<SessionState>();
        let mut state =
            state.cloned().ok_or_else(|| internal_datafusion_err!("a session of another kind"))?;
        let Cluster { urls, tls, parts, timeout } = &self.cluster;
        let connected = Connected::to(urls, Connections::new(tls.clone(), *timeout)).await?;
        let config = state.config_mut();
        config.options_mut().execution.target_partitions =
            parts.unwrap_or(connected.threads).max(LEAST);
        config.set_distributed_channel_resolver(connected.connections.clone());
        config.set_distributed_worker_resolver(connected);
        let task = state.task_ctx();
        match plan {
            LogicalPlan::Explain(explain) => {
                let divided = self.divided(&explain.plan, &state).await?;
                explained(divided.as_ref(), Arc::clone(explain.schema.inner()))
            }
            LogicalPlan::Analyze(analyze) => {
                let divided = self.divided(&analyze.input, &state).await?;
                analyzed(divided, task, Arc::clone(analyze.schema.inner()))
            }
            plan => running(&self.divided(plan, &state).await?, &task),
        }
    }

    /// Returns the plan of a statement with its stages; or without, if it cannot be sent.
    async fn divided(
        &self,
        plan: &LogicalPlan,
        state: &SessionState,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let whole = DefaultPhysicalPlanner::default().create_physical_plan(plan, state).await?;
        let written =
            physical_plan_to_bytes_with_extension_codec(Arc::clone(&whole), self.codec.as_ref());
        if !written.is_ok_and(|bytes| bytes.len() <= LARGEST) {
            return Ok(whole);
        }
        let mut planner = SessionStateBuilder::new()
            .with_query_planner(Arc::new(Planned(whole)))
            .with_distributed_planner();
        let planner = planner.query_planner().take();
        let planner = planner.ok_or_else(|| internal_datafusion_err!("there is no planner"))?;
        planner.create_physical_plan(plan, state).await
    }
}

/// Knows the plan already.
#[derive(Debug)]
struct Planned(Arc<dyn ExecutionPlan>);

#[async_trait]
impl QueryPlanner for Planned {
    async fn create_physical_plan(
        &self,
        _: &LogicalPlan,
        _: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::clone(&self.0))
    }
}
