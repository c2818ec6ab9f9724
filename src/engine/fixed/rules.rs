//! The rules of `DataFusion` that plan the fixed queries of reports.
//!
//! Reports are written as they are to run, so that other rules take more time than they save, whatever there is to read.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::execution::session_state::SessionState;
use datafusion::optimizer::OptimizerRule;

use super::one_thread::OneThread;

/// What a logical plan cannot do without.
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

/// What a physical plan cannot do without, and what saves more time than it takes. `OutputRequirements` keep the order of the
/// answer from `EnsureRequirements`; where one thread runs all, neither is needed.
const PHYSICAL: &[&str] = &[
    "EnsureCooperative",
    "EnsureRequirements",
    "LimitPushdown",
    "OutputRequirements",
    "grouping_by_number",
];

/// Rules for queries within expressions, which few fixed queries have.
const OF_SUBQUERIES: &[&str] =
    &["decorrelate_lateral_join", "decorrelate_predicate_subquery", "scalar_subquery_to_join"];

/// Whether a rule only changes queries within expressions.
pub fn is_of_subqueries(rule: &dyn OptimizerRule) -> bool {
    OF_SUBQUERIES.contains(&rule.name())
}

/// Whether a rule only changes expressions.
pub fn is_of_expressions(rule: &dyn OptimizerRule) -> bool {
    rule.name() == "simplify_expressions"
}

/// Marks a state that has few rules.
struct Few;

/// Whether a state has no more rules than fixed queries cannot do without.
pub fn are_few(state: &SessionState) -> bool {
    state.config().get_extension::<Few>().is_some()
}

/// The state that plans reports, of the state that plans what people write.
pub fn of_reports(state: SessionState, is_small: bool, all_rules: bool) -> SessionState {
    let logical = state.optimizers().iter();
    let logical = logical.filter(|rule| all_rules || LOGICAL.contains(&rule.name()));
    let logical = logical.cloned().collect();
    let physical = state.physical_optimizers().iter();
    let physical = physical.filter(|rule| all_rules || PHYSICAL.contains(&rule.name()));
    let by_one_thread = is_small && !all_rules;
    let physical = physical.filter_map(|rule| match rule.name() {
        "EnsureRequirements" if by_one_thread => Some(Arc::new(OneThread) as _),
        "OutputRequirements" if by_one_thread => None,
        _ => Some(Arc::clone(rule)),
    });
    let physical = physical.collect();
    let mut reports = SessionStateBuilder::new_from_existing(state)
        .with_optimizer_rules(logical)
        .with_physical_optimizer_rules(physical)
        .build();
    if !all_rules {
        reports.config_mut().set_extension(Arc::new(Few));
    }
    let options = reports.config_mut().options_mut();
    // A second pass finds nothing.
    options.optimizer.max_passes = 1;
    // Reports join many rows to few, and the few come first: spreading both over the threads would lose the order.
    options.optimizer.repartition_joins = false;
    reports
}
