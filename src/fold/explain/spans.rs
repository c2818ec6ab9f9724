//! How busy devices and queues were between the first and the last dispatch.

use std::collections::HashMap;

use arrow::datatypes::DataType::{Boolean, Float64, Int64, UInt64};

use super::super::arrays::{flags, fractions, numbers, positions, signed};
use super::super::correlations::Fit;
use super::super::dispatch_rows::OnDevice;
use super::super::dispatch_sums::Sum;
use super::super::summary::Device;
use super::super::{Column, Columns, Metadata};
use super::dispatches::Pass;
use super::submissions::Busy;

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

/// The devices, of which those come first whose clocks were correlated.
pub fn devices(devices: &[&Device], pass: &Pass<'_, OnDevice>) -> Columns {
    let mut active: HashMap<u64, Active> = HashMap::new();
    for (_, [device, ..], sum) in pass.matching().filter(|(_, _, sum)| sum.running().count > 0) {
        let [_, _, start, end] = sum.bounds();
        let known = active.entry(device).or_insert(Active { start, end, total: 0 });
        known.start = known.start.min(start);
        known.end = known.end.max(end);
        // All dispatches of the device together are known to fit.
        known.total = known.total.saturating_add(sum.total());
    }
    let none = Active { start: 0, end: 0, total: 0 };
    let rows: Vec<(&Device, Active, Option<Fit>)> = devices
        .iter()
        .map(|device| {
            let known = active.get(&device.physical_device_ordinal).copied();
            (*device, known.unwrap_or(none), device.fit())
        })
        .collect();
    device_columns(&rows)
}

#[expect(clippy::cast_precision_loss, reason = "as the reference: exact up to 2^53")]
fn device_columns(rows: &[(&Device, Active, Option<Fit>)]) -> Columns {
    let ratio = |active: &Active| {
        let span = active.span();
        if span > 0.0 { active.total as f64 / span } else { 0.0 }
    };
    let total_ns = |active: &Active, fit: &Option<Fit>| {
        fit.filter(|_| active.total > 0).and_then(|fit| fit.ticks_to_ns(active.total))
    };
    vec![
        positions(rows.len()),
        numbers(rows.iter().map(|(device, ..)| device.physical_device_ordinal)),
        flags(rows.iter().map(|(_, _, fit)| fit.is_some())),
        numbers(rows.iter().map(|(device, ..)| device.samples())),
        fractions(rows.iter().map(|(_, active, _)| active.span())),
        numbers(rows.iter().map(|(_, active, _)| active.total)),
        fractions(rows.iter().map(|(_, active, _)| ratio(active))),
        fractions(rows.iter().map(|(_, _, fit)| fit.map_or(0.0, |fit| fit.tick_frequency_hz()))),
        fractions(rows.iter().map(|(_, active, fit)| scaled(active.span(), fit.as_ref()))),
        flags(rows.iter().map(|(_, active, fit)| total_ns(active, fit).is_some())),
        signed(rows.iter().map(|(_, active, fit)| total_ns(active, fit).unwrap_or_default())),
    ]
}

/// Ticks in nanoseconds; 0 where they cannot be converted.
fn scaled(ticks: f64, fit: Option<&Fit>) -> f64 {
    fit.map_or(0.0, |fit| ticks * fit.ns_per_tick())
}

/// The queues in order of appearance.
pub fn queues(
    busy: &HashMap<[u64; 3], Busy>,
    metadata: &Metadata,
    has_queue_events: bool,
) -> Columns {
    let rows: Vec<([u64; 3], Busy, Option<Fit>)> = metadata
        .queue_keys()
        .iter()
        .map(|key| {
            let busy = busy.get(key).copied().unwrap_or_default();
            let busy = if has_queue_events { busy } else { busy.without_gaps() };
            (*key, busy, metadata.fit(key[0]))
        })
        .collect();
    let number = |each: fn(&Busy) -> u64| numbers(rows.iter().map(move |(_, busy, _)| each(busy)));
    let ticks = |each: fn(&Busy) -> f64| fractions(rows.iter().map(move |(_, busy, _)| each(busy)));
    let ns = |each: fn(&Busy) -> f64| {
        fractions(rows.iter().map(move |(_, busy, fit)| scaled(each(busy), fit.as_ref())))
    };
    let total_ns = |busy: &Busy, fit: &Option<Fit>| {
        fit.filter(|_| busy.valid > 0).and_then(|fit| fit.ticks_to_ns(busy.total_ticks))
    };
    vec![
        positions(rows.len()),
        numbers(rows.iter().map(|(key, ..)| key[0])),
        numbers(rows.iter().map(|(key, ..)| key[1])),
        numbers(rows.iter().map(|(key, ..)| key[2])),
        number(|busy| busy.submissions),
        number(|busy| busy.valid),
        number(|busy| busy.invalid),
        ticks(|busy| busy.covered_ticks),
        number(|busy| busy.total_ticks),
        flags(rows.iter().map(|(_, _, fit)| fit.is_some())),
        ns(|busy| busy.covered_ticks),
        flags(rows.iter().map(|(_, busy, fit)| total_ns(busy, fit).is_some())),
        signed(rows.iter().map(|(_, busy, fit)| total_ns(busy, fit).unwrap_or_default())),
        flags(rows.iter().map(|_| has_queue_events)),
        number(|busy| busy.gaps),
        ticks(|busy| busy.total_gap_ticks),
        ticks(|busy| busy.max_gap_ticks),
        ns(|busy| busy.total_gap_ticks),
        ns(|busy| busy.max_gap_ticks),
    ]
}
