//! `comparison(base, new, measure)`: compares the open bundles whose labels match one pattern with those that match
//! another.

use std::sync::Arc;

use async_trait::async_trait;
use base::Pattern;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{exec_err, internal_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::error::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::physical_plan::{ExecutionPlan, collect};
use futures::stream;
use model::compare::{Measured, Rules, Run, Runs, clock_of, compare_runs, resolution_ns};
use read::bundle::Bundle;

use super::measure::{KERNEL_TIME, MEASURES, Measure, RUNS};
use super::read::{runs, times};
use super::rows::{Row, batch, schema};
use crate::functions::Folds;
use crate::parameters::Parameters;
use crate::statement;

/// The call, for messages.
const CALL: &str = "comparison(base, new, measure)";

/// Returns the function by name.
pub fn function(folds: &Arc<Folds>) -> (&'static str, Arc<dyn TableFunctionImpl>) {
    ("comparison", Arc::new(ComparisonFunction { bundles: folds.bundles() }))
}

#[derive(Debug)]
struct ComparisonFunction {
    bundles: Arc<[Arc<Bundle>]>,
}

impl TableFunctionImpl for ComparisonFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let text = |given: &Expr| {
            let value = given.as_literal().and_then(|it| it.try_as_str().flatten());
            value.map(str::to_owned)
        };
        let given: Option<Vec<String>> = args.exprs().iter().map(text).collect();
        let (base, new, measure) = match given.as_deref() {
            Some([base, new]) => (base, new, "kernel-time"),
            Some([base, new, measure]) => (base, new, measure.as_str()),
            _ => {
                return plan_err!(
                    "{CALL} takes patterns of the labels of open bundles, and optionally a measure, as text"
                );
            }
        };
        let measure = Measure::named(measure).ok_or_else(|| {
            let names: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
            plan_datafusion_err!("the measures of {CALL} are {}", names.join(", "))
        })?;
        let bundles = Arc::clone(&self.bundles);
        Ok(Arc::new(Call { base: base.clone(), new: new.clone(), measure, bundles }))
    }
}

/// A call with its arguments.
#[derive(Debug, Clone)]
struct Call {
    base: String,
    new: String,
    measure: &'static Measure,
    bundles: Arc<[Arc<Bundle>]>,
}

#[async_trait]
impl TableProvider for Call {
    fn schema(&self) -> SchemaRef {
        schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let runs = plan(state, RUNS).await?;
        let times = plan(state, self.measure.report).await?;
        let work = if self.measure == &KERNEL_TIME {
            None
        } else {
            Some(plan(state, KERNEL_TIME.report).await?)
        };
        let rows = Compared { call: self.clone(), runs, times, work, schema: schema() };
        let table = StreamingTable::try_new(schema(), vec![Arc::new(rows)])?;
        table.scan(state, projection, filters, limit).await
    }
}

/// Plans a report.
async fn plan(state: &dyn Session, report: &str) -> Result<Arc<dyn ExecutionPlan>> {
    let session = state.as_any().downcast_ref::<SessionState>();
    let session = session.ok_or_else(|| internal_datafusion_err!("the session has no state"))?;
    let file = sql::find(sql::Kind::Report, report)
        .ok_or_else(|| internal_datafusion_err!("there is no report {report}"))?;
    let statement = statement::of_file(file, &Parameters::of_relation(report));
    let statement = statement.map_err(|error| plan_datafusion_err!("{error}"))?;
    let plan = session.statement_to_plan(statement.parsed).await?;
    session.create_physical_plan(&plan).await
}

/// The rows of a call.
#[derive(Debug)]
struct Compared {
    call: Call,
    runs: Arc<dyn ExecutionPlan>,
    times: Arc<dyn ExecutionPlan>,
    /// The dispatches by function, if the times are others.
    work: Option<Arc<dyn ExecutionPlan>>,
    schema: SchemaRef,
}

impl PartitionStream for Compared {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, task: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (call, of_runs, of_times) =
            (self.call.clone(), Arc::clone(&self.runs), Arc::clone(&self.times));
        let of_work = self.work.clone();
        let made = async move {
            let of_runs = collect(of_runs, Arc::clone(&task)).await?;
            let of_times = collect(of_times, Arc::clone(&task)).await?;
            let work = match of_work {
                Some(of_work) => times(&collect(of_work, task).await?)?.concat(),
                None => Vec::new(),
            };
            call.compare(&runs(&of_runs, &call.bundles)?, &times(&of_times)?, &work)
        };
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream::once(made)))
    }
}

impl Call {
    fn compare(
        &self,
        runs: &[Run],
        times: &[Vec<Measured>; 2],
        work: &[Measured],
    ) -> Result<RecordBatch> {
        let (is_base, is_new) = (Pattern::new(&self.base), Pattern::new(&self.new));
        let is_new = |label: &str| is_new.matches(label) && !is_base.matches(label);
        let both = [
            side(&self.base, runs, (times, work), &|label| is_base.matches(label))?,
            side(&self.new, runs, (times, work), &is_new)?,
        ];
        let both = both.map(|side| side.without_others(self.measure.modes));
        if both.iter().any(|side| side.runs.is_empty()) {
            return batch(&[]);
        }
        let clock = match clock_of(&both) {
            Ok(clock) => clock,
            Err(what) => return exec_err!("{what}"),
        };
        let [base, new] = &both;
        let rules = Rules { resolution_ns: resolution_ns(&both, clock), ..Rules::default() };
        let (_, found) = compare_runs([base, new], (clock, true), &rules);
        batch(&Row::all(&new.name, &found).collect::<Vec<_>>())
    }
}

/// Selects the runs of a side by label. A pattern may match none, but a label has to exist.
fn side(
    name: &str,
    runs: &[Run],
    ([device, host], work): (&[Vec<Measured>; 2], &[Measured]),
    is_of: &dyn Fn(&str) -> bool,
) -> Result<Runs> {
    let of = |rows: &[Measured]| rows.iter().filter(|row| is_of(&row.run)).cloned().collect();
    let chosen: Vec<Run> = runs.iter().filter(|run| is_of(&run.name)).cloned().collect();
    if chosen.is_empty() && !name.contains(['*', '?']) {
        let labels: Vec<&str> = runs.iter().map(|run| &*run.name).collect();
        return exec_err!(
            "{CALL}: no open bundle is called {name}, or it is on the other side; open are {}",
            labels.join(", ")
        );
    }
    let (device, host, work) = (of(device), of(host), of(work));
    let name = name.to_owned();
    Ok(Runs { name, runs: chosen, device, host, work, ..Runs::default() }.without_copies())
}
