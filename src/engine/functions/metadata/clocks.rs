//! What the clock of a device says: lengths of ticks, and ticks as times of the host.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, UInt64Array};
use datafusion::error::Result;

use super::rows::Rows;
use crate::fold::Fit;

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
