//! Lookups in the clocks of devices: conversion of ticks to nanoseconds and times of the host. Reports use the clock of a
//! device over all sessions, as `iree-profile` does; views use that of its session.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, StringViewArray, UInt64Array};
use datafusion::error::Result;
use passes::fold::{ABSENT, Clock, Clocks, Domain, Fit, Line, Metadata, is_device_span};

use super::rows::CallRows;
use crate::functions::passes::Folds;

/// Converts durations in ticks to nanoseconds, by the fit to the driver's clock.
pub fn ticks_to_ns(rows: &CallRows<'_>) -> Result<ArrayRef> {
    rows.times(Folds::metadata_of, fit, Fit::ticks_to_ns)
}

/// Converts the start of a span of ticks to a time of the driver's host clock.
pub(crate) fn span_start(rows: &CallRows<'_>) -> Result<ArrayRef> {
    span_times(rows, |[start, _]| start)
}

/// Converts the end of a span of ticks to a time of the driver's host clock.
pub(crate) fn span_end(rows: &CallRows<'_>) -> Result<ArrayRef> {
    span_times(rows, |[_, end]| end)
}

fn span_times(rows: &CallRows<'_>, pick: fn([i64; 2]) -> i64) -> Result<ArrayRef> {
    rows.times_of_spans(Folds::metadata_of, fit, |fit, [start, end]| {
        if !is_device_span(start, end) {
            return None;
        }
        let times = [fit.host_time_ns(start)?, fit.host_time_ns(end)?];
        (times[1] >= times[0]).then(|| pick(times))
    })
}

/// Returns the length of a tick in nanoseconds.
pub fn ns_per_tick(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let lengths = rows.of_clocks(Folds::metadata_of, fit, Fit::ns_per_tick)?;
    Ok(Arc::new(Float64Array::from(lengths)))
}

/// Returns the id of the first correlation of the fit.
pub(crate) fn first_sample(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let ids = rows.of_clocks(Folds::metadata_of, fit, |fit| fit.first_sample_id)?;
    Ok(Arc::new(UInt64Array::from(ids)))
}

/// Returns the id of the last correlation of the fit.
pub(crate) fn last_sample(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let ids = rows.of_clocks(Folds::metadata_of, fit, |fit| fit.last_sample_id)?;
    Ok(Arc::new(UInt64Array::from(ids)))
}

/// Converts ticks to times of timelines: of IREE's host clock, or else of the driver's.
pub(crate) fn timeline_time(rows: &CallRows<'_>) -> Result<ArrayRef> {
    rows.times(Folds::clocks_of, host_line, Line::time_ns)
}

/// Converts ticks to times of the driver's host clock.
pub(crate) fn driver_time(rows: &CallRows<'_>) -> Result<ArrayRef> {
    rows.times(Folds::clocks_of, driver_line, Line::time_ns)
}

/// Returns the name of the clock of [`timeline_time`].
pub(crate) fn timeline_domain(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let domains = rows.of_clocks(Folds::metadata_of, device_line, |line| line.domain)?;
    Ok(Arc::new(StringViewArray::from(domains)))
}

/// Returns the ids of the correlations of the fit as text.
pub(crate) fn fit_samples(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let samples = rows.of_clocks(Folds::metadata_of, fit, Fit::samples)?;
    Ok(Arc::new(StringViewArray::from_iter(samples)))
}

/// Converts durations in ticks to nanoseconds, by the preferred fit of the device.
pub(crate) fn preferred_ticks_to_ns(rows: &CallRows<'_>) -> Result<ArrayRef> {
    rows.times(Folds::clocks_of, preferred, |(_, fit), ticks| fit.ticks_to_ns(ticks))
}

/// Converts ticks to times of the preferred clock of the device.
pub(crate) fn preferred_time(rows: &CallRows<'_>) -> Result<ArrayRef> {
    rows.times(Folds::clocks_of, preferred, |(_, fit), tick| fit.host_time_ns(tick))
}

/// Returns the name of the preferred clock of the device.
pub(crate) fn preferred_domain(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let domains = rows.of_clocks(Folds::clocks_of, preferred, |(domain, _)| domain.name())?;
    Ok(Arc::new(StringViewArray::from(domains)))
}

fn fit(metadata: &Metadata, [device]: [u64; 1]) -> Option<Fit> {
    metadata.fit(device)
}

fn device_line(metadata: &Metadata, [device]: [u64; 1]) -> Option<Line> {
    metadata.host_line(device)
}

fn preferred(clocks: &Clocks, key: [u64; 2]) -> Option<(Domain, Fit)> {
    let [_, device] = key;
    clocks.get(&key).filter(|_| device != ABSENT).and_then(Clock::preferred)
}

fn host_line(clocks: &Clocks, key: [u64; 2]) -> Option<Line> {
    clocks.get(&key)?.host_line()
}

fn driver_line(clocks: &Clocks, key: [u64; 2]) -> Option<Line> {
    clocks.get(&key)?.driver_line()
}
