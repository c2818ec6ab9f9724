//! The labels of bundles in rows that are stored beside them.

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch, StringViewArray};

/// Puts a prefix before each label of a batch, so that they match those of the opened bundles.
pub fn prefixed(batch: RecordBatch, prefix: &str) -> RecordBatch {
    let found = batch.schema().column_with_name("bundle").map(|(at, _)| at);
    let labels = found.and_then(|at| Some((at, batch.columns().get(at)?.as_string_view_opt()?)));
    let Some((at, labels)) = labels else { return batch };
    let named: StringViewArray =
        labels.iter().map(|label| label.map(|label| format!("{prefix}{label}"))).collect();
    let mut columns = batch.columns().to_vec();
    if let Some(column) = columns.get_mut(at) {
        *column = Arc::new(named);
    }
    RecordBatch::try_new(batch.schema(), columns).unwrap_or(batch)
}
