//! Computes how busy devices and queues were between their first and last dispatch.

use std::collections::HashMap;

use crate::fold::clocks::Fit;
use crate::fold::dispatches::OnDevice;
use crate::fold::explain::dispatches::Dispatches;
use crate::fold::explain::submissions::Busy;
use crate::fold::metadata::Metadata;
use crate::fold::shared::{Columns, Times};
use crate::fold::summary::Device;

/// A device with its matching dispatches.
#[derive(Debug)]
pub struct DeviceSpan<'a> {
    device: &'a Device,
    /// Of its matching dispatches.
    times: Times,
    fit: Option<Fit>,
}

impl DeviceSpan<'_> {
    /// Returns the ticks from the first start to the last end.
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    const fn span(&self) -> f64 {
        self.times.last_end().saturating_sub(self.times.first_start()) as f64
    }

    /// Returns the ratio of the total duration to the span; above 1 if dispatches overlap.
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    fn active(&self) -> f64 {
        let span = self.span();
        if span > 0.0 { self.times.total as f64 / span } else { 0.0 }
    }

    /// Returns the span in nanoseconds; `None` without a clock fit.
    fn ns(&self) -> Option<f64> {
        self.fit.map(|fit| self.span() * fit.ns_per_tick())
    }

    fn total_ns(&self) -> Option<i64> {
        let fit = self.fit.filter(|_| self.times.total > 0);
        fit.and_then(|fit| fit.ticks_to_ns(self.times.total))
    }
}

/// Combines the devices with their matching dispatches.
pub fn devices<'a>(devices: &[&'a Device], pass: &Dispatches<'_, OnDevice>) -> Vec<DeviceSpan<'a>> {
    let mut sums: HashMap<u64, Times> = HashMap::new();
    for (_, [device, ..], sum) in pass.matching() {
        // Does not overflow: the tally checked the total of all dispatches of the device.
        sums.entry(device).or_default().append(&sum.times);
    }
    let span = |device: &&'a Device| {
        let times = sums.get(&device.physical_device_ordinal).copied().unwrap_or_default();
        DeviceSpan { device, times, fit: device.fit() }
    };
    devices.iter().map(span).collect()
}

/// The columns of `explain_devices`.
pub(crate) fn device_columns<'a>() -> Columns<DeviceSpan<'a>> {
    Columns::<DeviceSpan<'_>>::new()
        .position()
        .number("physical_device_ordinal", |span| span.device.physical_device_ordinal)
        .flag("clock_fit_available", |span| span.fit.is_some())
        .number("clock_samples", |span| span.device.samples())
        .float("visible_span_ticks", DeviceSpan::span)
        .number("active_dispatch_ticks", |span| span.times.total)
        .float("active_over_visible", DeviceSpan::active)
        .float("tick_frequency_hz", |span| span.fit.map_or(0.0, |fit| fit.tick_frequency_hz()))
        .float("visible_span_ns", |span| span.ns().unwrap_or_default())
        .flag("active_dispatch_time_ns_available", |span| span.total_ns().is_some())
        .signed("active_dispatch_ns", |span| span.total_ns().unwrap_or_default())
}

/// A queue with its matching dispatches.
#[derive(Debug)]
pub struct QueueSpan {
    /// Device, queue and stream.
    pub key: [u64; 3],
    pub busy: Busy,
    fit: Option<Fit>,
    /// Whether gaps are reported: only if queue operations were recorded.
    has_gaps: bool,
}

impl QueueSpan {
    /// Converts ticks to nanoseconds; 0 without a clock fit.
    pub fn ns(&self, ticks: f64) -> f64 {
        self.fit.map_or(0.0, |fit| ticks * fit.ns_per_tick())
    }

    fn total_ns(&self) -> Option<i64> {
        let fit = self.fit.filter(|_| self.busy.valid > 0);
        fit.and_then(|fit| fit.ticks_to_ns(self.busy.total_ticks))
    }
}

/// Combines the queues, in order of appearance, with their matching dispatches.
pub fn queues(
    busy: &HashMap<[u64; 3], Busy>,
    metadata: &Metadata,
    has_queue_events: bool,
) -> Vec<QueueSpan> {
    let span = |key: &[u64; 3]| {
        let busy = busy.get(key).copied().unwrap_or_default();
        let busy = if has_queue_events { busy } else { busy.without_gaps() };
        QueueSpan { key: *key, busy, fit: metadata.fit(key[0]), has_gaps: has_queue_events }
    };
    metadata.queues.keys().iter().map(span).collect()
}

/// The columns of `explain_queues`.
pub(crate) fn queue_columns() -> Columns<QueueSpan> {
    Columns::<QueueSpan>::new()
        .position()
        .number("physical_device_ordinal", |span| span.key[0])
        .number("queue_ordinal", |span| span.key[1])
        .number("stream_id", |span| span.key[2])
        .number("submissions", |span| span.busy.submissions)
        .number("valid_submissions", |span| span.busy.valid)
        .number("invalid_submissions", |span| span.busy.invalid)
        .float("busy_ticks", |span| span.busy.covered_ticks)
        .number("total_dispatch_ticks", |span| span.busy.total_ticks)
        .flag("clock_fit_available", |span| span.fit.is_some())
        .float("busy_ns", |span| span.ns(span.busy.covered_ticks))
        .flag("total_dispatch_time_ns_available", |span| span.total_ns().is_some())
        .signed("total_dispatch_ns", |span| span.total_ns().unwrap_or_default())
        .flag("gap_analysis_available", |span| span.has_gaps)
        .number("gaps", |span| span.busy.gaps)
        .float("total_gap_ticks", |span| span.busy.total_gap_ticks)
        .float("max_gap_ticks", |span| span.busy.max_gap_ticks)
        .float("total_gap_ns", |span| span.ns(span.busy.total_gap_ticks))
        .float("max_gap_ns", |span| span.ns(span.busy.max_gap_ticks))
}
