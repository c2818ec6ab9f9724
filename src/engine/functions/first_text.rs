//! `first_text(x, …)`: returns the first text that is not NULL.
//!
//! DataFusion rewrites `coalesce` to a CASE that has each argument twice, which takes longer to plan. In return it
//! evaluates later arguments only for the rows that need them, which is better if many rows need few.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::compute::is_not_null;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;

use super::arguments::is_text;
use super::plain::{Compute, Plain};

/// The function.
pub static FIRST_TEXT: Plain = Plain {
    call: "first_text(x, …)",
    doc: "The first text that is not NULL, like `coalesce`, but every argument is evaluated for all rows, so that errors of all arguments occur.",
    takes,
    gives: |_| DataType::Utf8View,
    compute: Compute::Pure(answer),
};

fn takes(given: &[DataType]) -> Result<Vec<DataType>> {
    if given.is_empty() || !given.iter().all(is_text) {
        return plan_err!("first_text requires texts");
    }
    Ok(vec![DataType::Utf8View; given.len()])
}

fn answer(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let Some((last, others)) = arrays.split_last() else {
        return internal_err!("first_text takes an argument");
    };
    others.iter().rev().try_fold(ArrayRef::clone(last), |found, texts| {
        Ok(match texts.null_count() {
            0 => ArrayRef::clone(texts),
            nulls if nulls == texts.len() => found,
            _ => zip(&is_not_null(texts)?, texts, &found)?,
        })
    })
}
