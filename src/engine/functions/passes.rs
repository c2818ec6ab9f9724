//! Exposes passes as table functions. A pass runs once per bundle and arguments, when its rows are first read; the
//! session keeps the result.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use base::in_order;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryPool, MemoryReservation, UnboundedMemoryPool};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, col};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::{StreamExt, TryStreamExt, stream};
use model::operation::ExternalFacts;
use passes::fold::{
    self, Argument, BestClocks, Call, Clocks, Definitions, Flows, HeapBytes, Invocations, Metadata,
    Occurrences, Output, Parameter, Pass, Relation, labelled, read_clocks,
};
use passes::rules;
use read::bundle::{Bundle, BundleError, limits};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::OnceCell;
use tokio::task::block_in_place;

use super::error::external;
use super::pass_arguments::arguments;
use super::pass_results::{Batches, Made, reserve};

/// Returns all passes.
fn passes() -> impl Iterator<Item = &'static Pass> {
    fold::PASSES.iter().chain(rules::PASSES).copied()
}

/// The open bundles, cached lookups of each, and the results of passes.
pub struct Folds {
    bundles: Arc<[Arc<Bundle>]>,
    threads: usize,
    metadata: OfBundles<Metadata>,
    definitions: OfBundles<Definitions>,
    clocks: OfBundles<Clocks>,
    flows: OfBundles<Flows>,
    invocations: OfBundles<Invocations>,
    best_clocks: OfBundles<BestClocks>,
    occurrences: OfBundles<Occurrences>,
    runs: Mutex<HashMap<Run, Arc<Results>>>,
    known: Arc<ExternalFacts>,
    pool: Arc<dyn MemoryPool>,
}

/// A value per bundle, read on first use, with the memory that it holds. Other threads wait for it, as reading may take
/// much memory.
struct OfBundles<T>(Vec<Mutex<Option<Cached<T>>>>);

type Cached<T> = (Arc<T>, MemoryReservation);

impl<T: HeapBytes> OfBundles<T> {
    fn of(bundles: &[Arc<Bundle>]) -> Self {
        Self(bundles.iter().map(|_| Mutex::default()).collect())
    }

    /// Returns the value of the n-th bundle.
    fn get(
        &self,
        nth: usize,
        bundle: &Bundle,
        pool: &Arc<dyn MemoryPool>,
        read: impl FnOnce() -> Result<T, BundleError>,
    ) -> Result<Option<Arc<T>>> {
        let Some(known) = self.0.get(nth) else { return Ok(None) };
        let mut known = match known.try_lock() {
            Ok(known) => known,
            Err(TryLockError::Poisoned(known)) => known.into_inner(),
            Err(TryLockError::WouldBlock) => {
                waiting(|| known.lock().unwrap_or_else(PoisonError::into_inner))
            }
        };
        if let Some((known, _)) = known.as_ref() {
            return Ok(Some(Arc::clone(known)));
        }
        let read = read();
        bundle.whole().map_err(external)?;
        let read = Arc::new(read.map_err(external)?);
        let held = reserve(pool, &format!("the index of {}", bundle.label), read.heap_bytes())?;
        *known = Some((Arc::clone(&read), held));
        Ok(Some(read))
    }
}

/// Waits for another thread. The tasks of this one run on a further thread meanwhile, so that no processor is idle.
fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(wait),
        _ => wait(),
    }
}

/// The index of a pass, and its arguments.
type Run = (usize, Vec<Argument>);

/// The relations of a run by bundle.
type Results = Vec<OnceCell<Arc<Made>>>;

impl Folds {
    /// Returns the open bundles.
    pub fn bundles(&self) -> Arc<[Arc<Bundle>]> {
        Arc::clone(&self.bundles)
    }

    /// Creates the passes over `bundles`. Nothing runs yet.
    pub fn new(bundles: Arc<[Arc<Bundle>]>, threads: usize) -> Self {
        Self {
            metadata: OfBundles::of(&bundles),
            definitions: OfBundles::of(&bundles),
            clocks: OfBundles::of(&bundles),
            flows: OfBundles::of(&bundles),
            invocations: OfBundles::of(&bundles),
            best_clocks: OfBundles::of(&bundles),
            occurrences: OfBundles::of(&bundles),
            bundles,
            threads,
            runs: Mutex::default(),
            known: Arc::default(),
            pool: Arc::new(UnboundedMemoryPool::default()),
        }
    }

    /// Adds what is known of functions and devices besides the bundles.
    #[must_use]
    pub(crate) fn knowing(self, known: Arc<ExternalFacts>) -> Self {
        Self { known, ..self }
    }

    /// Limits the memory of the results of passes.
    #[must_use]
    pub fn within(self, pool: Arc<dyn MemoryPool>) -> Self {
        Self { pool, ..self }
    }

    /// Returns what is known of functions and devices besides the bundles.
    pub fn known(&self) -> &ExternalFacts {
        &self.known
    }

    /// Returns the metadata of the n-th bundle.
    pub fn metadata(&self, nth: usize) -> Result<Option<Arc<Metadata>>> {
        let Some(bundle) = self.bundles.get(nth) else { return Ok(None) };
        self.metadata.get(nth, bundle, &self.pool, || Metadata::read(bundle))
    }

    /// Returns the metadata of the bundle with this label.
    pub(crate) fn metadata_of(&self, label: &str) -> Result<Option<Arc<Metadata>>> {
        self.of(label, &self.metadata, Metadata::read)
    }

    /// Returns the functions of the bundle with this label, by session.
    pub(crate) fn definitions_of(&self, label: &str) -> Result<Option<Arc<Definitions>>> {
        self.of(label, &self.definitions, Definitions::read)
    }

    /// Returns the clocks of the bundle with this label.
    pub(crate) fn clocks_of(&self, label: &str) -> Result<Option<Arc<Clocks>>> {
        self.of(label, &self.clocks, read_clocks)
    }

    /// Returns the flows between the events of the bundle with this label.
    pub(crate) fn flows_of(&self, label: &str) -> Result<Option<Arc<Flows>>> {
        self.of(label, &self.flows, Flows::read)
    }

    /// Returns the invocations of the bundle with this label.
    pub(crate) fn invocations_of(&self, label: &str) -> Result<Option<Arc<Invocations>>> {
        self.nth_of(label).map_or(Ok(None), |nth| self.invocations(nth))
    }

    /// Returns the invocations of the n-th bundle.
    fn invocations(&self, nth: usize) -> Result<Option<Arc<Invocations>>> {
        let Some(bundle) = self.bundles.get(nth) else { return Ok(None) };
        let (Some(clocks), Some(best)) =
            (self.clocks_of(&bundle.label)?, self.best_clocks_of(&bundle.label)?)
        else {
            return Ok(None);
        };
        let given = self.known.calls;
        let read = || Invocations::read(bundle, &clocks, &best, given);
        let found = self.invocations.get(nth, bundle, &self.pool, read)?;
        match given.zip(found.as_ref()) {
            Some((given, found)) if !found.are(given) => {
                plan_err!(
                    "option `calls={given}`: the dispatches of {} are not divided into as many calls; possible are {}",
                    bundle.label,
                    found.counts()
                )
            }
            _ => Ok(found),
        }
    }

    /// Returns the best clocks of the devices of the bundle with this label.
    pub(crate) fn best_clocks_of(&self, label: &str) -> Result<Option<Arc<BestClocks>>> {
        let Some(clocks) = self.clocks_of(label)? else { return Ok(None) };
        self.of(label, &self.best_clocks, |bundle| BestClocks::read(bundle, &clocks))
    }

    /// Returns the numbers of the dispatches of the bundle with this label among those of their function.
    pub(crate) fn occurrences_of(&self, label: &str) -> Result<Option<Arc<Occurrences>>> {
        let invocations = self.invocations_of(label)?;
        let (Some(invocations), Some(definitions)) = (invocations, self.definitions_of(label)?)
        else {
            return Ok(None);
        };
        let read = |bundle: &Arc<Bundle>| Occurrences::read(bundle, &invocations, &definitions);
        self.of(label, &self.occurrences, read)
    }

    fn of<T: HeapBytes>(
        &self,
        label: &str,
        known: &OfBundles<T>,
        read: impl FnOnce(&Arc<Bundle>) -> Result<T, BundleError>,
    ) -> Result<Option<Arc<T>>> {
        match self.nth_of(label).and_then(|nth| Some((nth, self.bundles.get(nth)?))) {
            Some((nth, bundle)) => known.get(nth, bundle, &self.pool, || read(bundle)),
            None => Ok(None),
        }
    }

    fn nth_of(&self, label: &str) -> Option<usize> {
        self.bundles.iter().position(|bundle| bundle.label == label)
    }

    /// Returns the bundle with this label.
    pub fn bundle_of(&self, label: &str) -> Option<&Arc<Bundle>> {
        self.bundles.iter().find(|bundle| bundle.label == label)
    }

    /// Returns every output as a table function, by name.
    pub fn functions(
        self: &Arc<Self>,
    ) -> impl Iterator<Item = (&'static str, Arc<dyn TableFunctionImpl>)> {
        passes().enumerate().flat_map(move |(fold, pass)| {
            let folds = Arc::clone(self);
            pass.outputs.iter().enumerate().map(move |(nth, output)| {
                let parameters = pass.parameters;
                let function =
                    PassFunction { folds: Arc::clone(&folds), fold, nth, output, parameters };
                (output.name, Arc::new(function) as Arc<dyn TableFunctionImpl>)
            })
        })
    }

    /// Returns the results of a run so far.
    fn results(&self, run: &Run) -> Arc<Results> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let none = || Arc::new(self.bundles.iter().map(|_| OnceCell::new()).collect());
        Arc::clone(runs.entry(run.clone()).or_insert_with(none))
    }

    /// Returns the relations of a run for a bundle. The first caller computes them; others wait for it.
    async fn relations(&self, run: &Run, bundle_nth: usize) -> Result<Arc<Made>> {
        let results = self.results(run);
        match results.get(bundle_nth) {
            Some(cell) => {
                self.make_small(run, &results, bundle_nth);
                let made = cell.get_or_try_init(|| async { self.make(run, bundle_nth) });
                made.await.map(Arc::clone)
            }
            None => Ok(Arc::default()),
        }
    }

    /// Computes the relations of the next bundles on all threads, if they are small: a pass over a small bundle takes
    /// only one. What fails is computed again, and fails again, when it is asked for.
    fn make_small(&self, run: &Run, results: &Results, first: usize) {
        let is_next = |nth: &usize| {
            let is_new = results.get(*nth).is_some_and(|cell| !cell.initialized());
            is_new && self.bundles.get(*nth).is_some_and(|bundle| is_small(bundle))
        };
        let last = self.bundles.len().min(first + BUNDLES_AT_ONCE);
        let next: Vec<usize> = (first..last).filter(is_next).collect();
        if next.first() == Some(&first) && next.len() > 1 {
            in_order(&next, self.threads, |nth| {
                if let (Ok(made), Some(cell)) = (self.make(run, *nth), results.get(*nth)) {
                    // Another thread may have computed them meanwhile.
                    let _ = cell.set(made);
                }
            });
        }
    }

    /// Returns all rows of a small relation. Called while planning, where waiting is not possible: two threads may
    /// both compute them, and one result is kept.
    fn whole(&self, run: &Run, output: usize) -> Result<Vec<RecordBatch>> {
        let results = self.results(run);
        let mut batches = Vec::with_capacity(results.len());
        for (bundle_nth, cell) in results.iter().enumerate() {
            let made = match cell.get() {
                Some(made) => Arc::clone(made),
                None => self.make(run, bundle_nth)?,
            };
            if let Some(Batches::Whole(batch)) = made.outputs.get(output) {
                batches.push(batch.clone());
            }
            let _ = cell.set(made);
        }
        Ok(batches)
    }

    fn make(&self, run: &Run, bundle_nth: usize) -> Result<Arc<Made>> {
        let (Some(bundle), Some(pass)) = (self.bundles.get(bundle_nth), passes().nth(run.0)) else {
            return Ok(Arc::default());
        };
        let metadata = if pass.reads_metadata { self.metadata(bundle_nth)? } else { None };
        let metadata = metadata.unwrap_or_default();
        let invocations =
            if pass.needs_invocations(&run.1) { self.invocations(bundle_nth)? } else { None };
        let invocations = invocations.unwrap_or_default();
        let threads = if is_small(bundle) { 1 } else { self.threads };
        let call = Call {
            bundle,
            metadata: &metadata,
            invocations: &invocations,
            arguments: &run.1,
            threads,
        };
        let relations = pass.run(&call);
        bundle.whole().map_err(external)?;
        let relations = relations.map_err(external)?;
        let made = pass.outputs.iter().zip(relations).map(|(output, relation)| {
            Ok(match relation {
                Relation::Whole(columns) => Batches::Whole(labelled(output, bundle, columns)?),
                Relation::Sliced(slices) => {
                    Batches::Sliced { output, bundle: Arc::clone(bundle), slices }
                }
            })
        });
        let outputs = made.collect::<Result<Vec<_>>>()?;
        let bytes = outputs.iter().map(Batches::bytes).sum();
        let name = pass
            .outputs
            .first()
            .map_or_else(String::new, |first| format!("{} of {}", first.name, bundle.label));
        let held = reserve(&self.pool, &name, bytes)?;
        Ok(Arc::new(Made { outputs, _held: Some(held) }))
    }
}

/// Number of small bundles whose relations are computed together.
const BUNDLES_AT_ONCE: usize = 256;

/// Whether a pass over the bundle takes one thread.
fn is_small(bundle: &Bundle) -> bool {
    bundle.directory.end < limits::PARALLEL_BYTES
}

impl fmt::Debug for Folds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Folds").finish_non_exhaustive()
    }
}

/// The table function of an output.
#[derive(Debug, Clone)]
struct PassFunction {
    folds: Arc<Folds>,
    fold: usize,
    nth: usize,
    output: &'static Output,
    parameters: &'static [Parameter],
}

impl TableFunctionImpl for PassFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let literal = |given: &Expr| given.as_literal().cloned();
        let arguments = arguments(args.exprs().iter().map(literal), self.parameters, self.output)?;
        let schema = self.output.schema();
        if passes().nth(self.fold).is_some_and(|pass| pass.is_small) {
            let batches = self.folds.whole(&(self.fold, arguments), self.nth)?;
            return Ok(Arc::new(MemTable::try_new(schema, vec![batches])?));
        }
        let parts = if self.output.is_sliced { self.folds.threads } else { 1 };
        let part = |part| {
            let (function, run) = (self.clone(), (self.fold, arguments.clone()));
            let schema = Arc::clone(&schema);
            Arc::new(CallPartition { function, run, schema, part, parts })
                as Arc<dyn PartitionStream>
        };
        let table = StreamingTable::try_new(Arc::clone(&schema), (0..parts).map(part).collect())?;
        // The rows of several bundles are in the order in which the bundles were opened, not sorted by label.
        let is_ordered = self.output.is_sliced && self.folds.bundles.len() == 1;
        let order = [col(BUNDLE), col(POSITION)].map(|column| column.sort(true, false));
        Ok(Arc::new(if is_ordered { table.with_sort_order(order.into()) } else { table }))
    }
}

/// The columns by which large relations are sorted.
const BUNDLE: &str = "bundle";
const POSITION: &str = "position";

/// One partition of a call: every `parts`-th batch, so that partitions are balanced and each is sorted.
#[derive(Debug)]
struct CallPartition {
    function: PassFunction,
    run: Run,
    schema: SchemaRef,
    part: usize,
    parts: usize,
}

impl PartitionStream for CallPartition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (folds, output) = (Arc::clone(&self.function.folds), self.function.nth);
        let (run, part, parts) = (self.run.clone(), self.part, self.parts);
        let batch_rows = context.session_config().batch_size();
        let batches = stream::iter(0..folds.bundles.len())
            .then(move |bundle| {
                let (folds, run) = (Arc::clone(&folds), run.clone());
                async move { folds.relations(&run, bundle).await }
            })
            .map_ok(move |made| stream::iter(batches(made, output, (part, parts), batch_rows)))
            .try_flatten();
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches))
    }
}

/// Returns every `parts`-th batch of an output, starting at batch `part`.
fn batches(
    made: Arc<Made>,
    output: usize,
    (part, parts): (usize, usize),
    batch_rows: usize,
) -> impl Iterator<Item = Result<RecordBatch>> {
    let rows = made.outputs.get(output).map_or(0, Batches::rows);
    let starts = (0..rows).step_by(batch_rows.max(1)).skip(part).step_by(parts.max(1));
    starts.filter_map(move |start| Some(made.outputs.get(output)?.slice(start, batch_rows)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::datatypes::UInt64Type;
    use read::bundle::{BundleSource, OpenOptions, open};

    use super::*;

    #[test]
    fn large_relations_are_in_the_order_of_their_positions() {
        let mut ordered = 0;
        for capture in ["mlp-vulkan", "mlp-local-task", "queue-only"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(capture);
            let source = BundleSource::named("capture".into(), path.with_extension("ireeprof"));
            let folds =
                Folds::new([Arc::new(open(&source, &OpenOptions::default()).unwrap())].into(), 1);
            for (fold, pass) in passes().enumerate() {
                for by in ["dispatch", "command", "queue"] {
                    for (nth, output) in pass.outputs.iter().enumerate() {
                        if !output.is_sliced {
                            continue;
                        }
                        let given = |parameter: &Parameter| match parameter {
                            Parameter::By => Argument::Text(by.into()),
                            Parameter::Filter => Argument::Text("*".into()),
                            Parameter::Id => Argument::Number(None),
                            Parameter::Warmup => Argument::Signed(-1),
                            Parameter::Time => Argument::Signed(0),
                        };
                        let run = (fold, pass.parameters.iter().map(given).collect());
                        let positions = positions(folds.make(&run, 0).unwrap(), nth, output);
                        assert!(positions.is_sorted(), "{}: {positions:?}", output.name);
                        ordered += usize::from(positions.len() > 1);
                    }
                }
            }
        }
        assert!(ordered > 5, "{ordered} relations have several rows");
    }

    /// Returns the positions of an output's rows.
    fn positions(made: Arc<Made>, nth: usize, output: &Output) -> Vec<u64> {
        let place = output.schema().index_of(POSITION).unwrap();
        let of = |batch: Result<RecordBatch>| {
            batch.unwrap().column(place).as_primitive::<UInt64Type>().values().to_vec()
        };
        batches(made, nth, (0, 1), limits::BATCH_ROWS).flat_map(of).collect()
    }
}
