//! `device_time_ns` and `ticks_to_ns`: convert ticks of a device by a clock fit.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::DataType::{Int64, UInt64};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::internal_err;
use datafusion::error::Result;
use passes::fold::clock;

use super::arguments::{numbers, unsigned};
use super::plain::{Compute, Plain};

/// `device_time_ns(tick, first_device_tick, first_time_ns, device_tick_span, time_span_ns)`
pub(crate) static DEVICE_TIME_NS: Plain = Plain {
    call: "device_time_ns(tick, first_device_tick, first_time_ns, device_tick_span, time_span_ns)",
    doc: "Converts a device tick to a time in nanoseconds, with a fit of `clock_fits`.",
    takes: |given| numbers("device_time_ns", given, &[UInt64, UInt64, Int64, UInt64, UInt64]),
    gives: |_| Int64,
    compute: Compute::Pure(device_time_ns),
};

/// `ticks_to_ns(ticks, device_tick_span, time_span_ns)`
pub(crate) static TICKS_TO_NS: Plain = Plain {
    call: "ticks_to_ns(ticks, device_tick_span, time_span_ns)",
    doc: "Converts a duration in device ticks to nanoseconds (rounded) with a fit of `clock_fits`; NULL if there is no fit.",
    takes: |given| numbers("ticks_to_ns", given, &[UInt64, UInt64, UInt64]),
    gives: |_| Int64,
    compute: Compute::Pure(ticks_to_ns),
};

fn device_time_ns(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [ticks, first_ticks, first_times, tick_spans, time_spans] = arrays else {
        return internal_err!("device_time_ns takes five arguments");
    };
    let times = unsigned(ticks)
        .iter()
        .zip(unsigned(first_ticks))
        .zip(first_times.as_primitive::<Int64Type>())
        .zip(unsigned(tick_spans))
        .zip(unsigned(time_spans))
        .map(|((((tick, first_tick), first_time), tick_span), time_span)| {
            clock::map(tick?, first_tick?, first_time?, tick_span?, time_span?)
        });
    Ok(Arc::new(times.collect::<Int64Array>()))
}

fn ticks_to_ns(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [ticks, tick_spans, time_spans] = arrays else {
        return internal_err!("ticks_to_ns takes three arguments");
    };
    let durations = unsigned(ticks)
        .iter()
        .zip(unsigned(tick_spans))
        .zip(unsigned(time_spans))
        .map(|((ticks, tick_span), time_span)| clock::scale(ticks?, tick_span?, time_span?));
    Ok(Arc::new(durations.collect::<Int64Array>()))
}
