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
        self.cast(name, &DataType::Utf8).map_or_else(String::new, |column| {
            let strings = column.as_string::<i32>();
            if strings.is_null(0) { String::new() } else { strings.value(0).to_owned() }
        })
    }

    /// A number, where it is not NULL.
    pub fn number(&self, name: &str) -> Option<f64> {
        let column = self.cast(name, &DataType::Float64)?;
        let numbers = column.as_primitive::<Float64Type>();
        numbers.is_valid(0).then(|| numbers.value(0))
    }

    /// A count; 0 where it is NULL.
    pub fn count(&self, name: &str) -> u64 {
        let column = self.cast(name, &DataType::UInt64);
        column.map_or(0, |column| {
            let counts = column.as_primitive::<UInt64Type>();
            if counts.is_null(0) { 0 } else { counts.value(0) }
        })
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
        self.cast(name, &DataType::Boolean).is_some_and(|column| {
            let truths = column.as_boolean();
            truths.is_valid(0) && truths.value(0)
        })
    }

    fn cast(&self, name: &str, data_type: &DataType) -> Option<arrow::array::ArrayRef> {
        let column = self.batch.column_by_name(name);
        debug_assert!(column.is_some(), "the report has a column {name}");
        cast(&column?.slice(self.row, 1), data_type).ok()
    }
}
