//! Rows of texts and numbers that are made here, not by queries.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow::datatypes::{Field, Schema};

use crate::failure::{Done, Failure};
use crate::rows::Rows;

/// A value. An empty text is NULL.
#[derive(Debug, Clone)]
pub enum Cell {
    Text(String),
    Count(Option<u64>),
    Number(Option<f64>),
}

/// Returns rows of texts, given the names and the meanings of their columns.
pub fn of_texts<const N: usize>(
    columns: [(&str, &str); N],
    rows: impl Iterator<Item = [String; N]>,
) -> Done<Rows> {
    of_cells(columns, rows.map(|row| row.map(Cell::Text)))
}

/// Returns rows, given the names and the meanings of their columns. Columns whose names end with `count` have counts, those that
/// end with `_ns` or `share` have numbers, and all others texts.
pub fn of_cells<const N: usize>(
    columns: [(&str, &str); N],
    rows: impl Iterator<Item = [Cell; N]>,
) -> Done<Rows> {
    let rows: Vec<[Cell; N]> = rows.collect();
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (nth, (name, doc)) in columns.into_iter().enumerate() {
        let array = array(name, rows.iter().filter_map(|row| row.get(nth)));
        let unit = if name.ends_with("_ns") { "ns" } else { "" };
        let metadata = schemas::arrow::metadata(doc, unit);
        fields.push(Field::new(name, array.data_type().clone(), true).with_metadata(metadata));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
    let batch = batch.map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Rows::of_batches(schema, vec![batch]))
}

fn array<'a>(name: &str, cells: impl Iterator<Item = &'a Cell>) -> ArrayRef {
    let text = |cell: &'a Cell| match cell {
        Cell::Text(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
        Cell::Count(_) | Cell::Number(_) => None,
    };
    let count = |cell: &'a Cell| if let Cell::Count(count) = cell { *count } else { None };
    let number = |cell: &'a Cell| if let Cell::Number(number) = cell { *number } else { None };
    if name.ends_with("count") {
        Arc::new(cells.map(count).collect::<UInt64Array>())
    } else if name.ends_with("_ns") || name.ends_with("share") {
        Arc::new(cells.map(number).collect::<Float64Array>())
    } else {
        Arc::new(cells.map(text).collect::<StringArray>())
    }
}
