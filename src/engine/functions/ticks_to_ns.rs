//! `ticks_to_ns(ticks, device_tick_span, time_span_ns)`: converts a duration in ticks to nanoseconds by a clock fit.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::internal_err;
use datafusion::error::Result;

use super::arguments::numbers;
use super::plain::{Compute, Plain};
use crate::fold::clock;

/// The function.
pub static TICKS_TO_NS: Plain = Plain {
    call: "ticks_to_ns(ticks, device_tick_span, time_span_ns)",
    doc: "Converts a duration in device ticks to nanoseconds (rounded) with a fit of `clock_fits`; NULL if there is no fit.",
    takes: |given| {
        numbers("ticks_to_ns", given, &[DataType::UInt64, DataType::UInt64, DataType::UInt64])
    },
    gives: |_| DataType::Int64,
    compute: Compute::Pure(answer),
};

fn answer(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [ticks, tick_span, time_span] = arrays else {
        return internal_err!("ticks_to_ns takes three arguments");
    };
    let ticks = ticks.as_primitive::<UInt64Type>();
    let tick_span = tick_span.as_primitive::<UInt64Type>();
    let time_span = time_span.as_primitive::<UInt64Type>();
    let values: Int64Array = ticks
        .iter()
        .zip(tick_span)
        .zip(time_span)
        .map(|((ticks, tick_span), time_span)| clock::scale(ticks?, tick_span?, time_span?))
        .collect();
    Ok(Arc::new(values))
}
