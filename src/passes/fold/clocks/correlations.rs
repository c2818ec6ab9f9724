//! Reads clock correlations and fits the clock of each device to a clock of the host.
//!
//! A correlation pairs a device tick with host times. A fit is the line through the first and the last correlation.

use std::collections::BTreeMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use crate::fold::clocks::arithmetic as clock;
use crate::fold::shared::{HeapBytes, Row, blocks};

/// The fields of a clock correlation that a fit needs.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    id: u64,
    flags: u64,
    device_tick: u64,
    host_cpu_timestamp_ns: u64,
    host_time_begin_ns: i64,
    host_time_end_ns: i64,
}

/// The clock of a device: its first and last correlation.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    first: Sample,
    last: Sample,
    /// Of the aligned samples with a tick and a host bracket, those with the lowest and the highest tick.
    bracketed: Option<(Sample, Sample)>,
    pub sample_count: u64,
    pub(crate) has_unaligned: bool,
}

/// The line through the first and the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    pub first_sample_id: u64,
    pub last_sample_id: u64,
    pub first_device_tick: u64,
    pub first_time_ns: i64,
    pub device_tick_span: u64,
    pub time_span_ns: u64,
}

/// A clock of the host to which ticks can be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// The timestamp that the driver pairs with the tick.
    Driver,
    /// The middle of the bracket of IREE timestamps around the reading.
    Host,
}

impl Domain {
    /// Both clocks, the preferred one first.
    pub const ALL: [Self; 2] = [Self::Driver, Self::Host];

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Driver => "driver_host_cpu_timestamp_ns",
            Self::Host => "iree_host_time_ns",
        }
    }
}

/// The end points of a fit, whether or not it exists.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    pub first_sample_id: u64,
    pub last_sample_id: u64,
    pub first_device_tick: u64,
    pub first_time_ns: Option<i64>,
}

/// The places of a [`Sample`]; the first number is the device.
const CLOCK: Places<7> = Places::new(
    CLOCK_CORRELATIONS,
    [
        "physical_device_ordinal",
        "sample_id",
        "flags",
        "device_tick",
        "host_cpu_timestamp_ns",
        "host_time_begin_ns",
        "host_time_end_ns",
    ],
);

/// The table of clock correlations.
pub(crate) const CLOCK_CORRELATIONS: &str = "clock_correlations";

/// Clocks by session and raw ordinal of the device: the ticks of two sessions may be of different clocks.
pub type Clocks = BTreeMap<[u64; 2], Clock>;

/// Clocks by the raw ordinal of the device, each over all sessions, as `iree-profile` fits them.
pub type DeviceClocks = BTreeMap<u64, Clock>;

impl HeapBytes for Clocks {}

/// Reads the clocks of `bundle`.
pub fn read_clocks(bundle: &Arc<Bundle>) -> Result<Clocks, BundleError> {
    let mut clocks = Clocks::new();
    blocks(bundle, &[CLOCK_CORRELATIONS], |block| {
        let session = block.header.session_id;
        block.rows().for_each(|row| add_correlation(&mut clocks, |device| [session, device], row));
        Ok(())
    })?;
    Ok(clocks)
}

/// Adds a row of [`CLOCK_CORRELATIONS`] to the clock whose key is that of its device.
pub(crate) fn add_correlation<K: Ord>(
    clocks: &mut BTreeMap<K, Clock>,
    key_of: impl Fn(u64) -> K,
    row: Row<'_>,
) {
    let (device, sample) = Sample::of(row);
    clocks.entry(key_of(device)).or_insert_with(|| Clock::new(sample)).add(sample);
}

const HAS_TICK: u64 = 1;
const HAS_DRIVER_TIME: u64 = 1 << 1;
const HAS_HOST_BRACKET: u64 = 1 << 3;
const UNALIGNED: u64 = 1 << 4;

impl Clock {
    /// Creates a clock whose first sample will be `sample`, which must still be added.
    pub const fn new(sample: Sample) -> Self {
        Self { first: sample, last: sample, bracketed: None, sample_count: 0, has_unaligned: false }
    }

    /// Adds a sample.
    pub const fn add(&mut self, sample: Sample) {
        self.last = sample;
        self.sample_count += 1;
        self.has_unaligned |= sample.is_unaligned();
        if sample.flags & HAS_TICK == 0 || sample.is_unaligned() || !sample.is_bracketed() {
            return;
        }
        self.bracketed = Some(match self.bracketed {
            None => (sample, sample),
            Some((low, high)) if sample.device_tick < low.device_tick => (sample, high),
            Some((low, high)) if sample.device_tick >= high.device_tick => (low, sample),
            Some(known) => known,
        });
    }

    /// Whether `start` and `end` are between the first and the last sample.
    pub const fn covers(&self, start: u64, end: u64) -> bool {
        self.has_range() && self.first.device_tick <= start && end <= self.last.device_tick
    }

    /// Whether there are two samples or more, all aligned, and the first and the last one have ticks.
    const fn has_range(&self) -> bool {
        let has_ticks = self.first.flags & self.last.flags & HAS_TICK != 0;
        self.sample_count >= 2 && !self.has_unaligned && has_ticks
    }

    /// Returns the fit to the driver's host clock.
    pub(crate) fn driver_fit(&self) -> Option<Fit> {
        self.fit(Domain::Driver)
    }

    /// Returns the fit to IREE's host clock.
    pub(crate) fn host_fit(&self) -> Option<Fit> {
        self.fit(Domain::Host)
    }

    /// Returns the longer of the durations of the readings at both ends, in nanoseconds.
    pub(super) fn reading_ns(&self) -> u64 {
        let [first, last] = [&self.first, &self.last].map(Sample::reading_ns);
        first.max(last)
    }

    /// Returns the preferred clock that has a fit, with the fit.
    pub fn preferred(&self) -> Option<(Domain, Fit)> {
        Domain::ALL.into_iter().find_map(|domain| Some((domain, self.fit(domain)?)))
    }

    /// Returns the end points of a fit.
    pub fn ends(&self, domain: Domain) -> Ends {
        Ends {
            first_sample_id: self.first.id,
            last_sample_id: self.last.id,
            first_device_tick: self.first.device_tick,
            first_time_ns: self.first.time_ns(domain).filter(|_| self.first.flags & HAS_TICK != 0),
        }
    }

    /// Returns why there is no fit to the driver's clock; `None` if there is one.
    pub(crate) fn why_not(&self) -> Option<&'static str> {
        self.reason(Domain::Driver)
    }

    /// Whether a correlation reads another clock than the one that times events.
    pub(crate) const fn is_of_another(&self) -> bool {
        self.sample_count >= 2 && self.has_unaligned
    }

    /// Returns why there is no fit; `None` if there is one.
    pub fn reason(&self, domain: Domain) -> Option<&'static str> {
        let (first, last) = (&self.first, &self.last);
        if self.sample_count < 2 {
            return Some("fewer than two clock correlations");
        }
        if self.has_unaligned {
            return Some("a clock correlation is for another clock than that of the events");
        }
        let times = first.time_ns(domain).zip(last.time_ns(domain)).filter(|_| self.has_range());
        match times {
            None => Some("the samples lack a tick or a time of this domain"),
            Some(_) if last.device_tick <= first.device_tick => {
                Some("the device clock did not advance")
            }
            Some((first, last)) if last <= first => Some("the host clock did not advance"),
            Some(_) => None,
        }
    }

    /// Returns the fit to the driver's clock if both end points have its time, otherwise the fit to IREE's clock.
    pub(crate) fn any_fit(&self) -> Option<Fit> {
        let has_driver_times =
            [&self.first, &self.last].iter().all(|sample| sample.driver_time_ns().is_some());
        if has_driver_times { self.driver_fit() } else { self.host_fit() }
    }

    /// Returns the line that maps ticks to IREE's host clock in timelines: through the samples with the lowest and
    /// the highest tick. If these are equal, a tick counts as one nanosecond. Without such samples, returns
    /// [`Self::driver_line`].
    pub fn host_line(&self) -> Option<Line> {
        if let Some((low, high)) = &self.bracketed {
            let (first, last) = (low.middle_ns(), high.middle_ns());
            let tick_span = high.device_tick - low.device_tick;
            let (tick_span, time_span) =
                if tick_span == 0 { (1, 1) } else { (tick_span, last.saturating_sub(first)) };
            return Some(Line {
                domain: Line::HOST,
                first_tick: low.device_tick,
                first_time_ns: first,
                tick_span,
                time_span,
            });
        }
        self.driver_line()
    }

    /// Returns the line that maps ticks to the driver's host clock.
    pub fn driver_line(&self) -> Option<Line> {
        let fit = self.driver_fit()?;
        Some(Line {
            domain: "driver_host_cpu_timestamp_ns",
            first_tick: fit.first_device_tick,
            first_time_ns: fit.first_time_ns,
            tick_span: fit.device_tick_span,
            time_span: i64::try_from(fit.time_span_ns).ok()?,
        })
    }

    /// Returns the fit to a clock of the host; `None` if an end point is incomplete or a clock did not advance.
    pub fn fit(&self, domain: Domain) -> Option<Fit> {
        let (first, last) = (&self.first, &self.last);
        if !self.has_range() {
            return None;
        }
        let (first_time_ns, last_time_ns) = (first.time_ns(domain)?, last.time_ns(domain)?);
        if last.device_tick <= first.device_tick || last_time_ns <= first_time_ns {
            return None;
        }
        Some(Fit {
            first_sample_id: first.id,
            last_sample_id: last.id,
            first_device_tick: first.device_tick,
            first_time_ns,
            device_tick_span: last.device_tick - first.device_tick,
            time_span_ns: last_time_ns.abs_diff(first_time_ns),
        })
    }
}

/// A line from device ticks to times of the host. Unlike in a [`Fit`], the time may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Name of the host clock.
    pub domain: &'static str,
    first_tick: u64,
    first_time_ns: i64,
    tick_span: u64,
    time_span: i64,
}

impl Line {
    /// The name of IREE's host clock, on which the host's own times are.
    pub const HOST: &'static str = "iree_host_time_from_device_clock_fit";

    /// Returns the line of ticks that are nanoseconds of the host.
    #[cfg(test)]
    pub(crate) const fn of_ns() -> Self {
        Self { domain: Self::HOST, first_tick: 0, first_time_ns: 0, tick_span: 1, time_span: 1 }
    }

    /// Converts a tick to the nearest nanosecond.
    pub fn time_ns(&self, tick: u64) -> Option<i64> {
        let time_span = self.time_span.unsigned_abs();
        let offset = clock::map(tick, self.first_tick, 0, self.tick_span, time_span)?;
        self.first_time_ns.checked_add(if self.time_span < 0 { -offset } else { offset })
    }
}

impl Fit {
    /// That of times which are nanoseconds already.
    pub(crate) const IDENTITY: Self = Self {
        first_sample_id: 0,
        last_sample_id: 0,
        first_device_tick: 0,
        first_time_ns: 0,
        device_tick_span: 1,
        time_span_ns: 1,
    };

    /// Returns the ids of the end points as text.
    pub fn samples(&self) -> String {
        format!("{} to {}", self.first_sample_id, self.last_sample_id)
    }

    /// Converts a duration in ticks to nanoseconds.
    pub fn ticks_to_ns(&self, ticks: u64) -> Option<i64> {
        clock::scale(ticks, self.device_tick_span, self.time_span_ns)
    }

    /// Converts a tick, which may be before the first sample, to a time of the host.
    pub fn host_time_ns(&self, tick: u64) -> Option<i64> {
        clock::map(
            tick,
            self.first_device_tick,
            self.first_time_ns,
            self.device_tick_span,
            self.time_span_ns,
        )
    }

    /// Returns the length of a tick.
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    pub fn ns_per_tick(&self) -> f64 {
        self.time_span_ns as f64 / self.device_tick_span as f64
    }

    /// Returns the number of ticks per second.
    pub fn tick_frequency_hz(&self) -> f64 {
        1e9 / self.ns_per_tick()
    }
}

impl Sample {
    /// Reads a row of [`CLOCK_CORRELATIONS`]. Returns the ordinal of the device and the sample.
    pub fn of(row: Row<'_>) -> (u64, Self) {
        let [device, id, flags, device_tick, host_cpu_timestamp_ns, begin, end] =
            row.numbers(&CLOCK);
        let sample = Self {
            id,
            flags,
            device_tick,
            host_cpu_timestamp_ns,
            host_time_begin_ns: begin.cast_signed(),
            host_time_end_ns: end.cast_signed(),
        };
        (device, sample)
    }

    /// Whether the tick is of another clock than the one that times events.
    pub(crate) const fn is_unaligned(&self) -> bool {
        self.flags & UNALIGNED != 0
    }

    /// Returns the duration of the reading on the host; `None` if it is not recorded or negative.
    pub(crate) fn uncertainty_ns(&self) -> Option<i64> {
        let (begin, end) = (self.host_time_begin_ns, self.host_time_end_ns);
        (self.flags & HAS_HOST_BRACKET != 0 && end >= begin).then(|| end.wrapping_sub(begin))
    }

    fn time_ns(&self, domain: Domain) -> Option<i64> {
        match domain {
            Domain::Driver => self.driver_time_ns(),
            Domain::Host => self.host_time_ns(),
        }
    }

    fn driver_time_ns(&self) -> Option<i64> {
        i64::try_from(self.host_cpu_timestamp_ns).ok().filter(|_| self.flags & HAS_DRIVER_TIME != 0)
    }

    /// Returns its tick, if it has one of the clock that times events.
    pub(super) fn tick(&self) -> Option<u64> {
        (self.flags & HAS_TICK != 0 && !self.is_unaligned()).then_some(self.device_tick)
    }

    /// Returns the duration of the reading on the host; 0 if it is not recorded.
    fn reading_ns(&self) -> u64 {
        self.uncertainty_ns().unwrap_or_default().unsigned_abs()
    }

    /// Returns by how much its tick, converted to `time_ns`, is off its own time, beyond what its reading explains: the
    /// clocks were read one after the other, all within the bracket. `None` if it has no time of this domain.
    pub(super) fn off(&self, domain: Domain, time_ns: i64) -> Option<u64> {
        match domain {
            Domain::Driver => {
                Some(self.driver_time_ns()?.abs_diff(time_ns).saturating_sub(self.reading_ns()))
            }
            Domain::Host => {
                self.host_time_ns()?;
                let (begin, end) = (self.host_time_begin_ns, self.host_time_end_ns);
                let off = begin.saturating_sub(time_ns).max(time_ns.saturating_sub(end));
                Some(off.max(0).unsigned_abs())
            }
        }
    }

    const fn is_bracketed(&self) -> bool {
        self.flags & HAS_HOST_BRACKET != 0
    }

    /// Returns the middle of the bracket without checking it.
    const fn middle_ns(&self) -> i64 {
        i64::midpoint(self.host_time_begin_ns, self.host_time_end_ns)
    }

    /// Returns the middle of the bracket; `None` if the bracket is missing or invalid.
    fn host_time_ns(&self) -> Option<i64> {
        let (begin, end) = (self.host_time_begin_ns, self.host_time_end_ns);
        (self.flags & HAS_HOST_BRACKET != 0 && begin >= 0 && end >= begin)
            .then(|| begin + (end - begin) / 2)
    }
}
