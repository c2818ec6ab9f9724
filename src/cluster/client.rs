//! The side of a cluster that asks: statements of a session are planned here and run by the scheduler's workers.

use std::sync::Arc;

use ballista_core::extension::SessionConfigExt;
use ballista_core::optimizer::with_ballista_optimizer_rules;
use ballista_core::planner::BallistaQueryPlanner;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::session_state::SessionState;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::LogicalPlanNode;
use engine::Planning;

use super::codec::Codec;
use super::error::ClusterError;
use super::tls::{Address, Certificates, with_tls};
use super::told::Told;

/// Parts into which stages are split, unless told otherwise.
const PARTS: usize = 16;

/// Rules that replace parts of a plan by no rows, whose columns are lost when the plan is sent. The scheduler applies them.
const EMPTYING: &[&str] =
    &["eliminate_filter", "eliminate_join", "eliminate_limit", "propagate_empty_relation"];

/// A cluster that answers statements.
#[derive(Debug, Clone)]
pub struct Cluster {
    url: String,
    tls: Option<Certificates>,
    parts: usize,
}

impl Cluster {
    /// Names the cluster of the scheduler at an address. Stages are split into `parts`, of which each worker runs as many at once as it has
    /// threads. Nothing is connected yet.
    pub fn at(
        scheduler: &str,
        tls: Option<Certificates>,
        parts: Option<usize>,
    ) -> Result<Self, ClusterError> {
        let url = Address::parse(scheduler, tls.is_some())?.url(tls.is_some());
        Ok(Self { url, tls, parts: parts.unwrap_or(PARTS) })
    }

    /// Returns how an engine plans statements that run there.
    pub fn planning(&self) -> Planning {
        let cluster = self.clone();
        Planning(Arc::new(move |state| cluster.session(state)))
    }

    fn session(&self, state: SessionState) -> SessionState {
        let codec = Arc::new(Codec::default());
        let config = settings(state.config().clone().with_target_partitions(self.parts));
        let config = with_tls(config, self.tls.as_ref())
            .with_ballista_logical_extension_codec(codec.clone());
        let planner = BallistaQueryPlanner::<LogicalPlanNode>::with_extension(
            self.url.clone(),
            config.ballista_config(),
            codec,
        );
        let mut rules = with_ballista_optimizer_rules(state.optimizers());
        rules.retain(|rule| !EMPTYING.contains(&rule.name()));
        let planner = Told { planner: Arc::new(planner), url: self.url.as_str().into() };
        SessionStateBuilder::new_from_existing(state)
            .with_config(config)
            .with_optimizer_rules(rules)
            .with_query_planner(Arc::new(planner))
            .build()
    }
}

/// The settings of all sessions of a cluster. Its adaptive planner is off: it uses DataFusion's pushing of filters, which loses rows
/// (apache/datafusion#25244).
pub(super) fn settings(config: SessionConfig) -> SessionConfig {
    config.upgrade_for_ballista().with_ballista_adaptive_query_planner(false)
}
