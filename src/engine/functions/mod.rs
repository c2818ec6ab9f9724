//! SQL functions of ours, one a file.

mod checked_sum;
mod clock;
mod device_time_ns;
mod quantiles;
mod ticks_to_ns;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

/// Every scalar function.
pub fn scalars() -> Vec<ScalarUDF> {
    vec![
        ScalarUDF::new_from_impl(device_time_ns::DeviceTimeNs::new()),
        ScalarUDF::new_from_impl(ticks_to_ns::TicksToNs::new()),
    ]
}

/// Every aggregate.
pub fn aggregates() -> Vec<AggregateUDF> {
    vec![
        AggregateUDF::new_from_impl(checked_sum::CheckedSum::new()),
        AggregateUDF::new_from_impl(quantiles::Quantiles::new()),
    ]
}

/// The types that a function of numbers wants, where numbers are given, and as many.
fn numbers(function: &str, given: &[DataType], wanted: &[DataType]) -> Result<Vec<DataType>> {
    if given.len() != wanted.len() {
        return plan_err!("{function} wants {} arguments, not {}", wanted.len(), given.len());
    }
    match given.iter().find(|kind| !kind.is_numeric() && !kind.is_null()) {
        Some(other) => plan_err!("{function} wants numbers, not {other}"),
        None => Ok(wanted.to_vec()),
    }
}

/// Our functions for the reference: how each is called, and what it gives.
pub const DOCS: &[(&str, &str)] = &[
    (
        "ticks_to_ns(ticks, device_tick_span, time_span_ns)",
        "A duration in device ticks as nanoseconds, by a fit of `clock_fits`: the nearest nanosecond; NULL where there is no fit.",
    ),
    (
        "device_time_ns(tick, first_device_tick, first_time_ns, device_tick_span, time_span_ns)",
        "A device tick as a time in nanoseconds, by a fit of `clock_fits`.",
    ),
    (
        "quantiles(value, q, …)",
        "An aggregate: the exact quantiles of a column, interpolated, as a list in the order of the `q`s.",
    ),
];
