//! SQL functions of ours, one topic a file.

mod checked_sum;
mod counter_values;
mod device_time_ns;
mod first_text;
mod matches_pattern;
mod metadata;
mod metric_values;
mod or_raw;
mod or_unknown;
mod plain;
mod quantiles;
mod ticks_to_ns;
mod timeline;
mod xyz;

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, UInt32Type, UInt64Type};
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use super::folds::Folds;
pub use metadata::{Lookup, Numbers, TextOf};
use plain::Plain;

/// Those that need no more than their arguments.
static PLAIN: &[&Plain] = &[
    &device_time_ns::DEVICE_TIME_NS,
    &first_text::FIRST_TEXT,
    &or_raw::OR_ZERO,
    &or_raw::OR_ONES,
    &or_unknown::OR_UNKNOWN,
    &or_unknown::UNNAMED_TYPE,
    &ticks_to_ns::TICKS_TO_NS,
    &timeline::DEVICE_TRACK,
    &timeline::QUEUE_TRACK,
    &xyz::XYZ,
];

/// Every scalar function.
pub fn scalars(folds: &Arc<Folds>) -> Vec<ScalarUDF> {
    let mut functions: Vec<ScalarUDF> = PLAIN.iter().map(|plain| plain.function()).collect();
    functions.push(ScalarUDF::new_from_impl(matches_pattern::MatchesPattern::new()));
    functions.push(ScalarUDF::new_from_impl(timeline::RelationshipFlows::new(folds)));
    functions.extend(metadata::all(folds).map(ScalarUDF::new_from_impl));
    functions.extend(counter_values::all(folds).map(ScalarUDF::new_from_impl));
    functions.push(ScalarUDF::new_from_impl(metric_values::MetricValues::new(folds)));
    functions
}

/// Every aggregate.
pub fn aggregates() -> Vec<AggregateUDF> {
    vec![
        AggregateUDF::new_from_impl(checked_sum::CheckedSum::new()),
        AggregateUDF::new_from_impl(quantiles::Quantiles::new()),
    ]
}

/// The rows in runs of one bundle each, with its label; mostly there is one run.
fn bundle_runs(labels: &StringViewArray) -> impl Iterator<Item = (Range<usize>, Option<&str>)> {
    let views = labels.views();
    let mut start = 0;
    std::iter::from_fn(move || {
        let (first, is_null) = (views.get(start)?, labels.is_null(start));
        let is_other =
            |row: &usize| views.get(*row) != Some(first) || labels.is_null(*row) != is_null;
        let run = start..(start..views.len()).find(is_other).unwrap_or(views.len());
        start = run.end;
        Some((run.clone(), (!is_null).then(|| labels.value(run.start))))
    })
}

/// Whether texts are of this type, or it is that of NULL.
fn is_text(given: &DataType) -> bool {
    given.is_string() || given.is_null()
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

/// The type that unsigned numbers are taken in: their own, so that no plan has to cast them.
fn either_width(given: &DataType) -> DataType {
    if *given == DataType::UInt32 { DataType::UInt32 } else { DataType::UInt64 }
}

/// Numbers of either width as wide ones.
fn wide(numbers: &ArrayRef) -> UInt64Array {
    match numbers.as_primitive_opt::<UInt32Type>() {
        Some(narrow) => narrow.unary(u64::from),
        None => numbers.as_primitive::<UInt64Type>().clone(),
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
        "device_ticks_to_ns(bundle, physical_device_ordinal, ticks)",
        "The same by the fit of the device to the driver's clock, as reports convert durations; NULL where it has none.",
    ),
    (
        "device_clock_ticks_to_ns(bundle, physical_device_ordinal, ticks)",
        "The same by the fit of the device in `device_clocks`, as in `dispatches`.",
    ),
    (
        "device_clock_time_ns(bundle, physical_device_ordinal, tick)",
        "A device tick as a time by that fit; NULL where the device has none.",
    ),
    ("device_clock_time_domain(bundle, physical_device_ordinal)", "The clock of that time."),
    (
        "device_ns_per_tick(bundle, physical_device_ordinal)",
        "The length of a device's tick by the fit of `device_ticks_to_ns`; NULL where it has none.",
    ),
    (
        "device_host_time_ns(bundle, physical_device_ordinal, tick)",
        "A device tick on IREE's host clock, by a line through the first and the last correlation of the device with that clock; where none has its time, on the driver's clock of the host; NULL where there is no correlation.",
    ),
    (
        "device_driver_time_ns(bundle, physical_device_ordinal, tick)",
        "A device tick on the driver's clock of the host, by the fit of `device_ticks_to_ns`.",
    ),
    (
        "device_host_time_domain(bundle, physical_device_ordinal)",
        "Which of these it is: `iree_host_time_from_device_clock_fit` or `driver_host_cpu_timestamp_ns`; NULL where there is no correlation.",
    ),
    (
        "device_fit_samples(bundle, physical_device_ordinal)",
        "The samples that the fit of `device_ticks_to_ns` goes through, as `1 to 22`; NULL where there is no fit.",
    ),
    (
        "device_track(physical_device_ordinal)",
        "The path of the track of a device in a timeline; that of the first where it is NULL, as the reference has it.",
    ),
    (
        "queue_track(physical_device_ordinal, queue_ordinal, name)",
        "The path of a track of a queue in a timeline.",
    ),
    (
        "relationship_flows(bundle, type, physical_device_ordinal, queue_ordinal, stream_id, id, …)",
        "The numbers of the arrows of `event_relationships` that begin or end at an event, as a list; at several of one queue, where more types and ids follow.",
    ),
    (
        "function_key(bundle, physical_device_ordinal, executable_id, function_ordinal)",
        "A function's name as reports print it, or its number on the device where it has none; NULL where no record describes it, or the executable or the ordinal is NULL; a device that is NULL is none.",
    ),
    (
        "session_function_key(bundle, session_id, executable_id, function_ordinal)",
        "A function's `key` in `functions`, by which `dispatches` are called: `executable<id>#<ordinal>` where it has no name, or no record describes it; NULL where no such bundle is open.",
    ),
    (
        "called_function_key(bundle, byte_offset, physical_device_ordinal, executable_id, function_ordinal)",
        "The same for the row that stands there: an error where no record describes the function; NULL where the row names none.",
    ),
    (
        "command_buffer_device(bundle, command_buffer_id)",
        "The physical device of a command buffer, 4294967295 for none; NULL where no record describes it.",
    ),
    (
        "host_span_start_ns(bundle, physical_device_ordinal, start_tick, end_tick)",
        "The start of a span of ticks as a time of the driver's clock of the host, by the fit of the device to it; NULL where it has none, the start is 0, or the end is before the start, in ticks or in nanoseconds.",
    ),
    (
        "host_span_end_ns(bundle, physical_device_ordinal, start_tick, end_tick)",
        "The end of such a span.",
    ),
    (
        "clock_fit_first_sample(bundle, physical_device_ordinal)",
        "The clock correlation that the fit begins with; NULL where the device has none.",
    ),
    (
        "clock_fit_last_sample(bundle, physical_device_ordinal)",
        "The clock correlation that the fit ends with; NULL where the device has none.",
    ),
    (
        "device_metric_sample_values(bundle, byte_offset)",
        "The values of the metric sample that stands there, as a list of structures that say what each is; an error where no record describes a metric.",
    ),
    (
        "counter_sample_values(bundle, byte_offset, first, count)",
        "Some of the values of the counter sample that stands there, as a list; NULL where it has fewer.",
    ),
    (
        "counter_sample_sum(bundle, byte_offset, first, count)",
        "The sum of these values; exact up to 2^53.",
    ),
    (
        "counter_sample_whole_sum(bundle, byte_offset, first, count)",
        "The exact sum of these values; NULL where it leaves 64 bits.",
    ),
    (
        "matches_pattern(text, pattern)",
        "Whether text matches a pattern as `--filter` means it: `*` is any run of bytes, `?` is one.",
    ),
    ("or_zero(x)", "A number, or 0 where it is NULL, in its own type."),
    ("or_ones(x)", "A number, or 4294967295 where it is NULL: the raw value of an absent ordinal."),
    (
        "or_unknown(x)",
        "A name, or `unknown` where it is NULL or `none`: what reports call something without a type.",
    ),
    (
        "unnamed_type(type, type_value)",
        "The number of a type, 4294967295 where it is NULL, if `or_unknown` calls it `unknown`; NULL if it has a name.",
    ),
    (
        "first_text(x, …)",
        "The first text that is not NULL, as `coalesce` gives it, but each is made once and for all rows, and so are errors.",
    ),
    (
        "xyz(x, y, z)",
        "Three numbers as a list, as reports print the sizes and counts of workgroups.",
    ),
    (
        "quantiles(value, q, …)",
        "An aggregate: the exact quantiles of a column, interpolated, as a list in the order of the `q`s.",
    ),
];
