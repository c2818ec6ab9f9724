//! `device_time_ns(tick, first_device_tick, first_time_ns, device_tick_span, time_span_ns)`: converts a device tick
//! to a time by a clock fit.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::common::internal_err;
use datafusion::error::Result;

use super::arguments::numbers;
use super::plain::{Compute, Plain};
use crate::fold::clock;

/// The function.
pub static DEVICE_TIME_NS: Plain = Plain {
    call: "device_time_ns(tick, first_device_tick, first_time_ns, device_tick_span, time_span_ns)",
    doc: "Converts a device tick to a time in nanoseconds, with a fit of `clock_fits`.",
    takes: |given| {
        numbers(
            "device_time_ns",
            given,
            &[
                DataType::UInt64,
                DataType::UInt64,
                DataType::Int64,
                DataType::UInt64,
                DataType::UInt64,
            ],
        )
    },
    gives: |_| DataType::Int64,
    compute: Compute::Pure(answer),
};

fn answer(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [tick, first_tick, first_time, tick_span, time_span] = arrays else {
        return internal_err!("device_time_ns takes five arguments");
    };
    let fit = first_tick
        .as_primitive::<UInt64Type>()
        .iter()
        .zip(first_time.as_primitive::<Int64Type>())
        .zip(
            tick_span
                .as_primitive::<UInt64Type>()
                .iter()
                .zip(time_span.as_primitive::<UInt64Type>()),
        );
    let values: Int64Array = tick
        .as_primitive::<UInt64Type>()
        .iter()
        .zip(fit)
        .map(|(tick, ((first_tick, first_time), (tick_span, time_span)))| {
            clock::map(tick?, first_tick?, first_time?, tick_span?, time_span?)
        })
        .collect();
    Ok(Arc::new(values))
}
