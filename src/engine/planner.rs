//! What plans: functions, names and rules, put together when something is first to be planned.

use std::sync::Arc;

use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::execution::TaskContext;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};

use super::declared;
use super::error::EngineError;
use super::fixed;
use super::folds::Folds;
use super::functions;
use super::grouping::GroupingByNumber;
use super::namespace::{Namespace, Source};
use super::pruning::Asked;
use super::yielding::YieldingJoins;
use crate::bundle::limits;

const CATALOG: &str = "ireescope";
const VIEWS: &str = "public";

/// What a planner is made of.
pub struct Subject {
    pub source: Source,
    pub folds: Arc<Folds>,
    /// Columns that are wanted of views.
    pub asked: Arc<Asked>,
    pub threads: usize,
    /// Too small for anything but planning to take time.
    pub is_small: bool,
    /// Whether reports are planned by all of the rules that plan what people write.
    pub all_rules: bool,
}

/// A session of `DataFusion`.
pub struct Planner {
    /// Plans what people write.
    pub context: SessionContext,
    /// Plans the fixed queries of reports, in a fraction of the time: the same functions and names, and fewer rules.
    pub reports: SessionState,
    /// What reports run in.
    pub task: Arc<TaskContext>,
}

impl Planner {
    pub fn new(subject: &Subject) -> Result<Self, EngineError> {
        let mut builder = SessionStateBuilder::new()
            .with_config(config(subject.threads))
            .with_default_features()
            .with_physical_optimizer_rule(Arc::new(YieldingJoins));
        if !subject.is_small {
            builder = builder.with_physical_optimizer_rule(Arc::new(GroupingByNumber::default()));
        }
        let context = SessionContext::new_with_state(builder.build());
        for (name, function) in subject.folds.functions().chain(declared::functions()) {
            context.register_udtf(name, function);
        }
        for function in functions::scalars(&subject.folds) {
            context.register_udf(function);
        }
        for function in functions::aggregates() {
            context.register_udaf(function);
        }
        let catalog = MemoryCatalogProvider::new();
        for kind in sql::Kind::ALL {
            let (source, asked) = (subject.source.clone(), Arc::clone(&subject.asked));
            let namespace = Namespace::new(kind, source, context.state_weak_ref(), asked);
            catalog.register_schema(kind.schema().unwrap_or(VIEWS), Arc::new(namespace))?;
        }
        context.register_catalog(CATALOG, Arc::new(catalog));
        let reports = fixed::of_reports(context.state(), subject.is_small, subject.all_rules);
        let task = reports.task_ctx();
        Ok(Self { context, reports, task })
    }

    /// What plans over no bundle.
    #[cfg(test)]
    pub fn of_nothing() -> Self {
        let subject = Subject {
            source: Source::Bundles(Arc::new([]), Arc::new([])),
            folds: Arc::new(Folds::new(Arc::new([]), 1)),
            asked: Arc::default(),
            threads: 1,
            is_small: true,
            all_rules: false,
        };
        Self::new(&subject).unwrap()
    }
}

fn config(threads: usize) -> SessionConfig {
    SessionConfig::new()
        .with_target_partitions(threads)
        .with_batch_size(limits::BATCH_ROWS)
        .with_information_schema(true)
        .with_default_catalog_and_schema(CATALOG, VIEWS)
        .with_create_default_catalog_and_schema(false)
}
