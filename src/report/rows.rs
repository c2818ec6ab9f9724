//! Reads the rows of a report by column name.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, UInt64Type};

/// A row of a report.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

/// Returns all rows of a report in order.
pub fn rows(batches: &[RecordBatch]) -> Vec<Row<'_>> {
    let of_batch = |batch| (0..RecordBatch::num_rows(batch)).map(move |row| Row { batch, row });
    batches.iter().flat_map(of_batch).collect()
}

impl Row<'_> {
    /// Returns a text; empty if it is NULL.
    pub fn text(&self, name: &str) -> String {
        self.read(name, &DataType::Utf8View, |column, row| {
            column.as_string_view().value(row).to_owned()
        })
        .unwrap_or_default()
    }

    /// Returns a number; `None` if it is NULL.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.read(name, &DataType::Float64, |column, row| {
            column.as_primitive::<Float64Type>().value(row)
        })
    }

    /// Returns a count; 0 if it is NULL.
    pub fn count(&self, name: &str) -> u64 {
        self.whole(name).unwrap_or_default()
    }

    /// Returns a whole number that is not negative; `None` if it is NULL.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.read(name, &DataType::UInt64, |column, row| {
            column.as_primitive::<UInt64Type>().value(row)
        })
    }

    /// Returns a list of numbers; empty if the column is no list.
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        let Some(column) = self.batch.column_by_name(name) else { return Vec::new() };
        let items = match column.data_type() {
            DataType::FixedSizeList(..) => column.as_fixed_size_list().value(self.row),
            DataType::List(_) => column.as_list::<i32>().value(self.row),
            _ => return Vec::new(),
        };
        let numbers = cast(&items, &DataType::UInt64).ok();
        numbers.map(|it| it.as_primitive::<UInt64Type>().values().to_vec()).unwrap_or_default()
    }

    /// Returns a list of floating-point numbers; empty if the column is no list.
    pub fn floats(&self, name: &str) -> Vec<f64> {
        let Some(column) = self.batch.column_by_name(name) else { return Vec::new() };
        let items = match column.data_type() {
            DataType::FixedSizeList(..) => column.as_fixed_size_list().value(self.row),
            DataType::List(_) if !column.is_null(self.row) => {
                column.as_list::<i32>().value(self.row)
            }
            _ => return Vec::new(),
        };
        let numbers = cast(&items, &DataType::Float64).ok();
        numbers.map(|it| it.as_primitive::<Float64Type>().values().to_vec()).unwrap_or_default()
    }

    /// Returns a boolean; false if it is NULL.
    pub fn is(&self, name: &str) -> bool {
        self.read(name, &DataType::Boolean, |column, row| column.as_boolean().value(row))
            .unwrap_or_default()
    }

    /// Reads a cell, cast to this type if needed; `None` if it is NULL.
    fn read<T>(
        &self,
        name: &str,
        data_type: &DataType,
        value: impl Fn(&dyn Array, usize) -> T,
    ) -> Option<T> {
        let column = self.batch.column_by_name(name);
        debug_assert!(column.is_some(), "the report has no column {name}");
        let column = column?;
        if column.data_type() == data_type {
            return column.is_valid(self.row).then(|| value(column, self.row));
        }
        let cell = cast(&column.slice(self.row, 1), data_type).ok()?;
        cell.is_valid(0).then(|| value(&cell, 0))
    }
}
