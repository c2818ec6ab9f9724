//! Lookups of the invocation of a submission.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use datafusion::error::Result;
use passes::fold::{ABSENT, Invocation, Invocations};

use super::rows::CallRows;
use crate::functions::passes::Folds;

/// Returns the numbers of invocations; NULL for a submission that is in none.
pub fn numbers(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let numbers = each(rows, |_| true, |found| Some(found?.number))?;
    Ok(Arc::new(UInt64Array::from(numbers)))
}

/// Returns whether submissions are in an invocation that is warm-up.
pub fn is_warm_up(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let is_warm_up = |found: Option<&Invocation>| found.is_some_and(|found| found.is_warm_up);
    let answers = each(rows, |it| it.has_warm_up, is_warm_up)?;
    Ok(Arc::new(BooleanArray::from(answers)))
}

/// The values that stand for NULL in a key: of the session, whether a device timed it, device, queue, stream and
/// submission.
const NULLS: [u64; 6] = [0, 0, ABSENT, ABSENT, 0, 0];

/// Returns the answer for each row. Bundles that have no answers get the answer for no invocation.
fn each<T: Copy>(
    rows: &CallRows<'_>,
    has_answers: impl Fn(&Invocations) -> bool,
    answer: impl Fn(Option<&Invocation>) -> T,
) -> Result<Vec<T>> {
    let mut answers = Vec::with_capacity(rows.len());
    let columns = [0, 1, 2, 3, 4, 5].map(|nth| (nth, rows.values(nth), rows.has_nulls(nth)));
    rows.with_bundles(Folds::invocations_of, |run, invocations| {
        let Some(invocations) = invocations.filter(|invocations| has_answers(invocations)) else {
            answers.resize(answers.len() + run.len(), answer(None));
            return Ok(());
        };
        // Rows of one submission are adjacent.
        let mut last: Option<([u64; 6], T)> = None;
        for row in run {
            let mut key = NULLS;
            for (value, (nth, values, has_nulls)) in key.iter_mut().zip(columns) {
                if !(has_nulls && rows.is_null(nth, row)) {
                    *value = values.get(row).copied().unwrap_or(*value);
                }
            }
            let found = match last {
                Some((known, found)) if known == key => found,
                _ => answer(invocations.find(key)),
            };
            last = Some((key, found));
            answers.push(found);
        }
        Ok(())
    })?;
    Ok(answers)
}
