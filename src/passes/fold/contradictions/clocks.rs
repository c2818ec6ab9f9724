//! What the clock correlations of a device cover, and how they lie to the times of the host.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use crate::fold::clocks::{CLOCK_CORRELATIONS, Clock, Sample};
use crate::fold::shared::{Grouped, blocks};

const READING: Places<4> = Places::new(
    CLOCK_CORRELATIONS,
    ["flags", "device_tick", "host_time_begin_ns", "host_time_end_ns"],
);

const HAS_TICK: u64 = 1;
const HAS_BRACKET: u64 = 1 << 3;

/// A clock correlation.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// Index of its chunk among the file's records.
    record: u32,
    tick: Option<u64>,
    /// Host times before and after the reading, if they were recorded.
    bracket: Option<[i64; 2]>,
}

/// The clock correlations of a device in a session, in file order.
#[derive(Debug)]
pub struct Timeline {
    clock: Clock,
    readings: Vec<Reading>,
    /// Whether the session came to its end, which is where the last correlation is read.
    is_ended: bool,
    /// The most that the fit to IREE's clock is off at a correlation, and the correlation itself, in nanoseconds.
    uncertainty_ns: u64,
}

/// The timelines of all devices, by session and device.
#[derive(Debug, Default)]
pub struct Timelines(Grouped<2, Timeline>);

impl Timelines {
    /// Reads the clock correlations of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut all = Self::default();
        blocks(bundle, &[CLOCK_CORRELATIONS], |block| {
            let session = block.header.session_id;
            for row in block.rows() {
                let (device, sample) = Sample::of(row);
                let [flags, tick, begin, end] = row.numbers(&READING);
                let [begin, end] = [begin, end].map(u64::cast_signed);
                let is_bracketed = flags & HAS_BRACKET != 0 && begin >= 0 && end >= begin;
                let bracket = is_bracketed.then_some([begin, end]);
                let tick = (flags & HAS_TICK != 0).then_some(tick);
                all.0.define([session, device], || Timeline {
                    clock: Clock::new(sample),
                    readings: Vec::new(),
                    is_ended: is_ended(bundle, session),
                    uncertainty_ns: 0,
                });
                if let Some(timeline) = all.0.find_mut([session, device]) {
                    timeline.clock.add(sample);
                    timeline.readings.push(Reading { record: block.header.record, tick, bracket });
                }
            }
            Ok(())
        })?;
        all.0.values_mut().iter_mut().for_each(Timeline::measure);
        Ok(all)
    }

    /// Returns the timeline of a device in a session.
    pub fn of(&self, session: u64, device: u64) -> Option<&Timeline> {
        self.0.find([session, device])
    }

    /// Returns all timelines, with their session and device.
    pub fn all(&self) -> impl Iterator<Item = (&[u64; 2], &Timeline)> {
        self.0.iter()
    }
}

/// Whether a session ended without a failure in a file that is whole.
pub(crate) fn is_ended(bundle: &Bundle, session: u64) -> bool {
    let sessions = &bundle.directory.sessions;
    let found = sessions.iter().find(|known| known.session_id == session);
    let is_whole = found.is_some_and(|it| it.end_record.is_some() && it.failure().is_none());
    is_whole && bundle.salvage().is_none()
}

impl Timeline {
    /// Measures how far off the fit to IREE's clock may be. A reading is anywhere in its bracket, and between readings the
    /// device's clock is taken to run evenly: what it is off at the readings shows how far that is wrong.
    fn measure(&mut self) {
        let Some(fit) = self.clock.host_fit() else { return };
        for reading in &self.readings {
            let time = reading.tick.and_then(|tick| fit.host_time_ns(tick));
            let (Some([begin, end]), Some(time)) = (reading.bracket, time) else { continue };
            let off = time.abs_diff(begin).max(time.abs_diff(end));
            self.uncertainty_ns = self.uncertainty_ns.max(off);
        }
        let tick = fit.ticks_to_ns(1).unwrap_or_default().unsigned_abs();
        self.uncertainty_ns = self.uncertainty_ns.saturating_add(tick.max(1));
    }

    /// Returns the first and the last tick that events of the chunk at `record` can have: those of the first correlation,
    /// which is read before anything runs, and the last one of the next chunk of them, which is read after the events were
    /// collected. `None` if that is not known.
    pub fn covered(&self, record: u32) -> Option<[u64; 2]> {
        if self.clock.has_unaligned {
            return None;
        }
        let tick = |reading: &Reading| reading.tick;
        let first = self.readings.iter().find_map(tick)?;
        let next = self.readings.partition_point(|reading| reading.record <= record);
        let mut chunks = self
            .readings
            .get(next..)
            .unwrap_or_default()
            .chunk_by(|one, other| one.record == other.record);
        let behind = chunks.find_map(|chunk| chunk.iter().rev().find_map(tick));
        let end = || self.readings.iter().rev().find_map(tick).filter(|_| self.is_ended);
        Some([first, behind.or_else(end).unwrap_or(u64::MAX)])
    }

    /// Returns the number of correlations before the chunk at `record`.
    pub fn before(&self, record: u32) -> usize {
        self.readings.partition_point(|reading| reading.record < record)
    }

    /// Returns the number of nanoseconds by which a tick is certainly before a time of the host, if it is.
    pub(crate) fn before_host(&self, tick: u64, host_ns: u64) -> Option<u64> {
        let time =
            self.clock.host_fit().filter(|_| !self.clock.has_unaligned)?.host_time_ns(tick)?;
        let latest = time.checked_add_unsigned(self.uncertainty_ns)?;
        u64::try_from(host_ns.cast_signed().checked_sub(latest)?).ok().filter(|early| *early > 0)
    }

    /// Converts a duration in ticks to nanoseconds; `None` if the clock has no fit.
    pub fn ns(&self, ticks: f64) -> Option<f64> {
        self.clock.preferred().map(|(_, fit)| ticks * fit.ns_per_tick())
    }

    /// Returns by how much correlations are ahead of host times that were recorded after them, and the numbers of those
    /// that are and of all. `earliest` has, for each number of correlations before it in the file, the first host time.
    ///
    /// A flush collects all that was recorded before it. So what follows the next correlation in the file was recorded
    /// after this one was read, whether a producer reads the clocks before or after it collects. An event may be recorded
    /// some time after its host time was taken, if its thread is interrupted in between. That happens now and then, not at
    /// every flush, so the clocks contradict each other only if most correlations are ahead.
    pub fn ahead(&self, earliest: &[i64]) -> Option<(u64, [u64; 2])> {
        let first = earliest.iter().copied().min();
        let mut ahead = Vec::new();
        let mut count = 0;
        for (nth, reading) in self.readings.iter().enumerate() {
            let Some([begin, _]) = reading.bracket else { continue };
            // The first correlation is read before anything is recorded.
            let after = if nth == 0 { first } else { earliest.get(nth + 2).copied() };
            let Some(after) = after.filter(|after| *after != i64::MAX) else { continue };
            count += 1;
            ahead.extend(u64::try_from(begin.saturating_sub(after)).ok().filter(|ns| *ns > 0));
        }
        ahead.sort_unstable();
        let middle = ahead.get(ahead.len() / 2).copied()?;
        let found = ahead.len() as u64;
        (found * 2 > count).then_some((middle, [found, count]))
    }
}
