//! What the clock of a device says: lengths of ticks, and ticks as times of the host.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringViewArray, UInt64Array};
use datafusion::error::Result;

use super::rows::Rows;
use crate::fold::{Fit, Line, Metadata};

/// Ticks as nanoseconds.
pub fn ticks_to_ns(rows: &Rows<'_>) -> Result<ArrayRef> {
    let ticks = rows.values(1);
    times(rows, |fit, row| fit.ticks_to_ns(*ticks.get(row)?))
}

/// A tick as a time of the driver's clock of the host.
pub fn host_time(rows: &Rows<'_>) -> Result<ArrayRef> {
    let ticks = rows.values(1);
    times(rows, |fit, row| fit.host_time_ns(*ticks.get(row)?))
}

fn times(rows: &Rows<'_>, time: impl Fn(&Fit, usize) -> Option<i64>) -> Result<ArrayRef> {
    let times = rows.with_fits(|row, fit| time(fit?, row).filter(|_| !rows.is_null(1, row)))?;
    Ok(Arc::new(Int64Array::from(times)))
}

/// The length of a tick.
pub fn ns_per_tick(rows: &Rows<'_>) -> Result<ArrayRef> {
    let lengths = rows.with_fits(|_, fit| fit.map(Fit::ns_per_tick))?;
    Ok(Arc::new(Float64Array::from(lengths)))
}

/// The first correlation of the fit.
pub fn first_sample(rows: &Rows<'_>) -> Result<ArrayRef> {
    let ids = rows.with_fits(|_, fit| fit.map(|fit| fit.first_sample_id))?;
    Ok(Arc::new(UInt64Array::from(ids)))
}

/// The last correlation of the fit.
pub fn last_sample(rows: &Rows<'_>) -> Result<ArrayRef> {
    let ids = rows.with_fits(|_, fit| fit.map(|fit| fit.last_sample_id))?;
    Ok(Arc::new(UInt64Array::from(ids)))
}

/// A tick as a time of IREE's own clock, or else of the driver's, as timelines draw it.
pub fn timeline_time(rows: &Rows<'_>) -> Result<ArrayRef> {
    line_times(rows, Metadata::host_line)
}

/// A tick as a time of the driver's clock.
pub fn driver_time(rows: &Rows<'_>) -> Result<ArrayRef> {
    line_times(rows, Metadata::driver_line)
}

fn line_times(rows: &Rows<'_>, find: impl Fn(&Metadata, u64) -> Option<Line>) -> Result<ArrayRef> {
    let ticks = rows.values(1);
    let times = rows.with_device(find, |row, line| {
        line?.time_ns(*ticks.get(row)?).filter(|_| !rows.is_null(1, row))
    })?;
    Ok(Arc::new(Int64Array::from(times)))
}

/// The clock of [`timeline_time`].
pub fn timeline_domain(rows: &Rows<'_>) -> Result<ArrayRef> {
    let domains = rows.with_device(Metadata::host_line, |_, line| line.map(|line| line.domain))?;
    Ok(Arc::new(StringViewArray::from(domains)))
}

/// The samples of the fit, as text.
pub fn fit_samples(rows: &Rows<'_>) -> Result<ArrayRef> {
    let samples = rows.with_fits(|_, fit| {
        fit.map(|fit| format!("{} to {}", fit.first_sample_id, fit.last_sample_id))
    })?;
    Ok(Arc::new(StringViewArray::from_iter(samples)))
}
