//! `counter_sample_values`, `counter_sample_sum` and `counter_sample_whole_sum`: read the values that follow the
//! record of a counter sample.
//!
//! A counter has one value per instance of its hardware block, but tables are flat. Reports read the values by the
//! offset of the sample in the file.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, ListBuilder, UInt64Array, UInt64Builder,
};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use passes::fold::{sum_of_values, whole_sum_of_values};
use read::bundle::cursor::u64_at;
use read::table::sample_values;

use super::arguments::bundle_runs;
use super::plain::{Compute, Plain};
use crate::functions::passes::Folds;

/// `counter_sample_values(bundle, byte_offset, first, count)`
pub static VALUES: Plain = Plain {
    call: "counter_sample_values(bundle, byte_offset, first, count)",
    doc: "`count` values of the counter sample at the byte offset, from index `first` on, as a list; NULL if it has fewer.",
    takes: |given| takes(given, "counter_sample_values"),
    gives: |_| DataType::new_list(DataType::UInt64, true),
    compute: Compute::OfBundles(|folds, arrays| Ok(lists(samples(folds, arrays)?.into_iter()))),
};

/// `counter_sample_sum(bundle, byte_offset, first, count)`
pub static SUM: Plain = Plain {
    call: "counter_sample_sum(bundle, byte_offset, first, count)",
    doc: "Sum of these values as a floating-point number; exact up to 2^53.",
    takes: |given| takes(given, "counter_sample_sum"),
    gives: |_| DataType::Float64,
    compute: Compute::OfBundles(|folds, arrays| {
        let sums = samples(folds, arrays)?.into_iter().map(|values| values.map(sum_of_values));
        Ok(Arc::new(sums.collect::<Float64Array>()))
    }),
};

/// `counter_sample_whole_sum(bundle, byte_offset, first, count)`
pub(crate) static WHOLE_SUM: Plain = Plain {
    call: "counter_sample_whole_sum(bundle, byte_offset, first, count)",
    doc: "Exact sum of these values; NULL if it overflows 64 bits.",
    takes: |given| takes(given, "counter_sample_whole_sum"),
    gives: |_| DataType::UInt64,
    compute: Compute::OfBundles(|folds, arrays| {
        let samples = samples(folds, arrays)?.into_iter();
        let sums = samples.map(|values| values.and_then(whole_sum_of_values));
        Ok(Arc::new(sums.collect::<UInt64Array>()))
    }),
};

fn takes(given: &[DataType], name: &str) -> Result<Vec<DataType>> {
    if given.len() != 4 {
        return plan_err!("{name} requires 4 arguments, but got {}", given.len());
    }
    Ok(vec![DataType::Utf8View, DataType::UInt64, DataType::UInt64, DataType::UInt64])
}

/// Returns the bytes of the requested values of each row; `None` if the sample has fewer values.
fn samples<'a>(folds: &'a Folds, arrays: &[ArrayRef]) -> Result<Vec<Option<&'a [u8]>>> {
    let [bundles, offsets, firsts, counts] = arrays else {
        return internal_err!("functions of counter samples take four arguments");
    };
    let [offsets, firsts, counts] =
        [offsets, firsts, counts].map(AsArray::as_primitive::<UInt64Type>);
    let number = |number: Option<u64>| usize::try_from(number?).ok();
    let mut samples = Vec::with_capacity(offsets.len());
    for (run, label) in bundle_runs(bundles.as_string_view()) {
        let bundle = label.and_then(|label| folds.bundle_of(label));
        samples.extend(run.map(|row| {
            let value =
                |numbers: &UInt64Array| number(numbers.is_valid(row).then(|| numbers.value(row)));
            let sample = bundle?.bytes().get(value(offsets)?..)?;
            sample_values(sample, value(firsts)?, value(counts)?)
        }));
    }
    Ok(samples)
}

fn lists<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    let mut lists = ListBuilder::new(UInt64Builder::new());
    for values in values {
        for value in values.unwrap_or_default().chunks_exact(8) {
            lists.values().append_value(u64_at(value, 0));
        }
        lists.append(values.is_some());
    }
    Arc::new(lists.finish())
}
