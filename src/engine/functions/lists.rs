//! Functions of lists behind `mode`, `mad` and `histogram`, which the dialect writes as `list_mode(array_agg(x))` and so
//! on. NULLs do not count.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, ListArray, StructArray, UInt32Array, UInt64Array,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::compute::{cast, partition, sort_to_indices, take};
use datafusion::arrow::datatypes::{DataType, Field, Fields, Float64Type};
use datafusion::common::{exec_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// What is computed of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Of {
    /// The most frequent value; of equally frequent ones, the smallest.
    Mode,
    /// The median absolute deviation from the median.
    Mad,
    /// Each value with the number of its occurrences, in ascending order.
    Histogram,
}

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct OfList {
    of: Of,
    signature: Signature,
}

impl OfList {
    pub fn new(of: Of) -> Self {
        Self { of, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for OfList {
    fn name(&self) -> &'static str {
        match self.of {
            Of::Mode => "list_mode",
            Of::Mad => "list_mad",
            Of::Histogram => "list_histogram",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        let [DataType::List(item)] = given else {
            return plan_err!("{} takes a list", self.name());
        };
        let kind = item.data_type();
        match self.of {
            Of::Mode => Ok(kind.clone()),
            Of::Mad if kind.is_numeric() => Ok(DataType::Float64),
            Of::Mad => plan_err!("mad takes numbers, not {kind}"),
            Of::Histogram => Ok(DataType::List(Arc::new(bin(kind)))),
        }
    }

    fn invoke_with_args(&self, given: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&given.args)?;
        let [lists] = arrays.as_slice() else { return exec_err!("{} takes a list", self.name()) };
        let lists = lists.as_list::<i32>();
        Ok(ColumnarValue::Array(match self.of {
            Of::Mode => modes(lists)?,
            Of::Mad => deviations(lists)?,
            Of::Histogram => histograms(lists)?,
        }))
    }
}

fn bin(kind: &DataType) -> Field {
    Field::new_list_field(DataType::Struct(columns(kind)), true)
}

fn columns(kind: &DataType) -> Fields {
    Fields::from(vec![
        Field::new("value", kind.clone(), true),
        Field::new("count", DataType::UInt64, false),
    ])
}

/// The values of a list in ascending order, and the ranges of equal ones.
fn sorted(list: &ArrayRef) -> Result<(UInt32Array, Vec<Range<usize>>)> {
    let indices = sort_to_indices(list, None, None)?;
    // NULLs come first.
    let indices = indices.slice(list.null_count(), list.len() - list.null_count());
    if indices.is_empty() {
        return Ok((indices, Vec::new()));
    }
    let ranges = partition(&[take(list, &indices, None)?])?.ranges();
    Ok((indices, ranges))
}

/// Returns the place of a list's value in the values of all lists.
fn place(lists: &ListArray, row: usize, indices: &UInt32Array, at: usize) -> Option<u64> {
    let start = u64::try_from(*lists.value_offsets().get(row)?).ok()?;
    Some(start + u64::from(*indices.values().get(at)?))
}

fn modes(lists: &ListArray) -> Result<ArrayRef> {
    let mut places = Vec::with_capacity(lists.len());
    for row in 0..lists.len() {
        let (indices, ranges) = sorted(&lists.value(row))?;
        // Of equally long ranges, the first.
        let longest = ranges.iter().rev().max_by_key(|range| range.len());
        places.push(longest.and_then(|range| place(lists, row, &indices, range.start)));
    }
    Ok(take(lists.values(), &UInt64Array::from(places), None)?)
}

fn deviations(lists: &ListArray) -> Result<ArrayRef> {
    let mut deviations = Vec::with_capacity(lists.len());
    for row in 0..lists.len() {
        let values = cast(&lists.value(row), &DataType::Float64)?;
        let values: Vec<f64> = values.as_primitive::<Float64Type>().iter().flatten().collect();
        let center = median(values.clone());
        let apart = |center: f64| values.iter().map(|value| (value - center).abs()).collect();
        deviations.push(center.and_then(|center| median(apart(center))));
    }
    Ok(Arc::new(Float64Array::from(deviations)))
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len().is_multiple_of(2) {
        return Some(f64::midpoint(*values.get(middle.checked_sub(1)?)?, upper));
    }
    Some(upper)
}

fn histograms(lists: &ListArray) -> Result<ArrayRef> {
    let (mut places, mut counts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..lists.len() {
        let (indices, ranges) = sorted(&lists.value(row))?;
        lengths.push(ranges.len());
        for range in ranges {
            counts.push(range.len() as u64);
            places.push(place(lists, row, &indices, range.start));
        }
    }
    let values = take(lists.values(), &UInt64Array::from(places), None)?;
    let kind = values.data_type().clone();
    let counts = Arc::new(UInt64Array::from(counts));
    let bins = StructArray::try_new(columns(&kind), vec![values, counts], None)?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    let nulls = lists.nulls().cloned();
    Ok(Arc::new(ListArray::try_new(Arc::new(bin(&kind)), offsets, Arc::new(bins), nulls)?))
}
