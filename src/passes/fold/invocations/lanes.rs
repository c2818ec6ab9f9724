//! The devices of a bundle, each with the clock of its dispatches, and the times of calls on the host's clock.

use super::invocation::{Devices, Times};
use super::step::{NONE, narrow};
use super::submissions::Submissions;
use crate::fold::clocks::{Clock, Clocks, Fit, Line, Residuals};
use crate::fold::shared::{ABSENT, Groups};

/// A device, and who times its dispatches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    pub session_id: u64,
    pub device: u64,
    pub is_on_device: bool,
}

/// The devices that execute the submissions of a bundle.
#[derive(Debug, Default)]
pub struct Lanes {
    pub all: Vec<Lane>,
    clocks: Vec<LaneClock>,
    /// The device of each submission.
    of: Vec<u32>,
}

/// How the times of a device become times of the host.
#[derive(Debug, Clone, Copy, Default)]
struct LaneClock {
    is_host: bool,
    /// The fit of `dispatches`, for calls on one device.
    fit: Option<Fit>,
    /// The line to the host's clock, on which several devices can be compared.
    line: Option<Line>,
    /// What times on that line may be off, in nanoseconds.
    residual_ns: i64,
}

/// A valid dispatch of a call: its device, start and end.
pub type Span = (u32, [u64; 2]);

impl Lanes {
    pub fn of(submissions: &Submissions, clocks: &Clocks, residuals: &Residuals) -> Self {
        let mut numbers: Groups<3> = Groups::default();
        let mut lanes = Self::default();
        for ([session_id, device, ..], submission) in submissions.all.iter() {
            let is_on_device = submission.is_on_device;
            let number = numbers.number([*session_id, *device, is_on_device.into()]);
            if number == lanes.all.len() {
                lanes.all.push(Lane { session_id: *session_id, device: *device, is_on_device });
                let clock = clocks.get(&[*session_id, *device]).filter(|_| *device != ABSENT);
                let residual_ns = residuals.of_line(*session_id, *device);
                lanes.clocks.push(LaneClock::of(is_on_device, clock, residual_ns));
            }
            lanes.of.push(narrow(number));
        }
        lanes
    }

    /// Returns the number of the device of a submission.
    pub fn lane(&self, submission: u32) -> u32 {
        self.of.get(submission as usize).copied().unwrap_or(NONE)
    }

    /// Describes a set of devices.
    pub fn devices(&self, lanes: &[u32]) -> Devices {
        let mut all: Vec<Lane> =
            lanes.iter().filter_map(|lane| self.all.get(*lane as usize)).copied().collect();
        all.sort_unstable();
        let session_id = only(all.iter().map(|lane| lane.session_id));
        let ordinal = |device: u64| u32::try_from(device).ok().filter(|_| device != ABSENT);
        let name = |lane: &Lane| {
            let device = ordinal(lane.device).map_or("none".to_owned(), |it| it.to_string());
            match session_id {
                Some(_) => device,
                None => format!("{device} of session {}", lane.session_id),
            }
        };
        let names: Vec<String> = all.iter().map(name).collect();
        Devices {
            lanes: lanes.to_vec(),
            names: names.join(", "),
            timing_source: match only(all.iter().map(|lane| lane.is_on_device)) {
                Some(true) => "device",
                Some(false) => "host",
                None => "both",
            },
            session_id,
            device: only(all.iter().map(|lane| lane.device)).and_then(ordinal),
        }
    }

    fn clock(&self, lane: u32) -> LaneClock {
        self.clocks.get(lane as usize).copied().unwrap_or_default()
    }

    /// Whether the times of a device can be compared with those of queue operations.
    pub(crate) fn is_on_host_clock(&self, lane: u32) -> bool {
        let LaneClock { is_host, line, .. } = self.clock(lane);
        is_host || line.is_some_and(|line| line.domain == Line::HOST)
    }

    /// Returns what the times of a device on the host's clock may be off, in nanoseconds.
    pub(crate) fn residual_ns(&self, lane: u32) -> i64 {
        self.clock(lane).residual_ns
    }

    /// Returns a span on the clock that all devices have: the host's, or that of the only device.
    pub fn comparable(&self, (lane, [start, end]): Span) -> [i64; 2] {
        let fit = self.clock(lane).line;
        let times = fit.and_then(|fit| Some([fit.time_ns(start)?, fit.time_ns(end)?]));
        times.unwrap_or([start, end].map(u64::cast_signed))
    }

    /// Returns the times of a call from its spans, which are put in order.
    pub fn times(&self, spans: &mut [Span]) -> Times {
        let Some((lane, _)) = spans.first().copied() else { return Times::default() };
        if spans.iter().all(|(other, _)| *other == lane) {
            spans.sort_unstable_by_key(|(_, span)| *span);
            let (start, end, busy) = union(spans.iter().map(|(_, span)| *span));
            let fit = self.clock(lane).fit;
            return Times {
                start_ns: fit.and_then(|fit| fit.host_time_ns(start)),
                end_ns: fit.and_then(|fit| fit.host_time_ns(end)),
                busy_ns: fit.and_then(|fit| fit.ticks_to_ns(busy)),
                length: end - start,
            };
        }
        if spans.iter().any(|(lane, _)| self.clock(*lane).fit.is_none()) {
            return Times::default();
        }
        let mut times: Vec<[u64; 2]> =
            spans.iter().map(|span| self.comparable(*span).map(i64::cast_unsigned)).collect();
        times.sort_unstable();
        let (start, end, busy) = union(times.into_iter());
        let [start_ns, end_ns, busy_ns] = [start, end, busy].map(|ns| Some(ns.cast_signed()));
        Times { start_ns, end_ns, busy_ns, length: end - start }
    }
}

impl LaneClock {
    fn of(is_on_device: bool, clock: Option<&Clock>, residual_ns: i64) -> Self {
        if !is_on_device {
            return Self { is_host: true, fit: Some(Fit::IDENTITY), ..Self::default() };
        }
        let fit = clock.and_then(Clock::preferred).map(|(_, fit)| fit);
        Self { is_host: false, fit, line: clock.and_then(Clock::host_line), residual_ns }
    }
}

/// Returns what all values are; `None` if they differ.
fn only<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}

/// Returns the first start, the last end, and the length of the union of spans in order of their starts.
fn union(spans: impl Iterator<Item = [u64; 2]>) -> (u64, u64, u64) {
    let (mut first, mut busy, mut until) = (None, 0_u64, 0);
    for [start, end] in spans {
        first.get_or_insert(start);
        busy = busy.saturating_add(end.saturating_sub(start.max(until)));
        until = until.max(end);
    }
    (first.unwrap_or_default(), until, busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(is_on_device: &[bool]) -> Lanes {
        let clocks = is_on_device.iter().map(|it| LaneClock::of(*it, None, 0)).collect();
        Lanes { clocks, ..Lanes::default() }
    }

    #[test]
    fn busy_time_is_the_union_of_the_spans_on_all_devices() {
        for devices in [[0, 0, 0, 0], [0, 1, 1, 0]] {
            let spans = [[40, 50], [10, 20], [16, 18], [15, 30]];
            let mut spans: Vec<Span> = devices.into_iter().zip(spans).collect();
            let found = lanes(&[false, false]).times(&mut spans);
            let found = [found.start_ns, found.end_ns, found.busy_ns];
            assert_eq!(found, [Some(10), Some(50), Some(30)], "{devices:?}");
        }
    }

    #[test]
    fn times_without_a_clock_are_unknown() {
        let times = lanes(&[true, false]).times(&mut [(0, [1, 2]), (1, [3, 4])]);
        assert_eq!([times.start_ns, times.end_ns, times.busy_ns], [None; 3]);
    }
}
