//! Declares the columns of a relation: for each, the name, the type, and a function from a row to the value.
//!
//! One declaration provides both the schema and the Arrow arrays of any rows.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray, UInt32Array, UInt64Array,
};
use arrow::datatypes::{DataType, Field};

use crate::fold::shared::relation::Relation;

/// The columns of a relation over rows of type `R`.
#[must_use]
pub struct Columns<R>(Vec<Column<R>>);

struct Column<R> {
    name: String,
    kind: DataType,
    array: Box<MakeArray<R>>,
}

/// Builds the array of some rows; the number is the position of the first.
type MakeArray<R> = dyn Fn(u64, &[&R]) -> ArrayRef;

impl<R> Columns<R> {
    /// Creates an empty list of columns.
    #[expect(clippy::new_without_default, reason = "a list of columns is not empty")]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns the fields of the schema. All are nullable.
    pub fn fields(&self) -> Vec<Field> {
        let field = |column: &Column<R>| Field::new(&column.name, column.kind.clone(), true);
        self.0.iter().map(field).collect()
    }

    /// Builds a relation of all rows.
    pub fn relation<'r>(&self, rows: impl IntoIterator<Item = &'r R>) -> Relation
    where
        R: 'r,
    {
        Relation::Whole(self.arrays_from(0, rows))
    }

    /// Builds the arrays of some rows; `first` is the position of the first among all.
    pub fn arrays_from<'r>(
        &self,
        first: u64,
        rows: impl IntoIterator<Item = &'r R>,
    ) -> Vec<ArrayRef>
    where
        R: 'r,
    {
        let rows: Vec<&R> = rows.into_iter().collect();
        self.0.iter().map(|column| (column.array)(first, &rows)).collect()
    }

    /// Adds the column `position`: the row number, from 0.
    pub fn position(self) -> Self {
        let numbered = |first: u64, rows: &[&R]| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(first..first + rows.len() as u64))
        };
        self.with("position", DataType::UInt64, numbered)
    }

    /// Adds a `UInt64` column without NULLs.
    pub fn number(self, name: impl Into<String>, value: impl Fn(&R) -> u64 + 'static) -> Self {
        self.with(name, DataType::UInt64, move |_, rows| {
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| value(row))))
        })
    }

    /// Adds a `UInt64` column with NULLs.
    pub fn optional_number(self, name: &str, value: impl Fn(&R) -> Option<u64> + 'static) -> Self {
        self.with(name, DataType::UInt64, move |_, rows| {
            Arc::new(rows.iter().map(|row| value(row)).collect::<UInt64Array>())
        })
    }

    /// Adds a `UInt32` column with NULLs.
    pub fn word(self, name: &str, value: impl Fn(&R) -> Option<u32> + 'static) -> Self {
        self.with(name, DataType::UInt32, move |_, rows| {
            Arc::new(rows.iter().map(|row| value(row)).collect::<UInt32Array>())
        })
    }

    /// Adds an `Int64` column without NULLs.
    pub fn signed(self, name: &str, value: impl Fn(&R) -> i64 + 'static) -> Self {
        self.optional_signed(name, move |row| Some(value(row)))
    }

    /// Adds an `Int64` column with NULLs.
    pub(crate) fn optional_signed(
        self,
        name: &str,
        value: impl Fn(&R) -> Option<i64> + 'static,
    ) -> Self {
        self.with(name, DataType::Int64, move |_, rows| {
            Arc::new(rows.iter().map(|row| value(row)).collect::<Int64Array>())
        })
    }

    /// Adds a `Float64` column without NULLs.
    pub fn float(self, name: &str, value: impl Fn(&R) -> f64 + 'static) -> Self {
        self.with(name, DataType::Float64, move |_, rows| {
            Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| value(row))))
        })
    }

    /// Adds a `Float64` column with NULLs.
    pub fn optional_float(self, name: &str, value: impl Fn(&R) -> Option<f64> + 'static) -> Self {
        self.with(name, DataType::Float64, move |_, rows| {
            Arc::new(rows.iter().map(|row| value(row)).collect::<Float64Array>())
        })
    }

    /// Adds a `Boolean` column without NULLs.
    pub fn flag(self, name: &str, value: impl Fn(&R) -> bool + 'static) -> Self {
        self.with(name, DataType::Boolean, move |_, rows| {
            Arc::new(rows.iter().map(|row| Some(value(row))).collect::<BooleanArray>())
        })
    }

    /// Adds a `Utf8View` column of text borrowed from the rows, without NULLs.
    pub fn text(self, name: &str, value: impl Fn(&R) -> &str + 'static) -> Self {
        self.with(name, DataType::Utf8View, move |_, rows| {
            Arc::new(StringViewArray::from_iter_values(rows.iter().map(|row| value(row))))
        })
    }

    /// Adds a `Utf8View` column of text borrowed from the rows, with NULLs.
    pub fn optional_text(self, name: &str, value: impl Fn(&R) -> Option<&str> + 'static) -> Self {
        self.with(name, DataType::Utf8View, move |_, rows| {
            Arc::new(rows.iter().map(|row| value(row)).collect::<StringViewArray>())
        })
    }

    /// Adds a `Utf8View` column of computed text, with NULLs.
    pub fn composed(self, name: &str, value: impl Fn(&R) -> Option<String> + 'static) -> Self {
        self.with(name, DataType::Utf8View, move |_, rows| {
            Arc::new(rows.iter().map(|row| value(row)).collect::<StringViewArray>())
        })
    }

    /// Adds the columns of a component of each row.
    pub fn part<P: 'static>(
        mut self,
        columns: Columns<P>,
        part: impl Fn(&R) -> &P + Copy + 'static,
    ) -> Self {
        for Column { name, kind, array } in columns.0 {
            self = self.with(name, kind, move |first, rows| {
                let parts: Vec<&P> = rows.iter().map(|row| part(row)).collect();
                array(first, &parts)
            });
        }
        self
    }

    fn with(
        mut self,
        name: impl Into<String>,
        kind: DataType,
        array: impl Fn(u64, &[&R]) -> ArrayRef + 'static,
    ) -> Self {
        self.0.push(Column { name: name.into(), kind, array: Box::new(array) });
        self
    }
}
