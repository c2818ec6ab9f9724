//! Rows of a report, read by column name.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float64Type, UInt64Type};

use arrow::compute::cast;

/// The batches of a report whose answer is small.
#[derive(Debug)]
pub struct Rows {
    batches: Vec<RecordBatch>,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

impl Rows {
    /// The rows of `batches`.
    pub const fn new(batches: Vec<RecordBatch>) -> Self {
        Self { batches }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.batches
            .iter()
            .flat_map(|batch| (0..batch.num_rows()).map(move |row| Row { batch, row }))
    }
}

impl Row<'_> {
    /// A text column.
    pub fn text(&self, name: &str) -> String {
        self.read(name, &DataType::Utf8View, |column, row| {
            column.as_string_view().value(row).to_owned()
        })
        .unwrap_or_default()
    }

    /// A number, where it is not NULL.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.read(name, &DataType::Float64, |column, row| {
            column.as_primitive::<Float64Type>().value(row)
        })
    }

    /// A count; 0 where it is NULL.
    pub fn count(&self, name: &str) -> u64 {
        self.read(name, &DataType::UInt64, |column, row| {
            column.as_primitive::<UInt64Type>().value(row)
        })
        .unwrap_or_default()
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        let Some(column) = self.batch.column_by_name(name) else { return Vec::new() };
        let items = match column.data_type() {
            DataType::FixedSizeList(..) => column.as_fixed_size_list().value(self.row),
            DataType::List(_) => column.as_list::<i32>().value(self.row),
            _ => return Vec::new(),
        };
        let numbers = cast(&items, &DataType::UInt64);
        numbers.map_or_else(
            |_| Vec::new(),
            |numbers| numbers.as_primitive::<UInt64Type>().values().to_vec(),
        )
    }

    /// A boolean; false where it is NULL.
    pub fn is(&self, name: &str) -> bool {
        self.read(name, &DataType::Boolean, |column, row| column.as_boolean().value(row))
            .unwrap_or_default()
    }

    /// A cell as a value of this type, where it is not NULL.
    fn read<T>(
        &self,
        name: &str,
        data_type: &DataType,
        value: impl Fn(&dyn Array, usize) -> T,
    ) -> Option<T> {
        let column = self.batch.column_by_name(name);
        debug_assert!(column.is_some(), "the report has a column {name}");
        let column = column?;
        if column.data_type() == data_type {
            return column.is_valid(self.row).then(|| value(column, self.row));
        }
        let cell = cast(&column.slice(self.row, 1), data_type).ok()?;
        cell.is_valid(0).then(|| value(&cell, 0))
    }
}
