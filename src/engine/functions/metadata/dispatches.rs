//! Lookups of dispatches: whether their clock is the best of their device, and their number within the invocation.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use datafusion::error::Result;
use passes::fold::ABSENT;

use super::rows::CallRows;
use crate::functions::passes::Folds;

/// Returns whether times of the device (1) or the host (0) are the best of a device; the arguments are session, clock
/// and device.
pub fn is_best_clock(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let mut answers = Vec::with_capacity(rows.len());
    let [sessions, clocks, devices] = [0, 1, 2].map(|nth| rows.values(nth));
    let has_nulls = rows.has_nulls(2);
    rows.with_bundles(Folds::best_clocks_of, |run, known| {
        // Rows of one device are adjacent.
        let mut last: Option<([u64; 3], bool)> = None;
        for row in run {
            let of = |values: &[u64]| values.get(row).copied().unwrap_or_default();
            let is_absent = has_nulls && rows.is_null(2, row);
            let key = [of(sessions), of(clocks), if is_absent { ABSENT } else { of(devices) }];
            let answer = match last {
                Some((known, answer)) if known == key => answer,
                _ => known.is_some_and(|known| known.is_best(key[0], key[1] == 1, key[2])),
            };
            last = Some((key, answer));
            answers.push(answer);
        }
        Ok(())
    })?;
    Ok(Arc::new(BooleanArray::from(answers)))
}

/// Returns the numbers of dispatches at byte offsets among those of their function in the invocation.
pub fn occurrences(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let mut answers = Vec::with_capacity(rows.len());
    rows.with_bundles(Folds::occurrences_of, |run, known| {
        let mut near = 0;
        let offsets = rows.values(0).get(run).unwrap_or_default();
        answers.extend(offsets.iter().map(|offset| known?.find(*offset, &mut near)));
        Ok(())
    })?;
    Ok(Arc::new(UInt64Array::from(answers)))
}
