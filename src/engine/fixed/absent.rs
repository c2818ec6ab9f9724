//! Tables that no bundle has records of are left out of plans, and what only reads them: a CPU has no events of a GPU.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::source_as_provider;
use datafusion::error::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{
    EmptyRelation, Expr, Join, JoinType, LogicalPlan, Projection, TableScan, Union,
};
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::propagate_empty_relation::PropagateEmptyRelation;

use super::super::provider::BundleTable;

/// The plan without them. Its columns are named and ordered as before; that they may be NULL is not kept.
pub fn left_out(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    let propagate = PropagateEmptyRelation::new();
    let left_out = plan.transform_up(|node| match node {
        LogicalPlan::TableScan(scan) if is_absent(&scan) => {
            let schema = scan.projected_schema;
            let empty = EmptyRelation { produce_one_row: false, schema };
            Ok(Transformed::yes(LogicalPlan::EmptyRelation(empty)))
        }
        LogicalPlan::Union(union) => of_union(union),
        LogicalPlan::Join(join) if !keeps_the_other(&join) => {
            Ok(Transformed::no(LogicalPlan::Join(join)))
        }
        node if node.inputs().into_iter().any(is_empty) => propagate.rewrite(node, state),
        node => Ok(Transformed::no(node)),
    })?;
    Ok(left_out.data)
}

fn is_absent(scan: &TableScan) -> bool {
    let Ok(provider) = source_as_provider(&scan.source) else { return false };
    let provider: &dyn Any = provider.as_ref();
    provider.downcast_ref::<BundleTable>().is_some_and(BundleTable::is_absent)
}

fn is_empty(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::EmptyRelation(empty) if !empty.produce_one_row)
}

/// Whether no more is left out of a join than what is empty: the other side may read what is damaged, and is to say so.
fn keeps_the_other(join: &Join) -> bool {
    let is_left = matches!(join.join_type, JoinType::Left | JoinType::LeftAnti);
    is_empty(&join.right) && (is_left || is_empty(&join.left))
}

/// What is left of a UNION; `DataFusion` looks for columns of the only input that is left by the names that they had of the
/// first one.
fn of_union(mut union: Union) -> Result<Transformed<LogicalPlan>> {
    let before = union.inputs.len();
    union.inputs.retain(|input| !is_empty(input));
    if union.inputs.len() == before {
        return Ok(Transformed::no(LogicalPlan::Union(union)));
    }
    let left = match union.inputs.as_slice() {
        [] => LogicalPlan::EmptyRelation(EmptyRelation {
            produce_one_row: false,
            schema: union.schema,
        }),
        [only] => {
            let columns = only.schema().columns().into_iter().zip(union.schema.iter());
            let columns = columns.map(|(column, (relation, field))| {
                Expr::Column(column).alias_qualified(relation.cloned(), field.name())
            });
            LogicalPlan::Projection(Projection::try_new(columns.collect(), Arc::clone(only))?)
        }
        _ => LogicalPlan::Union(union),
    };
    Ok(Transformed::yes(left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fixed::selects;
    use crate::engine::planner::Planner;
    use crate::engine::statement::parse;

    /// The plan of a query over no bundle, before and after.
    async fn planned(query: &str) -> [LogicalPlan; 2] {
        let planner = Planner::of_nothing();
        let state = &planner.reports;
        let mut plan = selects::plan(state, parse(query).unwrap().remove(0).parsed).await.unwrap();
        for rule in &state.analyzer().rules {
            plan = rule.analyze(plan, state.config_options()).unwrap();
        }
        [plan.clone(), left_out(plan, state).unwrap()]
    }

    #[tokio::test]
    async fn tables_without_records_are_not_read() {
        for (query, left) in [
            ("SELECT event_id FROM queue_events WHERE event_id > 1 ORDER BY event_id", &[][..]),
            ("SELECT type, count(*) AS n FROM queue_events GROUP BY type", &[]),
            ("SELECT count(*) AS n FROM queue_events", &["Aggregate"]),
            ("SELECT q.type, m.type FROM queue_events q JOIN memory_events m USING (bundle)", &[]),
            (
                "SELECT q.type, b.bundle FROM queue_events q JOIN bundles b USING (bundle)",
                &["Join", "EmptyRelation", "bundles"],
            ),
            (
                "SELECT b.bundle, q.type FROM bundles b LEFT JOIN queue_events q USING (bundle)",
                &["bundles"],
            ),
            (
                "SELECT type AS a, 1 AS n FROM queue_events UNION ALL SELECT bundle, 2 FROM bundles",
                &["bundles"],
            ),
            (
                "SELECT bundle AS a FROM bundles UNION ALL SELECT type FROM queue_events",
                &["bundles"],
            ),
            (
                "SELECT bundle AS a FROM bundles UNION ALL SELECT type FROM queue_events \
                 UNION ALL SELECT bundle FROM sessions",
                &["bundles", "sessions", "Union"],
            ),
            ("SELECT type FROM queue_events UNION ALL SELECT type FROM memory_events", &[]),
            // A long form reads definitions, which may be damaged, even where there is no sample.
            ("SELECT value FROM counter_values", &["counter_values"]),
        ] {
            let [before, after] = planned(query).await;
            let fields = |plan: &LogicalPlan| plan.schema().columns();
            assert_eq!(fields(&after), fields(&before), "{query}");
            let text = after.display_indent().to_string();
            for part in ["TableScan: queue_events", "TableScan: memory_events"] {
                assert!(!text.contains(part), "{query}\n{text}");
            }
            for part in left {
                assert!(text.contains(part), "{query}\n{text}");
            }
            assert_eq!(left.is_empty(), text == "EmptyRelation: rows=0", "{query}\n{text}");
        }
    }
}
