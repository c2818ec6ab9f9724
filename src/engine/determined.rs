//! An optimizer rule that says only what is right of which columns determine others.
//!
//! DataFusion drops sort keys and group keys that earlier ones determine, and DISTINCT of rows that are distinct. What it
//! knows comes from `GROUP BY`: the keys determine the group. But where the rows that are grouped come from a join with grouped
//! rows, DataFusion 55.2 has it that the keys of *those* determine the new groups, too: of `GROUP BY b.k, a.x` over a join with
//! `(SELECT k, max(v) FROM … GROUP BY k) b`, that `b.k` determines `a.x` (near apache/datafusion#23818). This rule leaves of
//! groups only that all their keys together determine them. Other rules make groups anew, so it stands before each rule that
//! believes what is said.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Dependency, FunctionalDependence, FunctionalDependencies};
use datafusion::error::Result;
use datafusion::logical_expr::{Aggregate, LogicalPlan};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// Rules that believe what is said of dependent columns.
const BELIEVERS: [&str; 4] = [
    "replace_distinct_aggregate",
    "eliminate_join",
    "eliminate_duplicated_expr",
    "optimize_projections",
];

/// Rules of DataFusion's logical optimizer.
pub type Rules = Vec<Arc<dyn OptimizerRule + Send + Sync>>;

/// Puts this rule before those that need it.
pub(crate) fn determined(rules: Rules) -> Rules {
    let mut all: Rules = Vec::with_capacity(rules.len() + BELIEVERS.len());
    for rule in rules {
        if BELIEVERS.contains(&rule.name()) {
            all.push(Arc::new(DeterminedByKeys));
        }
        all.push(rule);
    }
    all
}

/// The optimizer rule.
#[derive(Debug)]
pub struct DeterminedByKeys;

impl OptimizerRule for DeterminedByKeys {
    fn name(&self) -> &'static str {
        "determined_by_keys"
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        if !groups_groups(&plan)? {
            return Ok(Transformed::no(plan));
        }
        // Nothing that a rule changes: only what the nodes say of themselves.
        let said = plan.transform_up_with_subqueries(|plan| {
            Ok(Transformed::yes(match plan {
                LogicalPlan::Aggregate(aggregate) => by_keys(aggregate)?,
                other => other.recompute_schema()?,
            }))
        })?;
        Ok(Transformed::no(said.data))
    }
}

/// Whether the rows of some groups come from other groups.
fn groups_groups(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|plan| {
        if let LogicalPlan::Aggregate(aggregate) = plan {
            found |= !aggregate.input.schema().functional_dependencies().is_empty();
        }
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

fn by_keys(mut aggregate: Aggregate) -> Result<LogicalPlan> {
    let fields = aggregate.schema.fields().len();
    let keys = fields - aggregate.aggr_expr.len();
    let nullable = aggregate.schema.fields().iter().take(keys).any(|field| field.is_nullable());
    let whole = FunctionalDependence::new((0..keys).collect(), (0..fields).collect(), nullable)
        .with_mode(Dependency::Single);
    let said = if keys == 0 { Vec::new() } else { vec![whole] };
    let schema = Arc::unwrap_or_clone(aggregate.schema);
    let schema = schema.with_functional_dependencies(FunctionalDependencies::new(said))?;
    // A constructor would say again what is wrong.
    aggregate.schema = Arc::new(schema);
    Ok(LogicalPlan::Aggregate(aggregate))
}
