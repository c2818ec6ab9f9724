//! An optimizer rule that corrects the functional dependencies of groups.
//!
//! DataFusion drops sort keys and group keys that earlier ones determine, and DISTINCT of rows that are distinct. `GROUP BY`
//! makes such dependencies: its keys determine the group. But where its input is a join with other groups, DataFusion 55.2
//! says that the keys of the inner groups determine the outer ones, too: of `GROUP BY b.k, a.x` over a join with
//! `(SELECT k, max(v) FROM … GROUP BY k) b`, that `b.k` determines `a.x` (near apache/datafusion#23818). This rule keeps one
//! dependency of groups: all keys together determine the group. Other rules create groups anew, with wrong dependencies. So
//! it runs before each rule that uses them.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Dependency, FunctionalDependence, FunctionalDependencies};
use datafusion::error::Result;
use datafusion::logical_expr::{Aggregate, LogicalPlan};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// Rules that use functional dependencies.
const USERS: [&str; 4] = [
    "replace_distinct_aggregate",
    "eliminate_join",
    "eliminate_duplicated_expr",
    "optimize_projections",
];

/// Rules of DataFusion's logical optimizer.
type Rules = Vec<Arc<dyn OptimizerRule + Send + Sync>>;

/// Puts this rule before those that need it.
pub(crate) fn with_right_dependencies(rules: Rules) -> Rules {
    let mut all: Rules = Vec::with_capacity(rules.len() + USERS.len());
    for rule in rules {
        if USERS.contains(&rule.name()) {
            all.push(Arc::new(DependenciesOfGroups));
        }
        all.push(rule);
    }
    all
}

/// The optimizer rule.
#[derive(Debug)]
pub struct DependenciesOfGroups;

impl OptimizerRule for DependenciesOfGroups {
    fn name(&self) -> &'static str {
        "dependencies_of_groups"
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
        // The plan does not change, only the schemas of its nodes.
        let corrected = plan.transform_up_with_subqueries(|plan| {
            Ok(Transformed::yes(match plan {
                LogicalPlan::Aggregate(aggregate) => by_keys(aggregate)?,
                other => other.recompute_schema()?,
            }))
        })?;
        Ok(Transformed::no(corrected.data))
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
    let dependencies = if keys == 0 { Vec::new() } else { vec![whole] };
    let schema = Arc::unwrap_or_clone(aggregate.schema);
    let schema = schema.with_functional_dependencies(FunctionalDependencies::new(dependencies))?;
    // The constructors would compute the wrong ones again.
    aggregate.schema = Arc::new(schema);
    Ok(LogicalPlan::Aggregate(aggregate))
}
