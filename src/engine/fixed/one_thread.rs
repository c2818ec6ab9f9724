//! What the operators of a plan need of their inputs, where one thread runs all of them: one stream, in order.
//!
//! `DataFusion`'s own rule also weighs how to spread rows over threads and where to sort best, in eight passes over the plan,
//! which took longer than the few rows of a small bundle do, whichever way they are sorted.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::{LexOrdering, LexRequirement};
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
        let (input, order) = (sort.input(), sort.expr().clone());
        if input.output_partitioning().partition_count() > 1 {
            return Ok(Transformed::yes(merged(input, order.into(), sort.fetch())?));
        }
        if sort.fetch().is_none() && input.equivalence_properties().ordering_satisfy(order)? {
            return Ok(Transformed::yes(Arc::clone(input)));
        }
        return Ok(Transformed::no(plan));
    }
    let needs = plan.input_distribution_requirements();
    let needs = needs.per_child_distributions().zip(plan.required_input_ordering());
    let inputs = plan.children().into_iter().zip(needs).zip(plan.maintains_input_order());
    let mut are_met = true;
    let inputs = inputs.map(|((input, (distribution, order)), keeps_order)| {
        let order = order.map(|order| order.first().clone());
        let is_one = !matches!(distribution, Distribution::UnspecifiedDistribution);
        let met = match order {
            Some(order) if is_one => merged(input, order, None)?,
            Some(order) => sorted(input, order, None)?,
            None if is_one => one(input, keeps_order),
            None => Arc::clone(input),
        };
        are_met &= Arc::ptr_eq(&met, input);
        Ok(met)
    });
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    if are_met {
        return Ok(Transformed::no(plan));
    }
    Ok(Transformed::yes(replace_children_if_necessary(plan, inputs)?))
}

/// One stream in an order, or its first rows: streams are sorted by themselves and merged.
fn merged(
    plan: &Arc<dyn ExecutionPlan>,
    order: LexRequirement,
    fetch: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let own = plan.output_ordering().cloned();
    if plan.output_partitioning().partition_count() == 1 {
        return sorted(plan, order, fetch);
    }
    // By all that orders them, as that is what the merge is taken to keep.
    let (streams, by) = match own {
        Some(own) if fetch.is_none() && implies(plan, &own, &order)? => (Arc::clone(plan), own),
        _ => (sort(plan, order.clone().into(), fetch), order.into()),
    };
    Ok(Arc::new(SortPreservingMergeExec::new(by, streams).with_fetch(fetch)))
}

/// Each stream in an order, or its first rows.
fn sorted(
    plan: &Arc<dyn ExecutionPlan>,
    order: LexRequirement,
    fetch: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let properties = plan.equivalence_properties();
    if fetch.is_none() && properties.ordering_satisfy_requirement(order.clone())? {
        return Ok(Arc::clone(plan));
    }
    Ok(sort(plan, order.into(), fetch))
}

fn sort(
    plan: &Arc<dyn ExecutionPlan>,
    order: LexOrdering,
    fetch: Option<usize>,
) -> Arc<dyn ExecutionPlan> {
    let sort = SortExec::new(order, Arc::clone(plan));
    Arc::new(sort.with_preserve_partitioning(true).with_fetch(fetch))
}

/// Whether rows that are in one order are in another.
fn implies(
    plan: &Arc<dyn ExecutionPlan>,
    own: &LexOrdering,
    order: &LexRequirement,
) -> Result<bool> {
    let mut properties = plan.equivalence_properties().clone();
    properties.clear_orderings();
    properties.add_ordering(own.clone());
    properties.ordering_satisfy_requirement(order.clone())
}

/// One stream, in the order that each has, where whoever takes it passes that on.
fn one(plan: &Arc<dyn ExecutionPlan>, keeps_order: bool) -> Arc<dyn ExecutionPlan> {
    let streams = Arc::clone(plan);
    match plan.output_ordering().filter(|_| keeps_order) {
        _ if plan.output_partitioning().partition_count() == 1 => streams,
        Some(own) => Arc::new(SortPreservingMergeExec::new(own.clone(), streams)),
        None => Arc::new(CoalescePartitionsExec::new(streams)),
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

    /// Tables of two streams each, in the order that they say, planned by our rule; or of one in no order, by `DataFusion`'s,
    /// which merge streams of `by_two` by `a` alone and take them for ordered by both.
    fn context(is_ours: bool) -> SessionContext {
        let config = SessionConfig::new().with_target_partitions(1);
        let mut builder = SessionStateBuilder::new().with_config(config).with_default_features();
        if is_ours {
            builder = builder.with_physical_optimizer_rules(vec![Arc::new(OneThread)]);
        }
        let context = SessionContext::new_with_state(builder.build());
        let batch = |rows: [(i64, &str); 3]| {
            let a = Int64Array::from_iter_values(rows.map(|(a, _)| a));
            let names = StringArray::from_iter_values(rows.map(|(_, name)| name));
            let columns = [("a", Arc::new(a) as _), ("name", Arc::new(names) as _)];
            vec![RecordBatch::try_from_iter(columns).unwrap()]
        };
        let table = |name, order, parts: [[(i64, &str); 3]; 2]| {
            let parts = parts.map(batch).to_vec();
            let schema = parts[0][0].schema();
            let parts = if is_ours { parts } else { vec![parts.concat()] };
            let order = if is_ours { order } else { Vec::new() };
            let table = MemTable::try_new(schema, parts).unwrap().with_sort_order(order);
            context.register_table(name, Arc::new(table)).unwrap();
        };
        let (a, name) = (|| col("a").sort(true, false), |up| col("name").sort(up, !up));
        let (one, other) = ([(1, "x"), (4, "y"), (8, "x")], [(0, "y"), (5, "z"), (7, "x")]);
        table("sorted", vec![vec![a()]], [one, other]);
        let (one, other) = ([(4, "x"), (1, "z"), (8, "x")], [(9, "y"), (0, "x"), (3, "z")]);
        table("mixed", Vec::new(), [one, other]);
        let (one, other) = ([(1, "x"), (1, "z"), (2, "x")], [(1, "y"), (2, "w"), (2, "y")]);
        table("by_two", vec![vec![a(), name(true)]], [one, other]);
        let (one, other) = ([(1, "z"), (2, "y"), (3, "x")], [(4, "z"), (5, "z"), (6, "x")]);
        table("descending", vec![vec![name(false)]], [one, other]);
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
        let (ours, theirs) = (context(true), context(false));
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
                "SELECT a, name, sum(a) OVER (ORDER BY a) AS n FROM by_two ORDER BY a, name",
                "WindowAggExec",
                "CoalescePartitionsExec",
            ),
            (
                "SELECT name, a, sum(a) OVER (PARTITION BY name) AS n FROM descending ORDER BY name, a",
                "WindowAggExec",
                "CoalescePartitionsExec",
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
