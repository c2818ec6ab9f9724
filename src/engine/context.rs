//! Creates the DataFusion sessions over the open bundles: catalog, functions and optimizer rules.

use std::sync::Arc;

use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::common::config::ConfigOptions;
use datafusion::execution::TaskContext;
use datafusion::execution::context::{SessionConfig, SessionContext};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::optimizer::{Analyzer, AnalyzerRule, Optimizer};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use dialect::{Arithmetic, Intervals, Lists, Subqueries};
use read::bundle::limits;

use super::builtin::with_functions;
use super::compacting::CompactingSorts;
use super::comparison;
use super::declared;
use super::error::EngineError;
use super::files;
use super::functional_dependencies::with_right_dependencies;
use super::grouping::GroupingByNumber;
use super::knobs;
use super::memory::Memory;
use super::namespace::{Namespace, Source};
use super::null_extended::NullExtended;
use super::peaks;
use super::sort_merge_joins::SortMergeJoins;
use super::yielding::YieldingJoins;
use crate::functions;
use crate::functions::Folds;

pub const CATALOG: &str = "ireescope";
const VIEWS: &str = "public";

/// The sessions in which queries are planned.
pub struct Contexts {
    /// For statements of users.
    pub user: SessionContext,
    /// For the SQL files of this project: the same catalog and functions, but fewer optimizer rules.
    pub fixed: SessionState,
    /// What the plans of `fixed` need to run. Shared, as it has copies of the lists of functions.
    pub task: Arc<TaskContext>,
}

impl Contexts {
    /// Registers tables, views and functions. Queries run on `threads` threads and read up to `bytes`, and other files if
    /// `opens_files`.
    pub fn new(
        source: &Source,
        folds: &Arc<Folds>,
        threads: usize,
        memory: &Memory,
        bytes: u64,
        opens_files: bool,
        planning: Option<&Planning>,
    ) -> Result<Self, EngineError> {
        let state = SessionStateBuilder::new()
            .with_runtime_env(memory.runtime())
            .with_config(config(threads, memory.scarce_batch_rows(bytes)));
        let state = with_functions(state, Some(Arc::new(Arithmetic)))
            .with_analyzer_rules(analyzer_rules())
            .with_optimizer_rules(with_right_dependencies(Optimizer::new().rules))
            .with_physical_optimizer_rule(Arc::new(YieldingJoins))
            .with_physical_optimizer_rule(Arc::new(GroupingByNumber::default()))
            .with_physical_optimizer_rule(Arc::new(CompactingSorts))
            .build();
        let state = corrected(state);
        let user = SessionContext::new_with_state(state);
        let known = [peaks::function(folds), knobs::function(folds), comparison::function(folds)];
        for (name, function) in folds
            .functions()
            .chain(declared::functions())
            .chain(files::functions(opens_files))
            .chain(known)
        {
            user.register_udtf(name, function);
        }
        for function in functions::scalars(folds) {
            user.register_udf(function);
        }
        for function in functions::aggregates() {
            user.register_udaf(function);
        }
        let catalog = MemoryCatalogProvider::new();
        for kind in sql::Kind::ALL {
            let (source, folds) = (source.clone(), Arc::clone(folds));
            let namespace = Namespace::new(kind, source, folds, user.state_weak_ref(), opens_files);
            catalog.register_schema(kind.schema().unwrap_or(VIEWS), Arc::new(namespace))?;
        }
        user.register_catalog(CATALOG, Arc::new(catalog));
        let fixed = fixed(user.state());
        let task = fixed.task_ctx();
        if let Some(planning) = planning {
            let planned = planning.0(user.state());
            *user.state_ref().write() = planned;
        }
        Ok(Self { user, fixed, task })
    }
}

/// How statements of users are planned otherwise: changes the session that plans them.
#[derive(Clone)]
pub struct Planning(pub Arc<dyn Fn(SessionState) -> SessionState + Send + Sync>);

impl std::fmt::Debug for Planning {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Planning")
    }
}

/// Returns a session without tables, which has the functions that plans of statements call: for processes that run such plans.
pub fn bare_session() -> SessionState {
    let folds = Arc::new(Folds::new(Arc::new([]), 1));
    let state = with_functions(SessionStateBuilder::new(), None).build();
    let context = SessionContext::new_with_state(state);
    for function in functions::scalars(&folds).into_iter().chain(dialect::functions()) {
        context.register_udf(function);
    }
    for function in functions::aggregates() {
        context.register_udaf(function);
    }
    context.state()
}

/// Leaves out the physical rule whose operators need what only this process has. It makes statements faster, and changes no row.
pub fn without_own_tables(rules: &mut Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>) {
    let grouping = GroupingByNumber::default();
    rules.retain(|rule| rule.name() != grouping.name());
}

/// Physical rules that lose rows in DataFusion 55: they find the column of a pushed filter by its name, also where two
/// columns of a join have the same one (apache/datafusion#25244, fixed by #25259).
const WRONG: &[&str] = &["FilterPushdown", "FilterPushdown(Post)"];

/// The analyzer rules for statements of users. Subqueries are rewritten before types are coerced, intervals and lists after.
fn analyzer_rules() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    let mut rules = Analyzer::new().rules;
    rules.insert(0, Arc::new(Subqueries));
    rules.push(Arc::new(Intervals));
    rules.push(Arc::new(Lists));
    rules
}

/// Leaves out, replaces and adds physical rules, so that rows are right.
fn corrected(state: SessionState) -> SessionState {
    let mut rules = state.physical_optimizers().to_vec();
    rules.retain(|rule| !WRONG.contains(&rule.name()));
    for rule in rules.iter_mut().filter(|rule| rule.name() == SortMergeJoins::REPLACES) {
        *rule = Arc::new(SortMergeJoins::default());
    }
    rules.insert(0, Arc::new(NullExtended));
    SessionStateBuilder::new_from_existing(state).with_physical_optimizer_rules(rules).build()
}

/// The logical optimizer rules that the SQL files need. The files are written in the form in which they run best, so
/// that the other rules would take more time than they save.
const LOGICAL: &[&str] = &[
    "decorrelate_lateral_join",
    "decorrelate_predicate_subquery",
    "extract_equijoin_predicate",
    "optimize_projections",
    "push_down_filter",
    "replace_distinct_aggregate",
    "scalar_subquery_to_join",
    "simplify_expressions",
];

/// The physical optimizer rules that the SQL files need.
const PHYSICAL: &[&str] = &[
    "EnsureCooperative",
    "EnsureRequirements",
    "LimitPushdown",
    "OutputRequirements",
    "compacting_sorts",
    "grouping_by_number",
];

/// Derives the state for SQL files: fewer optimizer rules, in a single pass.
fn fixed(state: SessionState) -> SessionState {
    let mut logical = state.optimizers().to_vec();
    logical.retain(|rule| LOGICAL.contains(&rule.name()));
    let mut physical = state.physical_optimizers().to_vec();
    physical.retain(|rule| PHYSICAL.contains(&rule.name()));
    let mut fixed = SessionStateBuilder::new_from_existing(state)
        .with_analyzer_rules(Analyzer::new().rules)
        .with_optimizer_rules(logical)
        .with_physical_optimizer_rules(physical)
        .build();
    let options = &mut fixed.config_mut().options_mut().optimizer;
    options.max_passes = 1;
    // Reports join many ordered rows with few others. Repartitioning both sides would destroy the order. Where memory is
    // scarce, it is what joins that sort their inputs need.
    options.repartition_joins = !options.prefer_hash_join;
    fixed
}

/// Where memory is scarce, one sort takes the rows of all threads, and joins sort their inputs: sorts can spill, hash
/// tables cannot, and several sorts would each have only a part of the memory.
fn config(threads: usize, scarce_batch_rows: Option<usize>) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_target_partitions(threads)
        .with_batch_size(scarce_batch_rows.unwrap_or(limits::BATCH_ROWS))
        .with_information_schema(true)
        .with_default_catalog_and_schema(CATALOG, VIEWS)
        .with_create_default_catalog_and_schema(false);
    let options = config.options_mut();
    // It allocates room for as many groups as LIMIT says, and panics or runs out of memory if that is a large number.
    options.optimizer.enable_topk_aggregation = false;
    if scarce_batch_rows.is_some() {
        spills_early(options);
        options.optimizer.repartition_sorts = false;
        // Rows wait without limit before a sort of their partition, where most belong to one.
        options.optimizer.repartition_windows = false;
        options.optimizer.prefer_hash_join = false;
    }
    config
}

/// Lets sorts write to disk with little memory.
pub fn spills_early(options: &mut ConfigOptions) {
    // A sort merges a few spill files with little memory, because their batches are small.
    options.execution.sort_spill_reservation_bytes = 1 << 20;
    // It sorts each batch by itself. Concatenated, batches may take more memory than they reserved.
    options.execution.sort_in_place_threshold_bytes = 0;
}
