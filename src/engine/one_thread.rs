//! What the operators of a plan need of their inputs, where one thread runs all of them: one stream, in order.
//!
//! `DataFusion`'s own rule also weighs how to spread rows over threads and where to sort best, in eight passes: of what a
//! command does for a small bundle, whose rows take no time, a tenth.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::LexOrdering;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{Distribution, ExecutionPlan, ExecutionPlanProperties};

/// The rule.
#[derive(Debug)]
pub struct OneThread;

impl PhysicalOptimizerRule for OneThread {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(plan.transform_up(meet)?.data)
    }

    fn name(&self) -> &'static str {
        "one_thread"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Gives an operator inputs as it needs them.
fn meet(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(sort) = plan.downcast_ref::<SortExec>() {
        return sort_streams(sort, &plan);
    }
    let needs = plan.input_distribution_requirements();
    let needs = needs.per_child_distributions().zip(plan.required_input_ordering());
    let inputs = plan.children().into_iter().zip(needs).zip(plan.maintains_input_order());
    let mut are_met = true;
    let inputs = inputs.map(|((input, (distribution, order)), keeps_order)| {
        let mut met = Arc::clone(input);
        let order = order.map(|order| order.first().clone());
        if let Some(order) = order.clone()
            && !met.equivalence_properties().ordering_satisfy_requirement(order.clone())?
        {
            met = sorted(met, order.into(), None);
        }
        let has = || met.output_ordering().filter(|_| keeps_order).cloned();
        let order = order.map(LexOrdering::from).or_else(has);
        if !matches!(distribution, Distribution::UnspecifiedDistribution) {
            met = one(met, order, None);
        }
        are_met &= Arc::ptr_eq(&met, input);
        Ok(met)
    });
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    if are_met {
        return Ok(Transformed::no(plan));
    }
    Ok(Transformed::yes(replace_children_if_necessary(plan, inputs)?))
}

/// Sorts each stream by itself, where it is not in order, and merges them.
fn sort_streams(
    sort: &SortExec,
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let (input, order, fetch) = (sort.input(), sort.expr().clone(), sort.fetch());
    if fetch.is_none() && input.equivalence_properties().ordering_satisfy(order.clone())? {
        return Ok(Transformed::yes(one(Arc::clone(input), Some(order), None)));
    }
    if input.output_partitioning().partition_count() == 1 {
        return Ok(Transformed::no(Arc::clone(plan)));
    }
    let sorted = sorted(Arc::clone(input), order.clone(), fetch);
    Ok(Transformed::yes(one(sorted, Some(order), fetch)))
}

/// Each stream of a plan in an order, or the first rows of it.
fn sorted(
    plan: Arc<dyn ExecutionPlan>,
    order: LexOrdering,
    fetch: Option<usize>,
) -> Arc<dyn ExecutionPlan> {
    Arc::new(SortExec::new(order, plan).with_preserve_partitioning(true).with_fetch(fetch))
}

/// The streams of a plan as one, or the first rows of it; in an order that each has, where that is wanted.
fn one(
    plan: Arc<dyn ExecutionPlan>,
    order: Option<LexOrdering>,
    fetch: Option<usize>,
) -> Arc<dyn ExecutionPlan> {
    match order {
        _ if plan.output_partitioning().partition_count() == 1 => plan,
        Some(order) => Arc::new(SortPreservingMergeExec::new(order, plan).with_fetch(fetch)),
        None => Arc::new(CoalescePartitionsExec::new(plan)),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, RecordBatch, StringArray};
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::catalog::memory::MemTable;
    use datafusion::execution::SessionStateBuilder;
    use datafusion::execution::context::{SessionConfig, SessionContext};
    use datafusion::logical_expr::col;
    use datafusion::physical_plan::displayable;

    use super::*;

    /// Three streams of rows; those of `sorted` say that each is in the order of `a`.
    fn context(rules: Option<Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>>) -> SessionContext {
        let config = SessionConfig::new().with_target_partitions(1);
        let mut builder = SessionStateBuilder::new().with_config(config).with_default_features();
        if let Some(rules) = rules {
            builder = builder.with_physical_optimizer_rules(rules);
        }
        let context = SessionContext::new_with_state(builder.build());
        let batch = |a: [i64; 3]| {
            let names = StringArray::from_iter_values(a.map(|a| format!("n{}", a % 3)));
            let columns = [
                ("a", Arc::new(Int64Array::from(a.to_vec())) as _),
                ("name", Arc::new(names) as _),
            ];
            vec![RecordBatch::try_from_iter(columns).unwrap()]
        };
        let table = |name, parts: Vec<Vec<RecordBatch>>, is_sorted| {
            let table = MemTable::try_new(parts[0][0].schema(), parts).unwrap();
            let order = if is_sorted { vec![vec![col("a").sort(true, false)]] } else { Vec::new() };
            context.register_table(name, Arc::new(table.with_sort_order(order))).unwrap();
        };
        table("sorted", [[1, 4, 8], [2, 5, 7], [0, 3, 9]].map(batch).to_vec(), true);
        table("mixed", [[4, 1, 8], [7, 5, 2], [9, 3, 0]].map(batch).to_vec(), false);
        context
    }

    /// A query's plan and answer.
    async fn answer(context: &SessionContext, query: &str) -> (String, String) {
        let frame = context.sql(query).await.unwrap();
        let plan = frame.clone().create_physical_plan().await.unwrap();
        let plan = displayable(plan.as_ref()).indent(false).to_string();
        (plan, pretty_format_batches(&frame.collect().await.unwrap()).unwrap().to_string())
    }

    #[tokio::test]
    async fn inputs_are_what_operators_need() {
        let (ours, theirs) = (context(Some(vec![Arc::new(OneThread)])), context(None));
        for (query, has, lacks) in [
            ("SELECT * FROM sorted ORDER BY a", "SortPreservingMergeExec", "SortExec"),
            ("SELECT * FROM mixed ORDER BY a", "SortExec", "CoalescePartitionsExec"),
            ("SELECT * FROM mixed ORDER BY name, a LIMIT 2", "SortPreservingMergeExec", "Coalesce"),
            ("SELECT * FROM sorted ORDER BY a LIMIT 4", "SortPreservingMergeExec", "Coalesce"),
            ("SELECT * FROM sorted ORDER BY name, a", "SortExec", "CoalescePartitionsExec"),
            ("SELECT a + 1 AS b FROM sorted ORDER BY a", "SortPreservingMergeExec", "SortExec"),
            ("SELECT count(*) AS n, sum(a) AS a FROM mixed", "CoalescePartitionsExec", "Sort"),
            (
                "SELECT * FROM (SELECT a FROM sorted UNION ALL SELECT a FROM mixed) ORDER BY a",
                "UnionExec",
                "CoalescePartitionsExec",
            ),
            (
                "SELECT name, count(*) AS n FROM mixed GROUP BY name ORDER BY name",
                "AggregateExec",
                "RepartitionExec",
            ),
            (
                "SELECT a, row_number() OVER (PARTITION BY name ORDER BY a) AS n FROM mixed ORDER BY a",
                "WindowAggExec",
                "CoalescePartitionsExec",
            ),
            (
                "SELECT a, sum(a) OVER (ORDER BY a) AS n FROM sorted ORDER BY a",
                "SortPreservingMergeExec",
                "SortExec",
            ),
            (
                "SELECT m.a, s.name FROM mixed AS m JOIN sorted AS s ON s.a = m.a + 1 ORDER BY m.a",
                "HashJoinExec: mode=CollectLeft",
                "RepartitionExec",
            ),
        ] {
            let (plan, said) = answer(&ours, query).await;
            assert!(plan.contains(has) && !plan.contains(lacks), "{query}:\n{plan}");
            assert_eq!(said, answer(&theirs, query).await.1, "{query}:\n{plan}");
        }
    }
}
