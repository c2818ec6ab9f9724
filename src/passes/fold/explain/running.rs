//! Computes how long dispatches ran on each device: the union of their times, in which overlaps count once. Sessions are
//! apart, because their ticks may be of different clocks.
//!
//! Dispatches usually come in the order of their starts, and then nothing needs to be kept. If those of a device do not,
//! a second pass keeps the times of all.

use std::collections::BTreeSet;

use crate::fold::clocks::{Clock, Clocks, Fit};
use crate::fold::dispatches::Event;
use crate::fold::shared::{Columns, Grouped};

/// The matching valid dispatches by session and device.
#[derive(Debug, Default)]
pub struct Running {
    devices: Grouped<2, DeviceDispatches>,
    /// Whether the times of dispatches are kept.
    pub keeps: bool,
}

/// The dispatches of a device.
#[derive(Debug, Clone, Default)]
struct DeviceDispatches {
    /// The first start, or `None` without dispatches.
    first: Option<u64>,
    /// The start of the latest one.
    latest: u64,
    /// The last end so far.
    until: u64,
    /// The time in which any ran.
    busy: u64,
    /// Their total duration.
    total: u64,
    is_unordered: bool,
    spans: Vec<[u64; 2]>,
}

impl Running {
    /// Creates sums that keep the times of dispatches.
    pub fn keeping() -> Self {
        Self { keeps: true, ..Self::default() }
    }

    /// Adds a valid dispatch.
    #[inline]
    pub fn add(&mut self, session: u64, device: u64, event: &Event) {
        let Some(ran) = self.devices.at([session, device]) else { return };
        if self.keeps {
            ran.spans.push([event.start, event.end]);
        } else {
            ran.add(event.start, event.end);
        }
    }

    /// Whether the dispatches of a device are not in the order of their starts.
    pub(crate) fn is_unordered(&self) -> bool {
        self.devices.values().iter().any(|ran| ran.is_unordered)
    }

    /// Puts the kept times in order and adds them.
    pub(crate) fn put_in_order(&mut self) {
        for ran in self.devices.values_mut() {
            let mut spans = std::mem::take(&mut ran.spans);
            spans.sort_unstable();
            for [start, end] in spans {
                ran.add(start, end);
            }
        }
    }

    /// Returns the devices with dispatches or a clock, by session and ordinal.
    pub fn devices(&self, clocks: &Clocks) -> Vec<Utilization> {
        let keys: BTreeSet<[u64; 2]> = clocks.keys().chain(self.devices.keys()).copied().collect();
        let row = |key: [u64; 2]| {
            let clock = clocks.get(&key);
            let ran = self.devices.find(key).cloned().unwrap_or_default();
            let samples = clock.map_or(0, |clock| clock.sample_count);
            ran.utilization(key, (samples, clock.and_then(Clock::preferred).map(|(_, fit)| fit)))
        };
        keys.into_iter().map(row).collect()
    }

    /// Returns the devices whose dispatches the host timed, by session and ordinal. A tick of its clock is a nanosecond.
    pub fn on_host(&self) -> Vec<Utilization> {
        let keys: BTreeSet<[u64; 2]> = self.devices.keys().iter().copied().collect();
        let row = |key| {
            let ran = self.devices.find(key).cloned().unwrap_or_default();
            Utilization { is_of_host: true, ..ran.utilization(key, (0, Some(Fit::IDENTITY))) }
        };
        keys.into_iter().map(row).collect()
    }
}

impl DeviceDispatches {
    #[inline]
    fn add(&mut self, start: u64, end: u64) {
        self.first.get_or_insert(start);
        self.is_unordered |= start < self.latest;
        self.latest = start;
        // Neither sum exceeds that of the tally, which is checked.
        self.busy = self.busy.saturating_add(end.saturating_sub(start.max(self.until)));
        self.total = self.total.saturating_add(end - start);
        self.until = self.until.max(end);
    }

    fn utilization(&self, key: [u64; 2], (samples, fit): (u64, Option<Fit>)) -> Utilization {
        Utilization {
            key,
            is_of_host: false,
            samples,
            fit,
            span: self.until - self.first.unwrap_or_default(),
            busy: self.busy,
            total: self.total,
        }
    }
}

/// How much of the time dispatches ran on a device in a session.
#[derive(Debug)]
pub struct Utilization {
    /// Session and device.
    pub key: [u64; 2],
    is_of_host: bool,
    samples: u64,
    fit: Option<Fit>,
    /// Ticks from the first start to the last end.
    span: u64,
    busy: u64,
    total: u64,
}

impl Utilization {
    /// Returns the fraction of the span in which dispatches ran; `None` without a span.
    #[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
    pub fn share(&self) -> Option<f64> {
        (self.span > 0).then(|| self.busy as f64 / self.span as f64)
    }

    /// Returns the span in nanoseconds; `None` without a clock fit.
    pub fn span_ns(&self) -> Option<i64> {
        self.ns(self.span)
    }

    fn ns(&self, ticks: u64) -> Option<i64> {
        self.fit?.ticks_to_ns(ticks)
    }
}

/// The columns of `explain_utilization`.
pub fn columns() -> Columns<Utilization> {
    Columns::<Utilization>::new()
        .number("session_id", |row| row.key[0])
        .number("physical_device_ordinal", |row| row.key[1])
        .text("timing_source", |row| if row.is_of_host { "host" } else { "device" })
        .flag("clock_fit_available", |row| row.fit.is_some())
        .number("clock_samples", |row| row.samples)
        .number("span_ticks", |row| row.span)
        .number("busy_ticks", |row| row.busy)
        .number("dispatch_ticks", |row| row.total)
        .optional_float("busy_share", Utilization::share)
        .optional_float("tick_frequency_hz", |row| Some(row.fit?.tick_frequency_hz()))
        .optional_signed("span_ns", Utilization::span_ns)
        .optional_signed("busy_ns", |row| row.ns(row.busy))
        .optional_signed("dispatch_ns", |row| row.ns(row.total))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(spans: &[[u64; 2]]) -> (bool, u64, u64, u64) {
        let mut running = Running::default();
        let add = |running: &mut Running| {
            for [start, end] in spans {
                running.add(1, 0, &Event { start: *start, end: *end, tiles: [0; 2] });
            }
        };
        add(&mut running);
        let is_unordered = running.is_unordered();
        if is_unordered {
            running = Running::keeping();
            add(&mut running);
            running.put_in_order();
        }
        let [row]: [Utilization; 1] = running.devices(&Clocks::new()).try_into().unwrap();
        (is_unordered, row.span, row.busy, row.total)
    }

    #[test]
    fn overlapping_dispatches_count_once_in_any_order() {
        assert_eq!(ran(&[[10, 20], [10, 20], [15, 25], [40, 50]]), (false, 40, 25, 40));
        assert_eq!(ran(&[[40, 50], [10, 20], [15, 25], [10, 20]]), (true, 40, 25, 40));
        assert_eq!(ran(&[[5, 5]]), (false, 0, 0, 0));
    }
}
