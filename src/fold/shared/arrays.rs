//! Columns of results from iterators.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray, UInt32Array, UInt64Array,
};

/// Unsigned numbers.
pub fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(values.collect::<UInt64Array>())
}

/// Columns of one row: a number each.
pub fn one_row(values: impl IntoIterator<Item = u64>) -> Vec<ArrayRef> {
    values.into_iter().map(|value| numbers([value].into_iter())).collect()
}

/// Unsigned numbers or NULL.
pub fn optional_numbers(values: impl Iterator<Item = Option<u64>>) -> ArrayRef {
    Arc::new(values.collect::<UInt64Array>())
}

/// Unsigned numbers of 32 bits or NULL.
pub fn words(values: impl Iterator<Item = Option<u32>>) -> ArrayRef {
    Arc::new(values.collect::<UInt32Array>())
}

/// Signed numbers.
pub fn signed(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

/// Signed numbers or NULL.
pub fn optional_signed(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

/// Fractions.
pub fn fractions(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

/// Truth values.
pub fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<BooleanArray>())
}

/// Text.
pub fn texts<T: AsRef<str>>(values: impl Iterator<Item = T>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(values))
}

/// Text or NULL.
pub fn optional_texts<T: AsRef<str>>(values: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(values.collect::<StringViewArray>())
}

/// Numbers `0..count`.
pub fn positions(count: usize) -> ArrayRef {
    numbers(0..count as u64)
}
