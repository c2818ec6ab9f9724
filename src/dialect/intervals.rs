//! Compares intervals by their length, with days of 24 hours and months of 30 days, as `PostgreSQL` and `DuckDB` do.
//! DataFusion compares first months, then days, then nanoseconds.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast as convert;
use datafusion::arrow::datatypes::{
    DataType, DurationNanosecondType, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit,
    TimeUnit,
};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, exec_datafusion_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{Cast, InList, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Between, BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, cast, lit,
};
use datafusion::optimizer::AnalyzerRule;

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
const DURATION: DataType = DataType::Duration(TimeUnit::Nanosecond);

/// The rule, which runs after types are coerced.
#[derive(Debug)]
pub struct Intervals;

impl AnalyzerRule for Intervals {
    fn name(&self) -> &'static str {
        "intervals"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        if !has_interval(&plan)? {
            return Ok(plan);
        }
        Ok(plan.transform_up_with_subqueries(rewrite)?.data)
    }
}

/// Whether a plan may have an interval or a duration: constants, casts, columns, and differences of times.
fn has_interval(plan: &LogicalPlan) -> Result<bool> {
    let mut is_found = false;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let schema = scan.source.schema();
            is_found |= schema.fields().iter().any(|field| field.data_type().is_temporal());
        }
        node.apply_expressions(|expression| {
            is_found |= expression.exists(|part| {
                Ok(match part {
                    Expr::Literal(value, _) => value.data_type().is_temporal(),
                    Expr::Cast(Cast { field, .. }) => field.data_type().is_temporal(),
                    Expr::ScalarFunction(call) => call.func.name() == "date_part",
                    _ => false,
                })
            })?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if is_found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(is_found)
}

fn rewrite(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let schema = merge_schema(&plan.inputs());
    if let LogicalPlan::Aggregate(aggregate) = &plan {
        for term in &aggregate.group_expr {
            if term.get_type(&schema).is_ok_and(|kind| kind == INTERVAL) {
                return plan_err!(
                    "GROUP BY an interval is not supported; write GROUP BY EXTRACT(epoch FROM {term})"
                );
            }
        }
    }
    let is_sort = matches!(plan, LogicalPlan::Sort(_));
    let names = NamePreserver::new(&plan);
    plan.map_expressions(|given| {
        let name = names.save(&given);
        let mut done = given.transform_up(|part| compared(part, &schema))?;
        if is_sort && is_interval(&done.data, &schema) {
            done = Transformed::yes(nanoseconds(done.data));
        }
        Ok(if is_sort { done } else { done.update_data(|data| name.restore(data)) })
    })
}

fn is_interval(value: &Expr, schema: &DFSchema) -> bool {
    value.get_type(schema).is_ok_and(|kind| matches!(kind, DataType::Interval(_)))
}

/// Replaces compared intervals by their lengths.
fn compared(part: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    Ok(match part {
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if is_comparison(op) && is_interval(&left, schema) && is_interval(&right, schema) =>
        {
            let [left, right] = [left, right].map(|side| Box::new(nanoseconds(*side)));
            Transformed::yes(Expr::BinaryExpr(BinaryExpr::new(left, op, right)))
        }
        Expr::Between(Between { expr, negated, low, high }) if is_interval(&expr, schema) => {
            let [expr, low, high] = [expr, low, high].map(|side| Box::new(nanoseconds(*side)));
            Transformed::yes(Expr::Between(Between { expr, negated, low, high }))
        }
        Expr::InList(InList { expr, list, negated }) if is_interval(&expr, schema) => {
            let list = list.into_iter().map(nanoseconds).collect();
            let expr = Box::new(nanoseconds(*expr));
            Transformed::yes(Expr::InList(InList { expr, list, negated }))
        }
        // DataFusion's loses the fraction of a second.
        Expr::ScalarFunction(ScalarFunction { func, args }) if func.name() == "date_part" => {
            match args.as_slice() {
                [Expr::Literal(part, _), time]
                    if part.to_string().eq_ignore_ascii_case("epoch")
                        && matches!(
                            time.get_type(schema)?,
                            DataType::Interval(_) | DataType::Duration(_)
                        ) =>
                {
                    let seconds = cast(nanoseconds(time.clone()), DataType::Float64) / lit(1e9);
                    Transformed::yes(seconds)
                }
                _ => Transformed::no(Expr::ScalarFunction(ScalarFunction { func, args })),
            }
        }
        other => Transformed::no(other),
    })
}

fn is_comparison(operator: Operator) -> bool {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(operator, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

fn nanoseconds(interval: Expr) -> Expr {
    Arc::new(function()).call(vec![interval])
}

/// Returns the function that comparisons of intervals call.
pub(crate) fn function() -> ScalarUDF {
    ScalarUDF::new_from_impl(Nanoseconds::new())
}

/// The length of an interval or a duration.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Nanoseconds {
    signature: Signature,
}

impl Nanoseconds {
    fn new() -> Self {
        Self { signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Nanoseconds {
    fn name(&self) -> &'static str {
        "nanoseconds"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _given: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, given: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [interval] = ColumnarValue::values_to_arrays(&given.args)?
            .try_into()
            .map_err(|_| exec_datafusion_err!("nanoseconds takes one argument"))?;
        let lengths: Int64Array = if matches!(interval.data_type(), DataType::Duration(_)) {
            let durations = convert(&interval, &DURATION)?;
            durations.as_primitive::<DurationNanosecondType>().reinterpret_cast()
        } else {
            let intervals: ArrayRef = convert(&interval, &INTERVAL)?;
            let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>();
            let length = |interval: IntervalMonthDayNano| {
                let days = i64::from(interval.months) * 30 + i64::from(interval.days);
                let whole = days.checked_mul(86_400_000_000_000)?;
                whole.checked_add(interval.nanoseconds)
            };
            let too_long =
                || exec_datafusion_err!("intervals of over 292 years cannot be compared");
            let lengths = intervals
                .iter()
                .map(|given| given.map(|it| length(it).ok_or_else(too_long)).transpose());
            lengths.collect::<Result<_>>()?
        };
        Ok(ColumnarValue::Array(Arc::new(lengths)))
    }
}
