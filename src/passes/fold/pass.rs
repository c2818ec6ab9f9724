//! Defines passes over a bundle: their outputs, their arguments, and the call that runs them.
//!
//! SQL calls each [`Output`] as a table function by its name.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use base::Pattern;
use read::bundle::{Bundle, BundleError};

use crate::fold::invocations::invocation::Invocations;
use crate::fold::metadata::Metadata;
use crate::fold::shared::{Arrays, Relation};

/// A pass over a bundle. It computes all of its outputs together.
#[derive(Debug)]
pub struct Pass {
    pub outputs: &'static [Output],
    /// The parameters of every output.
    pub parameters: &'static [Parameter],
    run: fn(&Call<'_>) -> Result<Vec<Relation>, BundleError>,
    /// Whether it needs [`Metadata`].
    pub reads_metadata: bool,
    /// Whether it needs the invocations, unless [`Parameter::Warmup`] is 0.
    pub(crate) reads_invocations: bool,
    /// Whether it reads so little that it runs while a query is planned. The planner then knows the number of rows.
    pub is_small: bool,
}

impl Pass {
    /// Declares a pass that needs [`Metadata`].
    pub const fn of(
        outputs: &'static [Output],
        run: fn(&Call<'_>) -> Result<Vec<Relation>, BundleError>,
    ) -> Self {
        Self {
            outputs,
            parameters: &[],
            run,
            reads_metadata: true,
            reads_invocations: false,
            is_small: false,
        }
    }

    /// Declares the parameters.
    #[must_use]
    pub(crate) const fn taking(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Declares that the pass needs no [`Metadata`], so that it runs even if the metadata is damaged.
    #[must_use]
    pub(crate) const fn without_metadata(mut self) -> Self {
        self.reads_metadata = false;
        self
    }

    /// Declares that the pass needs the invocations, unless it has a [`Parameter::Warmup`] that is 0.
    #[must_use]
    pub(crate) const fn with_invocations(mut self) -> Self {
        self.reads_invocations = true;
        self
    }

    /// Declares that the pass reads few rows, see [`Self::is_small`].
    #[must_use]
    pub const fn small(mut self) -> Self {
        self.is_small = true;
        self
    }

    /// Whether a call with these arguments needs the invocations.
    pub fn needs_invocations(&self, arguments: &[Argument]) -> bool {
        self.reads_invocations && signed(arguments) != Some(0)
    }

    /// Runs the pass over one bundle. Returns one relation per output, in order.
    pub fn run(&self, call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
        (self.run)(call)
    }
}

/// One relation of a pass: a table function in SQL. Its first column is `bundle`.
#[derive(Debug)]
pub struct Output {
    pub name: &'static str,
    /// Documents a row.
    pub doc: &'static str,
    /// The columns after `bundle`.
    pub fields: fn() -> Vec<Field>,
    /// Whether it is returned as [`Slices`], because it may have as many rows as there are events.
    pub is_sliced: bool,
}

/// A parameter of a table function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The kind of `id`: `dispatch`, `executable`, `command` or `queue`.
    By,
    /// A name pattern, see [`Pattern`].
    Filter,
    /// An id, or NULL to select all.
    Id,
    /// The number of invocations at the start of a run to leave out; a negative number for those that are warm-up.
    Warmup,
    /// A host time in nanoseconds.
    Time,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Argument {
    Text(String),
    Number(Option<u64>),
    /// A number that may be negative: a time, or what to leave out.
    Signed(i64),
}

/// The input of a pass.
pub struct Call<'a> {
    pub bundle: &'a Arc<Bundle>,
    pub metadata: &'a Metadata,
    /// Those of the bundle, if the pass needs them.
    pub invocations: &'a Invocations,
    pub arguments: &'a [Argument],
    /// Maximum number of threads.
    pub threads: usize,
}

impl Call<'_> {
    /// Returns the pattern argument; one that matches everything if there is none.
    pub fn pattern(&self) -> Pattern {
        Pattern::new(self.filter())
    }

    /// Returns the text of the pattern argument.
    pub fn filter(&self) -> &str {
        self.arguments.iter().rev().find_map(Argument::text).unwrap_or("*")
    }

    /// Returns the first text argument: [`Parameter::By`], if the function has it.
    pub fn by(&self) -> &str {
        self.arguments.iter().find_map(Argument::text).unwrap_or_default()
    }

    /// Returns the id argument; `None` if it is NULL or missing.
    pub fn id(&self) -> Option<u64> {
        self.arguments.iter().find_map(|argument| match argument {
            Argument::Number(number) => *number,
            Argument::Text(_) | Argument::Signed(_) => None,
        })
    }

    /// Returns the warm-up or the time; `None` if there is neither.
    pub fn signed(&self) -> Option<i64> {
        signed(self.arguments)
    }
}

fn signed(arguments: &[Argument]) -> Option<i64> {
    arguments.iter().find_map(|argument| match argument {
        Argument::Signed(number) => Some(*number),
        Argument::Text(_) | Argument::Number(_) => None,
    })
}

impl Argument {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Signed(_) => None,
        }
    }
}

impl Output {
    /// Declares an output.
    pub const fn of(name: &'static str, doc: &'static str, fields: fn() -> Vec<Field>) -> Self {
        Self { name, doc, fields, is_sliced: false }
    }

    /// Declares that the rows are returned as [`Slices`].
    #[must_use]
    pub(crate) const fn sliced(mut self) -> Self {
        self.is_sliced = true;
        self
    }

    /// Returns the schema: `bundle`, then the declared columns.
    pub fn schema(&self) -> SchemaRef {
        let bundle = Field::new("bundle", DataType::Utf8View, true);
        Arc::new(Schema::new([vec![bundle], (self.fields)()].concat()))
    }

    /// Returns the call in SQL, with the names of the arguments.
    pub fn call(&self, parameters: &[Parameter]) -> String {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name()).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}

impl Parameter {
    /// Returns the name for documentation and error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::By => "by",
            Self::Filter => "filter",
            Self::Id => "id",
            Self::Warmup => "warmup",
            Self::Time => "time_ns",
        }
    }
}

/// Builds the batch of an output: the label of the bundle, then the columns.
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
