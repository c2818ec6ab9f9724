//! An optimizer rule that groups by the numbers of looked-up names instead of the names.
//!
//! Hashing and comparing the name of a function takes longer than all other work of `GROUP BY key` on a dispatch. If
//! a partial aggregate groups by such names, its input returns interned numbers instead, and a projection above it,
//! which sees one row per group, maps them back to names.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::ScalarUDF;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;

use crate::functions::{Lookup, Numbers, TextOf};

/// The optimizer rule, with the numbers of the names.
#[derive(Debug, Default)]
pub struct GroupingByNumber(Arc<Numbers>);

impl PhysicalOptimizerRule for GroupingByNumber {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let grouped = plan.transform_up(|node| {
            let numbered = node.downcast_ref::<AggregateExec>().map(|it| self.number(it, config));
            Ok(match numbered.transpose()?.flatten() {
                Some(numbered) => Transformed::yes(numbered),
                None => Transformed::no(node),
            })
        })?;
        Ok(grouped.data)
    }

    fn name(&self) -> &'static str {
        "grouping_by_number"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

impl GroupingByNumber {
    /// Rewrites an aggregate to group by numbers, with a projection to names above it; `None` if it does not group by
    /// looked-up names.
    fn number(
        &self,
        aggregate: &AggregateExec,
        config: &ConfigOptions,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let groups = aggregate.group_expr();
        let is_plain = *aggregate.mode() == AggregateMode::Partial && groups.is_single();
        if !is_plain || aggregate.limit_options().is_some() {
            return Ok(None);
        }
        let mut input = Arc::clone(aggregate.input());
        let mut numbered = Vec::new();
        for (nth, (group, _)) in groups.expr().iter().enumerate() {
            // Other uses of the column would see numbers instead of names.
            if let Some(column) = group.downcast_ref::<Column>()
                && uses(aggregate, column) == 1
                && let Some(with_numbers) = self.input(&input, column.index(), config)?
            {
                input = with_numbers;
                numbered.push(nth);
            }
        }
        if numbered.is_empty() {
            return Ok(None);
        }
        let schema = input.schema();
        let (sums, filters) = (aggregate.aggr_expr().to_vec(), aggregate.filter_expr().to_vec());
        let partial = AggregateExec::try_new(
            AggregateMode::Partial,
            groups.clone(),
            sums,
            filters,
            input,
            schema,
        )?;
        let schema = partial.schema();
        let column = |(nth, name): (usize, &String)| {
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(name, nth));
            let expr = if numbered.contains(&nth) {
                let text_of = Arc::new(ScalarUDF::new_from_impl(TextOf::new(&self.0)));
                call(text_of, vec![column], &schema, config)?
            } else {
                column
            };
            Ok(ProjectionExpr { expr, alias: name.clone() })
        };
        let names = schema.fields().iter().map(|field| field.name());
        let columns = names.enumerate().map(column).collect::<Result<Vec<_>>>()?;
        Ok(Some(Arc::new(ProjectionExec::try_new(columns, Arc::new(partial))?)))
    }

    /// Rewrites a plan to return numbers instead of names in a column; `None` if the column is not a lookup.
    fn input(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        column: usize,
        config: &ConfigOptions,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        if let Some(union) = plan.downcast_ref::<UnionExec>() {
            let inputs = union.inputs().iter().map(|input| self.input(input, column, config));
            let inputs = inputs.collect::<Result<Option<Vec<_>>>>()?;
            return inputs.map(UnionExec::try_new).transpose();
        }
        let Some(projection) = plan.downcast_ref::<ProjectionExec>() else { return Ok(None) };
        let mut columns = projection.expr().to_vec();
        let Some(looked_up) = columns.get_mut(column) else { return Ok(None) };
        let Some(function) = looked_up.expr.downcast_ref::<ScalarFunctionExpr>() else {
            return Ok(None);
        };
        let lookup = function.fun().inner().downcast_ref::<Lookup>();
        let Some(numbered) = lookup.and_then(|lookup| lookup.numbered(&self.0)) else {
            return Ok(None);
        };
        let numbered = Arc::new(ScalarUDF::new_from_impl(numbered));
        let arguments = function.args().to_vec();
        looked_up.expr = call(numbered, arguments, &projection.input().schema(), config)?;
        let input = Arc::clone(projection.input());
        Ok(Some(Arc::new(ProjectionExec::try_new(columns, input)?)))
    }
}

/// Counts the expressions of an aggregate that use a column.
fn uses(aggregate: &AggregateExec, column: &Column) -> usize {
    let groups = aggregate.group_expr().input_exprs();
    let aggregates = aggregate.aggr_expr().iter().flat_map(|function| {
        let used = function.all_expressions();
        used.args.into_iter().chain(used.order_by_exprs)
    });
    let filters = aggregate.filter_expr().iter().flatten().cloned();
    let uses = |expression: &Arc<dyn PhysicalExpr>| {
        collect_columns(expression).iter().any(|used| used.index() == column.index())
    };
    groups.into_iter().chain(aggregates).chain(filters).filter(uses).count()
}

fn call(
    function: Arc<ScalarUDF>,
    arguments: Vec<Arc<dyn PhysicalExpr>>,
    schema: &Schema,
    config: &ConfigOptions,
) -> Result<Arc<dyn PhysicalExpr>> {
    let config = Arc::new(config.clone());
    Ok(Arc::new(ScalarFunctionExpr::try_new(function, arguments, schema, config)?))
}
