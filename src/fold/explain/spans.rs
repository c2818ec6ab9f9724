//! How busy devices and queues were between the first and the last dispatch.

use std::collections::HashMap;

use arrow::datatypes::DataType::{Boolean, Float64, Int64, UInt64};

use crate::fold::clocks::correlations::Fit;
use crate::fold::dispatches::rows::OnDevice;
use crate::fold::dispatches::sums::Sum;
use crate::fold::explain::dispatches::Pass;
use crate::fold::explain::submissions::Busy;
use crate::fold::metadata::records::Metadata;
use crate::fold::pass::{Column, Columns};
use crate::fold::shared::arrays::{flags, fractions, numbers, positions, signed};
use crate::fold::summary::pass::Device;

pub const DEVICES: &[Column] = &[
    ("position", UInt64),
    ("physical_device_ordinal", UInt64),
    ("clock_fit_available", Boolean),
    ("clock_samples", UInt64),
    ("visible_span_ticks", Float64),
    ("active_dispatch_ticks", UInt64),
    ("active_over_visible", Float64),
    ("tick_frequency_hz", Float64),
    ("visible_span_ns", Float64),
    ("active_dispatch_time_ns_available", Boolean),
    ("active_dispatch_ns", Int64),
];

pub const QUEUES: &[Column] = &[
    ("position", UInt64),
    ("physical_device_ordinal", UInt64),
    ("queue_ordinal", UInt64),
    ("stream_id", UInt64),
    ("submissions", UInt64),
    ("valid_submissions", UInt64),
    ("invalid_submissions", UInt64),
    ("busy_ticks", Float64),
    ("total_dispatch_ticks", UInt64),
    ("clock_fit_available", Boolean),
    ("busy_ns", Float64),
    ("total_dispatch_time_ns_available", Boolean),
    ("total_dispatch_ns", Int64),
    ("gap_analysis_available", Boolean),
    ("gaps", UInt64),
    ("total_gap_ticks", Float64),
    ("max_gap_ticks", Float64),
    ("total_gap_ns", Float64),
    ("max_gap_ns", Float64),
];

/// What the matching dispatches of a device add up to.
#[derive(Debug, Clone, Copy)]
struct Active {
    start: u64,
    end: u64,
    total: u64,
}

impl Active {
    /// From the first start to the last end.
    #[expect(clippy::cast_precision_loss, reason = "as the reference: exact up to 2^53")]
    const fn span(&self) -> f64 {
        self.end.saturating_sub(self.start) as f64
    }
}

/// A device with its matching dispatches.
#[derive(Debug)]
pub struct DeviceSpan<'a> {
    device: &'a Device,
    active: Active,
    fit: Option<Fit>,
}

impl DeviceSpan<'_> {
    pub const fn ordinal(&self) -> u64 {
        self.device.physical_device_ordinal
    }

    /// Time in dispatches for each tick of the span.
    #[expect(clippy::cast_precision_loss, reason = "as the reference: exact up to 2^53")]
    pub fn busy(&self) -> f64 {
        let span = self.active.span();
        if span > 0.0 { self.active.total as f64 / span } else { 0.0 }
    }

    /// The span, where ticks can be converted.
    pub fn ns(&self) -> Option<f64> {
        self.fit.map(|fit| self.active.span() * fit.ns_per_tick())
    }

    fn total_ns(&self) -> Option<i64> {
        let fit = self.fit.filter(|_| self.active.total > 0);
        fit.and_then(|fit| fit.ticks_to_ns(self.active.total))
    }
}

/// The devices, of which those come first whose clocks were correlated.
pub fn devices<'a>(devices: &[&'a Device], pass: &Pass<'_, OnDevice>) -> Vec<DeviceSpan<'a>> {
    let mut active: HashMap<u64, Active> = HashMap::new();
    for (_, [device, ..], sum) in pass.matching().filter(|(_, _, sum)| sum.times().valid > 0) {
        let times = sum.times();
        let (start, end) = (times.first_start(), times.last_end());
        let known = active.entry(device).or_insert(Active { start, end, total: 0 });
        known.start = known.start.min(start);
        known.end = known.end.max(end);
        // All dispatches of the device together are known to fit.
        known.total = known.total.saturating_add(times.total);
    }
    let none = Active { start: 0, end: 0, total: 0 };
    let span = |device: &&'a Device| {
        let active = active.get(&device.physical_device_ordinal).copied().unwrap_or(none);
        DeviceSpan { device, active, fit: device.fit() }
    };
    devices.iter().map(span).collect()
}

/// A row a device.
pub fn device_columns(spans: &[DeviceSpan<'_>]) -> Columns {
    let each = || spans.iter();
    vec![
        positions(spans.len()),
        numbers(each().map(DeviceSpan::ordinal)),
        flags(each().map(|span| span.fit.is_some())),
        numbers(each().map(|span| span.device.samples())),
        fractions(each().map(|span| span.active.span())),
        numbers(each().map(|span| span.active.total)),
        fractions(each().map(DeviceSpan::busy)),
        fractions(each().map(|span| span.fit.map_or(0.0, |fit| fit.tick_frequency_hz()))),
        fractions(each().map(|span| span.ns().unwrap_or_default())),
        flags(each().map(|span| span.total_ns().is_some())),
        signed(each().map(|span| span.total_ns().unwrap_or_default())),
    ]
}

/// A queue with its matching dispatches; without gaps where these cannot be told.
#[derive(Debug)]
pub struct QueueSpan {
    /// Device, queue and stream.
    pub key: [u64; 3],
    pub busy: Busy,
    fit: Option<Fit>,
}

impl QueueSpan {
    /// Ticks in nanoseconds; 0 where they cannot be converted.
    pub fn ns(&self, ticks: f64) -> f64 {
        self.fit.map_or(0.0, |fit| ticks * fit.ns_per_tick())
    }

    fn total_ns(&self) -> Option<i64> {
        let fit = self.fit.filter(|_| self.busy.valid > 0);
        fit.and_then(|fit| fit.ticks_to_ns(self.busy.total_ticks))
    }
}

/// The queues in order of appearance.
pub fn queues(
    busy: &HashMap<[u64; 3], Busy>,
    metadata: &Metadata,
    has_queue_events: bool,
) -> Vec<QueueSpan> {
    let span = |key: &[u64; 3]| {
        let busy = busy.get(key).copied().unwrap_or_default();
        let busy = if has_queue_events { busy } else { busy.without_gaps() };
        QueueSpan { key: *key, busy, fit: metadata.fit(key[0]) }
    };
    metadata.queue_keys().iter().map(span).collect()
}

/// A row a queue.
pub fn queue_columns(spans: &[QueueSpan], has_queue_events: bool) -> Columns {
    let each = || spans.iter();
    let number = |of: fn(&Busy) -> u64| numbers(each().map(move |span| of(&span.busy)));
    let ticks = |of: fn(&Busy) -> f64| fractions(each().map(move |span| of(&span.busy)));
    let ns = |of: fn(&Busy) -> f64| fractions(each().map(move |span| span.ns(of(&span.busy))));
    vec![
        positions(spans.len()),
        numbers(each().map(|span| span.key[0])),
        numbers(each().map(|span| span.key[1])),
        numbers(each().map(|span| span.key[2])),
        number(|busy| busy.submissions),
        number(|busy| busy.valid),
        number(|busy| busy.invalid),
        ticks(|busy| busy.covered_ticks),
        number(|busy| busy.total_ticks),
        flags(each().map(|span| span.fit.is_some())),
        ns(|busy| busy.covered_ticks),
        flags(each().map(|span| span.total_ns().is_some())),
        signed(each().map(|span| span.total_ns().unwrap_or_default())),
        flags(each().map(|_| has_queue_events)),
        number(|busy| busy.gaps),
        ticks(|busy| busy.total_gap_ticks),
        ticks(|busy| busy.max_gap_ticks),
        ns(|busy| busy.total_gap_ticks),
        ns(|busy| busy.max_gap_ticks),
    ]
}
