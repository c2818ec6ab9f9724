//! The rows of a comparison.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use exporters::EncodeError;

use super::compared::Compared;
use crate::compare::Judged;

/// Returns a row for the total of each side, whose `matched_by` is `total`, and one for each match of functions.
pub fn rows(all: &[Compared<'_>]) -> Result<RecordBatch, EncodeError> {
    let totals = |compared: &&Compared<'_>| compared.found.functions.len() + 1;
    let names = all.iter().flat_map(|it| std::iter::repeat_n(it.new.name.as_str(), totals(&it)));
    let each: Vec<(&Judged, bool)> = all
        .iter()
        .flat_map(|it| {
            let functions = it.found.functions.iter().map(|function| (function, false));
            std::iter::once((&it.found.total, true)).chain(functions)
        })
        .collect();
    let text = |of: &dyn Fn(&Judged, bool) -> Option<String>| -> ArrayRef {
        Arc::new(each.iter().map(|(row, is_total)| of(row, *is_total)).collect::<StringArray>())
    };
    let number = |of: &dyn Fn(&Judged) -> Option<f64>| -> ArrayRef {
        let known = each.iter().map(|(row, _)| of(row).filter(|value| !value.is_nan()));
        Arc::new(known.collect::<Float64Array>())
    };
    let time = |of: &dyn Fn(&Judged) -> i64| -> ArrayRef {
        Arc::new(each.iter().map(|(row, _)| Some(of(row))).collect::<Int64Array>())
    };
    let count = |of: &dyn Fn(&Judged) -> Option<u64>| -> ArrayRef {
        Arc::new(each.iter().map(|(row, _)| of(row)).collect::<UInt64Array>())
    };
    let known = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
    let by = |row: &Judged, is_total: bool| {
        if is_total { Some("total".to_owned()) } else { known(row.by.name()) }
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("side", Arc::new(names.map(Some).collect::<StringArray>())),
        ("verdict", text(&|row, _| known(row.verdict.name()))),
        ("matched_by", text(&by)),
        ("base_function", text(&|row, is_total| known(&row.base).filter(|_| !is_total))),
        ("new_function", text(&|row, is_total| known(&row.new).filter(|_| !is_total))),
        ("base_ns", time(&|row| row.base_ns)),
        ("new_ns", time(&|row| row.new_ns)),
        ("delta_ns", time(&Judged::delta_ns)),
        ("ratio", number(&|row| row.interval.map(|it| it.ratio))),
        ("ratio_low", number(&|row| row.interval.map(|it| it.low))),
        ("ratio_high", number(&|row| row.interval.map(|it| it.high))),
        ("p_value", number(&|row| Some(row.p))),
        ("q_value", number(&|row| Some(row.q))),
        ("noise_floor", number(&|row| Some(row.floor - 1.0))),
        ("base_calls", number(&|row| Some(row.base_calls))),
        ("new_calls", number(&|row| Some(row.new_calls))),
        ("runs", count(&|row| row.runs)),
        ("further_runs", count(&|row| row.further_runs)),
    ];
    let nullable = columns.into_iter().map(|(name, column)| (name, column, true));
    Ok(RecordBatch::try_from_iter_with_nullable(nullable)?)
}
