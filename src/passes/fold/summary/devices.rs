//! Sums by device: records, clock correlations, dispatches and metric samples.

use schemas::place::Places;

use crate::fold::clocks::{Clock, Fit, Sample};
use crate::fold::shared::{Block, Grouped, Times, is_device_span};
use crate::fold::summary::tally::Tally;

/// The sums of a device.
#[derive(Debug, Clone, Copy, Default)]
pub struct Device {
    pub physical_device_ordinal: u64,
    /// Offset of the first record that names the device.
    first_at: u64,
    /// Offset of the first clock correlation.
    clock_at: Option<u64>,
    /// Offset of the first chunk of dispatches.
    dispatches_at: Option<u64>,
    pub records: u64,
    pub queue_records: u64,
    /// Number of queues according to the last device record.
    pub queues: u64,
    pub clock: Option<Clock>,
    pub(crate) unaligned_samples: u64,
    /// Shortest and longest duration of a clock reading.
    uncertainty_ns: Option<(i64, i64)>,
    /// Times of all dispatches.
    pub times: Times,
    pub(crate) metric_samples: u64,
    pub metric_values: u64,
    pub(crate) invalid_metric_samples: u64,
}

impl Device {
    /// Adds a clock correlation.
    pub fn add_sample(&mut self, sample: Sample, at: u64) {
        self.clock_at.get_or_insert(at);
        self.clock.get_or_insert(Clock::new(sample)).add(sample);
        self.unaligned_samples += u64::from(sample.is_unaligned());
        if let Some(ns) = sample.uncertainty_ns() {
            // The maximum starts at 0, so the negative durations of a damaged file do not count.
            let (shortest, longest) = self.uncertainty_ns.unwrap_or((i64::MAX, 0));
            self.uncertainty_ns = Some((shortest.min(ns), longest.max(ns)));
        }
    }

    /// Returns the shortest and the longest duration of a clock reading; 0 if none is recorded.
    pub(crate) fn uncertainty_ns(&self) -> (i64, i64) {
        let (shortest, longest) = self.uncertainty_ns.unwrap_or_default();
        (if shortest == i64::MAX { 0 } else { shortest }, longest)
    }

    /// Returns the number of clock correlations.
    pub fn samples(&self) -> u64 {
        self.clock.map_or(0, |clock| clock.sample_count)
    }

    /// Returns the fit of the device clock to the driver's host clock.
    pub fn fit(&self) -> Option<Fit> {
        self.clock?.driver_fit()
    }

    /// Whether there are valid dispatches, and all are between the first and the last clock correlation.
    pub(crate) fn is_covered(&self) -> bool {
        let (start, end) = (self.times.first_start(), self.times.last_end());
        self.times.valid > 0 && self.clock.is_some_and(|clock| clock.covers(start, end))
    }

    /// Returns the shortest, longest and total duration in nanoseconds; `None` if any cannot be converted.
    pub(crate) fn durations_ns(&self) -> Option<[i64; 3]> {
        let fit = self.fit().filter(|_| self.times.valid > 0)?;
        let ns = |ticks| fit.ticks_to_ns(ticks);
        Some([ns(self.times.shortest())?, ns(self.times.longest())?, ns(self.times.total)?])
    }
}

/// Devices by ordinal.
#[derive(Debug, Default)]
pub struct Devices(Grouped<1, Device>);

impl Devices {
    /// Returns the device with an ordinal. Adds it if it is new; `at` is the offset at which the file names it.
    #[inline]
    pub fn at(&mut self, physical_device_ordinal: u64, at: u64) -> Option<&mut Device> {
        let new = || Device { physical_device_ordinal, first_at: at, ..Device::default() };
        self.0.define([physical_device_ordinal], new);
        self.0.find_mut([physical_device_ordinal])
    }

    /// Returns the number of dispatches of all devices.
    pub fn dispatches(&self) -> u64 {
        self.0.values().iter().map(|device| device.times.count).sum()
    }

    /// Adds the dispatches of another pass. Returns false if a sum overflows 64 bits.
    pub(crate) fn add_dispatches(&mut self, others: &Self) -> bool {
        let mut fits = true;
        for other in others.0.values() {
            if let Some(device) = self.at(other.physical_device_ordinal, other.first_at) {
                device.first_at = device.first_at.min(other.first_at);
                let at = [device.dispatches_at, other.dispatches_at];
                device.dispatches_at = at.into_iter().flatten().min();
                fits &= device.times.append(&other.times);
            }
        }
        fits
    }

    /// Returns all devices in the order in which the file first names them.
    pub(crate) fn in_file_order(&self) -> Vec<&Device> {
        let mut devices: Vec<&Device> = self.0.values().iter().collect();
        devices.sort_by_key(|device| device.first_at);
        devices
    }

    /// Returns the devices with clock correlations, then those with dispatches only, each in file order.
    pub(crate) fn with_times(&self) -> Vec<&Device> {
        let mut devices: Vec<(bool, u64, &Device)> = self
            .0
            .values()
            .iter()
            .filter_map(|device| match (device.clock_at, device.dispatches_at) {
                (Some(at), _) => Some((false, at, device)),
                (None, Some(at)) => Some((true, at, device)),
                (None, None) => None,
            })
            .collect();
        devices.sort_by_key(|(has_no_clock, at, _)| (*has_no_clock, *at));
        devices.into_iter().map(|(_, _, device)| device).collect()
    }
}

impl Tally for Devices {
    const TIMES: Places<2> = Places::new("dispatch_events", ["start_tick", "end_tick"]);
    const FIELD: &'static str = "end_tick";

    fn take(&mut self, block: &Block<'_>) -> Times {
        let at = block.payload_offset();
        let device = self.at(block.header.physical_device_ordinal.into(), at);
        device.map_or_else(Times::default, |device| {
            device.dispatches_at.get_or_insert(at);
            device.times
        })
    }

    #[inline]
    fn is_span(start: u64, end: u64) -> bool {
        is_device_span(start, end)
    }

    fn put(&mut self, block: &Block<'_>, sum: Times) {
        let ordinal = block.header.physical_device_ordinal.into();
        if let Some(device) = self.at(ordinal, block.payload_offset()) {
            device.times = sum;
        }
    }
}
