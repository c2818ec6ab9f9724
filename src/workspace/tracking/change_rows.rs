//! Changes as rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow::error::ArrowError;

use super::trends::Change;

/// Returns changes as rows.
pub fn batch(changes: &[Change<'_>]) -> Result<RecordBatch, ArrowError> {
    let text = |of: &dyn Fn(&Change<'_>) -> String| -> ArrayRef {
        let texts = changes.iter().map(|change| Some(of(change)).filter(|text| !text.is_empty()));
        Arc::new(texts.collect::<StringArray>())
    };
    let number = |of: &dyn Fn(&Change<'_>) -> Option<f64>| -> ArrayRef {
        Arc::new(changes.iter().map(of).collect::<Float64Array>())
    };
    let count = |of: &dyn Fn(&Change<'_>) -> usize| -> ArrayRef {
        Arc::new(changes.iter().map(|change| Some(of(change) as u64)).collect::<UInt64Array>())
    };
    let scope = |change: &Change<'_>| {
        if change.function.is_none() { "total" } else { "function" }.to_owned()
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("scope", text(&scope)),
        ("function", text(&|it| it.function.clone().unwrap_or_default())),
        ("time", text(&|it| it.between[1].time.clone())),
        ("entry", text(&|it| it.between[1].id.clone())),
        ("commit", text(&|it| it.between[1].commit.clone())),
        ("previous_time", text(&|it| it.between[0].time.clone())),
        ("previous_entry", text(&|it| it.between[0].id.clone())),
        ("previous_commit", text(&|it| it.between[0].commit.clone())),
        ("before_ns", number(&|it| Some(it.ns[0]))),
        ("after_ns", number(&|it| Some(it.ns[1]))),
        ("ratio", number(&|it| Some(it.ratio))),
        ("ratio_low", number(&|it| Some(it.interval?.low))),
        ("ratio_high", number(&|it| Some(it.interval?.high))),
        ("p_value", number(&|it| Some(it.p))),
        ("q_value", number(&|it| Some(it.q))),
        ("entries_before", count(&|it| it.entries[0])),
        ("entries_after", count(&|it| it.entries[1])),
    ];
    let nullable = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(nullable)
}
