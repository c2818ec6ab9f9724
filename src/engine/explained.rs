//! EXPLAIN and EXPLAIN ANALYZE as a relation: a row for each operator, below those that read its rows.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::format::ExplainStatementOptions;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::{DisplayFormatType, ExecutionPlan, execute_stream};
use datafusion::sql::parser::ExplainStatement;
use futures::TryStreamExt;

/// Operators in the words of SQL; the others keep DataFusion's name.
const WORDS: &[(&str, &str)] = &[
    ("AggregateExec", "aggregate"),
    ("BoundedWindowAggExec", "window"),
    ("BundleScan", "scan"),
    ("CrossJoinExec", "cross join"),
    ("DataSourceExec", "read"),
    ("DatasetScan", "scan"),
    ("EmptyExec", "no rows"),
    ("FilterExec", "filter"),
    ("GlobalLimitExec", "limit"),
    ("HashJoinExec", "hash join"),
    ("LazyMemoryExec", "generate"),
    ("LocalLimitExec", "limit"),
    ("NestedLoopJoinExec", "loop join"),
    ("PlaceholderRowExec", "one row"),
    ("ProjectionExec", "compute"),
    ("SortExec", "sort"),
    ("SortExec(TopK)", "sort"),
    ("SortPreservingMergeExec", "merge"),
    ("StreamingTableExec", "scan"),
    ("UnionExec", "union"),
    ("UnnestExec", "unnest"),
    ("WindowAggExec", "window"),
];

/// Operators that only pass rows on between threads.
const PASSING: &[&str] = &[
    "CoalesceBatchesExec",
    "CoalescePartitionsExec",
    "CompactExec",
    "CooperativeExec",
    "RepartitionExec",
];

/// Longest description, in letters.
const LONGEST: usize = 200;

/// True if DataFusion's own output was not asked for.
pub fn is_plain(explain: &ExplainStatement) -> bool {
    let analyze = explain.options.analyze;
    explain.options == ExplainStatementOptions { analyze, ..Default::default() }
}

/// Explains a plan. With `analyze`, runs it.
pub async fn explained(
    context: &SessionContext,
    plan: &LogicalPlan,
    analyze: bool,
) -> Result<RecordBatch> {
    let physical = context.state().create_physical_plan(plan).await?;
    if analyze {
        let mut rows = execute_stream(Arc::clone(&physical), context.task_ctx())?;
        while rows.try_next().await?.is_some() {}
    }
    let mut lines = Vec::new();
    describe(physical.as_ref(), 0, &mut lines);
    let operators = lines.iter().map(|line| Some(line.operator.as_str()));
    let mut columns: Vec<ArrayRef> = vec![Arc::new(operators.collect::<StringArray>())];
    if analyze {
        columns.push(Arc::new(lines.iter().map(|it| it.rows).collect::<UInt64Array>()));
        columns.push(Arc::new(lines.iter().map(|it| it.ms).collect::<Float64Array>()));
    }
    let what = lines.iter().map(|line| Some(line.what.as_str()));
    columns.push(Arc::new(what.collect::<StringArray>()));
    RecordBatch::try_new(schema(analyze), columns).map_err(DataFusionError::from)
}

/// Returns the columns of what [`explained`] returns.
pub fn schema(analyze: bool) -> SchemaRef {
    let of_run = [("rows", DataType::UInt64), ("ms", DataType::Float64)];
    let of_run = of_run.into_iter().filter(|_| analyze);
    let all = [("operator", DataType::Utf8)].into_iter().chain(of_run);
    let all = all.chain([("what", DataType::Utf8)]);
    Arc::new(Schema::new(all.map(|(name, of)| Field::new(name, of, true)).collect::<Vec<_>>()))
}

struct Line {
    operator: String,
    what: String,
    rows: Option<u64>,
    ms: Option<f64>,
}

fn describe(plan: &dyn ExecutionPlan, depth: usize, lines: &mut Vec<Line>) {
    let what = what(plan);
    // A projection without facts only leaves out columns.
    let is_empty = plan.name() == "ProjectionExec" && what.is_empty();
    let is_shown = !PASSING.contains(&plan.name()) && !is_empty;
    if is_shown {
        let word = WORDS.iter().find(|(name, _)| *name == plan.name());
        let word = word.map_or_else(|| plan.name(), |(_, word)| word);
        let metrics = plan.metrics();
        let rows = metrics.as_ref().and_then(MetricsSet::output_rows);
        let nanoseconds = metrics.as_ref().and_then(MetricsSet::elapsed_compute);
        lines.push(Line {
            operator: format!("{}{word}", "  ".repeat(depth)),
            what,
            rows: rows.and_then(|rows| u64::try_from(rows).ok()),
            ms: nanoseconds
                .and_then(|it| u32::try_from(it / 1000).ok())
                .map(|us| f64::from(us) / 1e3),
        });
    }
    for child in plan.children() {
        describe(child.as_ref(), depth + usize::from(is_shown), lines);
    }
}

/// Returns what an operator does, in one line.
fn what(plan: &dyn ExecutionPlan) -> String {
    struct Shown<'a>(&'a dyn ExecutionPlan);
    impl fmt::Display for Shown<'_> {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt_as(DisplayFormatType::TreeRender, formatter)
        }
    }
    let text = Shown(plan).to_string();
    let facts = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_noise(line));
    let facts = facts.map(|line| line.strip_prefix("predicate=").unwrap_or(line));
    let text = facts.collect::<Vec<_>>().join(", ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// True for a fact that says nothing: a column under its own name, and how DataFusion stores rows.
fn is_noise(fact: &str) -> bool {
    let says_itself = |separator| fact.split_once(separator).is_some_and(|(name, of)| name == of);
    says_itself("=")
        || says_itself(": ")
        || ["format=", "bytes=", "rows="].iter().any(|it| fact.starts_with(it))
}
