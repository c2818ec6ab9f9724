//! Sequential logic: what one pass over a bundle adds up, as small relations that SQL calls as table functions.
//!
//! A [`Fold`] reads raw columns of its families in file order, block by block, and returns one batch for each of its
//! [`Output`]s. Running means, high-water marks and rows in order of first appearance belong here; shaping, joining and
//! sorting belong in SQL. One file a fold, and its name in [`FOLDS`].
//!
//! Invariant: this layer knows records and Arrow; it plans no queries.

mod allocated_bytes;
mod arrays;
mod blocks;
mod check;
mod chunked;
pub mod clock;
mod clock_fits;
mod correlations;
mod counters;
mod counters_samples;
mod definitions;
mod dispatch_columns;
mod dispatch_rows;
mod dispatch_sums;
mod dispatches;
mod explain;
mod flows;
mod groups;
mod health;
mod in_queues;
mod memory;
mod memory_balance;
mod memory_ledger;
mod memory_lifetimes;
mod memory_rows;
mod metadata;
mod metrics;
mod queue_operations;
mod queues;
mod record_groups;
mod references;
mod relations;
mod sampled;
mod shared;
mod statistics;
mod statistics_rows;
mod statistics_sums;
mod summary;
mod times;
mod tracks;
mod welford;
mod wildcard;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::bundle::{Bundle, BundleError};

pub use blocks::{Block, Wanted, blocks};
pub use correlations::{Clock, Clocks, Domain, Fit, Line, read_clocks};
pub use counters_samples::{sum as sum_of_values, whole_sum as whole_sum_of_values};
pub use definitions::Definitions;
pub use flows::Flows;
pub use groups::Groups;
pub use metadata::{ABSENT, Metadata};
pub use metrics::{Metric, Metrics};
pub use shared::shared_rows;
pub use times::is_device_span;
pub use tracks::{device_path, queue_path};
pub use wildcard::Pattern;

/// One pass whose results are relations.
pub struct Fold {
    outputs: &'static [Output],
    run: fn(&Call<'_>) -> Result<Vec<Columns>, BundleError>,
    reads_metadata: bool,
    is_small: bool,
}

impl Fold {
    /// A pass that looks up what events refer to.
    const fn of(
        outputs: &'static [Output],
        run: fn(&Call<'_>) -> Result<Vec<Columns>, BundleError>,
    ) -> Self {
        Self { outputs, run, reads_metadata: true, is_small: false }
    }

    /// The same for a pass that only counts, even where what events refer to is damaged.
    const fn without_metadata(mut self) -> Self {
        self.reads_metadata = false;
        self
    }

    /// The same for a pass over few rows.
    const fn small(mut self) -> Self {
        self.is_small = true;
        self
    }
}

/// A pass over a bundle that gives relations.
pub trait Pass: Sync {
    /// The relations, in order.
    fn outputs(&self) -> &'static [Output];

    /// Whether the n-th of them may have as many rows as there are events, so that it is given as [`Slices`].
    fn is_sliced(&self, _nth: usize) -> bool {
        false
    }

    /// Whether it reads so little that it may run when a query is planned, which then knows how many rows there are.
    fn is_small(&self) -> bool {
        false
    }

    /// Whether it looks up what events refer to.
    fn reads_metadata(&self) -> bool {
        true
    }

    /// What the relations are for one bundle.
    fn relations(&self, call: &Call<'_>) -> Result<Vec<Relation>, BundleError>;
}

/// The rows of one output.
pub enum Relation {
    Whole(Columns),
    Sliced(Arc<dyn Slices>),
}

/// Rows that become columns a slice at a time.
pub trait Slices: Send + Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// The columns of some rows.
    fn columns(&self, range: Range<usize>) -> Columns;
}

impl Pass for Fold {
    fn outputs(&self) -> &'static [Output] {
        self.outputs
    }

    fn is_small(&self) -> bool {
        self.is_small
    }

    fn reads_metadata(&self) -> bool {
        self.reads_metadata
    }

    fn relations(&self, call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
        Ok((self.run)(call)?.into_iter().map(Relation::Whole).collect())
    }
}

/// One relation of a fold, called by its name in SQL. Its first column is `bundle`.
#[derive(Debug)]
pub struct Output {
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    pub arguments: &'static [Parameter],
    pub columns: &'static [Column],
}

/// Name and type of a column; all are nullable.
pub type Column = (&'static str, DataType);

/// The columns of one output, in the declared order.
pub type Columns = Vec<ArrayRef>;

/// What an argument of a table function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// Which id `id` is: `dispatch`, `executable`, `command` or `queue`.
    By,
    /// A pattern of names.
    Filter,
    /// An id, or NULL for all.
    Id,
}

/// An argument that was given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Argument {
    Text(String),
    Number(Option<u64>),
}

/// What a fold runs on.
pub struct Call<'a> {
    pub bundle: &'a Arc<Bundle>,
    pub metadata: &'a Metadata,
    pub arguments: &'a [Argument],
    /// Threads that it may use.
    pub threads: usize,
}

impl Call<'_> {
    /// The pattern among the arguments.
    pub fn pattern(&self) -> Pattern {
        match self.arguments.iter().rev().find_map(Argument::text) {
            Some(text) => Pattern::new(text),
            None => Pattern::new("*"),
        }
    }

    /// The text argument that comes first.
    pub fn by(&self) -> &str {
        self.arguments.iter().find_map(Argument::text).unwrap_or_default()
    }

    /// The id among the arguments.
    pub fn id(&self) -> Option<u64> {
        self.arguments.iter().find_map(|argument| match argument {
            Argument::Number(number) => *number,
            Argument::Text(_) => None,
        })
    }
}

impl Argument {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }
}

/// Every fold.
pub static FOLDS: &[&dyn Pass] = &[
    &allocated_bytes::FOLD,
    &check::FOLD,
    &clock_fits::FOLD,
    &counters::FOLD,
    &counters_samples::FOLD,
    &definitions::FOLD,
    &dispatches::FOLD,
    &explain::FOLD,
    &health::FOLD,
    &memory::FOLD,
    &queue_operations::FOLD,
    &queues::FOLD,
    &relations::FOLD,
    &relations::OPERATIONS,
    &sampled::FOLD,
    &statistics::FOLD,
    &summary::FOLD,
    &tracks::FOLD,
];

impl Output {
    /// The relation's schema: `bundle`, then the declared columns.
    pub fn schema(&self) -> SchemaRef {
        let fields = self.columns.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true));
        let bundle = Field::new("bundle", DataType::Utf8View, true);
        Arc::new(Schema::new(std::iter::once(bundle).chain(fields).collect::<Vec<_>>()))
    }

    /// How it is called in SQL.
    pub fn call(&self) -> String {
        let names: Vec<&str> = self.arguments.iter().map(|parameter| parameter.name()).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}

impl Parameter {
    /// The parameter as documentation calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::By => "by",
            Self::Filter => "filter",
            Self::Id => "id",
        }
    }
}

impl fmt::Debug for Fold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Fold").field("outputs", &self.outputs).finish_non_exhaustive()
    }
}

/// The rows of one output, labelled with their bundle.
pub fn labelled(
    output: &Output,
    bundle: &Bundle,
    columns: Columns,
) -> Result<RecordBatch, arrow::error::ArrowError> {
    let rows = columns.first().map_or(0, arrow::array::Array::len);
    let label =
        arrow::array::StringViewArray::from_iter_values(std::iter::repeat_n(&bundle.label, rows));
    let mut all: Columns = vec![Arc::new(label)];
    all.extend(columns);
    RecordBatch::try_new(output.schema(), all)
}

/// Runs the same work on several threads, and gives what each comes to. Where several fail, it is the one that failed first
/// in the file, whichever was faster.
fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, BundleError> + Sync,
) -> Result<Vec<T>, BundleError> {
    if threads < 2 {
        return Ok(vec![work()?]);
    }
    let results = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    let (mut fine, mut failed) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(result) => fine.push(result),
            Err(error) => failed.push(error),
        }
    }
    failed.into_iter().min_by_key(BundleError::offset).map_or(Ok(fine), Err)
}

/// Runs two independent parts at once, where there are threads for it.
fn side_by_side<A: Send, B>(
    threads: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    if threads < 2 {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        match one.join() {
            Ok(one) => (one, other),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
