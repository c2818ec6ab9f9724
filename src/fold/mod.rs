//! Sequential logic: what one pass over a bundle adds up, as small relations that SQL calls as table functions.
//!
//! A [`Fold`] reads raw columns of its families in file order, block by block, and returns one batch for each of its
//! [`Output`]s. Running means, high-water marks and rows in order of first appearance belong here; shaping, joining and
//! sorting belong in SQL. One file a fold, and its name in [`FOLDS`].
//!
//! Invariant: this layer knows records and Arrow; it plans no queries.

mod arrays;
mod blocks;
pub mod clock;
mod dispatch_sums;
mod dispatches;
mod explain;
mod groups;
mod metadata;
mod queue_operations;
mod references;
mod relations;
mod summary;
mod welford;
mod wildcard;

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::bundle::{Bundle, BundleError};

pub use blocks::{Block, Wanted, blocks};
pub use groups::Groups;
pub use metadata::Fit;
pub use metadata::{Clock, Metadata};
pub use wildcard::Pattern;

/// One pass whose results are relations.
pub struct Fold {
    pub outputs: &'static [Output],
    pub run: fn(&Call<'_>) -> Result<Vec<Columns>, BundleError>,
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
pub static FOLDS: &[&Fold] = &[
    &dispatches::FOLD,
    &explain::FOLD,
    &queue_operations::FOLD,
    &relations::FOLD,
    &relations::OPERATIONS,
    &summary::FOLD,
];

impl Fold {
    /// Whether it looks up what events refer to; the summary counts records even where that is damaged.
    pub fn reads_metadata(&self) -> bool {
        !std::ptr::eq(self, &raw const summary::FOLD)
    }
}

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
