//! Folds as table functions: each bundle's pass runs once for the same arguments, when its rows are first wanted.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::stream;

use super::provider::external;
use crate::bundle::{Bundle, limits};
use crate::fold::{Argument, Call, FOLDS, Fold, Metadata, Output, Parameter, labelled};

/// The open bundles, what is known of each, and the folds that have run.
pub struct Folds {
    bundles: Arc<[Arc<Bundle>]>,
    threads: usize,
    metadata: Vec<OnceLock<Arc<Metadata>>>,
    runs: Mutex<HashMap<Run, Arc<Results>>>,
}

/// A fold, by its place in the list, and what it was called with.
type Run = (usize, Vec<Argument>);

/// For each bundle, the rows of each output.
type Results = Vec<OnceLock<Arc<Vec<RecordBatch>>>>;

impl Folds {
    /// Nothing has run yet.
    pub fn new(bundles: Arc<[Arc<Bundle>]>, threads: usize) -> Self {
        let metadata = bundles.iter().map(|_| OnceLock::new()).collect();
        Self { bundles, threads, metadata, runs: Mutex::default() }
    }

    /// What the events of the n-th bundle refer to.
    pub fn metadata(&self, nth: usize) -> Result<Option<Arc<Metadata>>> {
        let (Some(bundle), Some(known)) = (self.bundles.get(nth), self.metadata.get(nth)) else {
            return Ok(None);
        };
        if let Some(known) = known.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let read = Arc::new(Metadata::read(bundle).map_err(external)?);
        Ok(Some(Arc::clone(known.get_or_init(|| read))))
    }

    /// What the events of the bundle with this label refer to.
    pub fn metadata_of(&self, label: &str) -> Result<Option<Arc<Metadata>>> {
        match self.bundles.iter().position(|bundle| bundle.label == label) {
            Some(nth) => self.metadata(nth),
            None => Ok(None),
        }
    }

    /// The bundle with this label.
    pub fn bundle_of(&self, label: &str) -> Option<&Arc<Bundle>> {
        self.bundles.iter().find(|bundle| bundle.label == label)
    }

    /// Every output as a table function, by name.
    pub fn functions(
        self: &Arc<Self>,
    ) -> impl Iterator<Item = (&'static str, Arc<dyn TableFunctionImpl>)> {
        FOLDS.iter().enumerate().flat_map(move |(fold, Fold { outputs, .. })| {
            let folds = Arc::clone(self);
            outputs.iter().enumerate().map(move |(nth, output)| {
                let function = Function { folds: Arc::clone(&folds), fold, nth, output };
                (output.name, Arc::new(function) as Arc<dyn TableFunctionImpl>)
            })
        })
    }

    /// The rows of one output for the n-th bundle.
    fn rows(&self, run: &Run, output: usize, bundle_nth: usize) -> Result<Option<RecordBatch>> {
        let results = {
            let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(self.bundles.iter().map(|_| OnceLock::new()).collect());
            Arc::clone(runs.entry(run.clone()).or_insert_with(new))
        };
        let Some(cell) = results.get(bundle_nth) else { return Ok(None) };
        if let Some(done) = cell.get() {
            return Ok(done.get(output).cloned());
        }
        let (Some(bundle), Some(fold)) = (self.bundles.get(bundle_nth), FOLDS.get(run.0)) else {
            return Ok(None);
        };
        let metadata = if fold.wants_metadata() { self.metadata(bundle_nth)? } else { None };
        let metadata = metadata.unwrap_or_default();
        let threads = if bundle.directory.end < limits::PARALLEL_BYTES { 1 } else { self.threads };
        let call = Call { bundle, metadata: &metadata, arguments: &run.1, threads };
        let columns = (fold.run)(&call).map_err(external)?;
        let labelled = fold
            .outputs
            .iter()
            .zip(columns)
            .map(|(output, columns)| labelled(output, bundle, columns));
        let batches: Vec<RecordBatch> = labelled.collect::<Result<_, _>>()?;
        Ok(cell.get_or_init(|| Arc::new(batches)).get(output).cloned())
    }
}

impl fmt::Debug for Folds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Folds").finish_non_exhaustive()
    }
}

/// One output.
#[derive(Debug, Clone)]
struct Function {
    folds: Arc<Folds>,
    fold: usize,
    nth: usize,
    output: &'static Output,
}

impl TableFunctionImpl for Function {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let given = args.exprs();
        let wanted = self.output.arguments;
        if given.len() != wanted.len() {
            return plan_err!("it is called {}", self.output.call());
        }
        let arguments: Vec<Argument> = given
            .iter()
            .zip(wanted)
            .map(|(expression, parameter)| argument(expression, *parameter, self.output))
            .collect::<Result<_>>()?;
        let schema = self.output.schema();
        let rows = Rows {
            function: self.clone(),
            run: (self.fold, arguments),
            schema: Arc::clone(&schema),
        };
        Ok(Arc::new(StreamingTable::try_new(schema, vec![Arc::new(rows)])?))
    }
}

fn argument(expression: &Expr, parameter: Parameter, output: &Output) -> Result<Argument> {
    let Expr::Literal(value, _) = expression else {
        return plan_err!("the arguments of {} are literals", output.call());
    };
    match (parameter, value) {
        (Parameter::Id, ScalarValue::UInt64(number)) => Ok(Argument::Number(*number)),
        (Parameter::Id, ScalarValue::Int64(Some(number))) if *number >= 0 => {
            Ok(Argument::Number(Some(number.cast_unsigned())))
        }
        (Parameter::Id, value) if value.is_null() => Ok(Argument::Number(None)),
        (Parameter::By | Parameter::Filter, value) => match value.try_as_str() {
            Some(Some(text)) => Ok(Argument::Text(text.to_owned())),
            _ => plan_err!("{} of {} is text", parameter.name(), output.call()),
        },
        (Parameter::Id, _) => plan_err!("id of {} is a number from 0 on, or NULL", output.call()),
    }
}

/// The rows of one call.
#[derive(Debug)]
struct Rows {
    function: Function,
    run: Run,
    schema: SchemaRef,
}

impl PartitionStream for Rows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (function, run) = (self.function.clone(), self.run.clone());
        let batches = (0..function.folds.bundles.len())
            .filter_map(move |bundle| function.folds.rows(&run, function.nth, bundle).transpose())
            .flat_map(|batch| match batch {
                Ok(batch) => sliced(&batch).map(Ok).collect(),
                Err(error) => vec![Err(error)],
            });
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream::iter(batches)))
    }
}

/// A large batch in the usual sizes.
fn sliced(batch: &RecordBatch) -> impl Iterator<Item = RecordBatch> + '_ {
    (0..batch.num_rows())
        .step_by(limits::BATCH_ROWS)
        .map(|start| batch.slice(start, limits::BATCH_ROWS.min(batch.num_rows() - start)))
}
