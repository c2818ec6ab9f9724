//! What a pass over a bundle is: the relations that it gives, the arguments that it takes, and how it is run.
//!
//! SQL calls each relation as a table function by the name of its [`Output`].

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::bundle::{Bundle, BundleError};
use crate::fold::metadata::records::Metadata;
use crate::fold::shared::pattern::Pattern;

/// A pass over a bundle that gives relations.
#[derive(Debug)]
pub struct Pass {
    pub outputs: &'static [Output],
    run: fn(&Call<'_>) -> Result<Vec<Relation>, BundleError>,
    /// It looks up what events refer to.
    pub reads_metadata: bool,
    /// It reads so little that it runs when a query is planned, which then knows how many rows there are.
    pub is_small: bool,
}

impl Pass {
    /// A pass that looks up what events refer to.
    pub const fn of(
        outputs: &'static [Output],
        run: fn(&Call<'_>) -> Result<Vec<Relation>, BundleError>,
    ) -> Self {
        Self { outputs, run, reads_metadata: true, is_small: false }
    }

    /// The same for a pass that only counts, even where what events refer to is damaged.
    #[must_use]
    pub const fn without_metadata(mut self) -> Self {
        self.reads_metadata = false;
        self
    }

    /// The same for a pass over few rows.
    #[must_use]
    pub const fn small(mut self) -> Self {
        self.is_small = true;
        self
    }

    /// Runs it over one bundle; the relations are those of the outputs, in order.
    pub fn run(&self, call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
        (self.run)(call)
    }
}

/// The rows of one output.
pub enum Relation {
    Whole(Arrays),
    Sliced(Arc<dyn Slices>),
}

/// Rows that become columns a slice at a time.
pub trait Slices: Send + Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// The columns of some rows.
    fn arrays(&self, range: Range<usize>) -> Arrays;
}

/// One relation of a pass, called by its name in SQL. Its first column is `bundle`.
#[derive(Debug)]
pub struct Output {
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    pub arguments: &'static [Parameter],
    /// The columns behind `bundle`.
    pub fields: fn() -> Vec<Field>,
    /// It may have as many rows as there are events, so that it is given as [`Slices`].
    pub is_sliced: bool,
}

/// The columns of one output, in the declared order.
pub type Arrays = Vec<ArrayRef>;

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

impl Output {
    /// A relation that takes no arguments.
    pub const fn of(name: &'static str, doc: &'static str, fields: fn() -> Vec<Field>) -> Self {
        Self { name, doc, arguments: &[], fields, is_sliced: false }
    }

    /// The same with arguments.
    #[must_use]
    pub const fn taking(mut self, arguments: &'static [Parameter]) -> Self {
        self.arguments = arguments;
        self
    }

    /// The same given in slices.
    #[must_use]
    pub const fn sliced(mut self) -> Self {
        self.is_sliced = true;
        self
    }

    /// The relation's schema: `bundle`, then the declared columns.
    pub fn schema(&self) -> SchemaRef {
        let bundle = Field::new("bundle", DataType::Utf8View, true);
        Arc::new(Schema::new([vec![bundle], (self.fields)()].concat()))
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

/// The rows of one output, labelled with their bundle.
pub fn labelled(
    output: &Output,
    bundle: &Bundle,
    columns: Arrays,
) -> Result<RecordBatch, arrow::error::ArrowError> {
    let rows = columns.first().map_or(0, arrow::array::Array::len);
    let label =
        arrow::array::StringViewArray::from_iter_values(std::iter::repeat_n(&bundle.label, rows));
    let mut all: Arrays = vec![Arc::new(label)];
    all.extend(columns);
    RecordBatch::try_new(output.schema(), all)
}
