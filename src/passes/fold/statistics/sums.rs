//! Sums of the events of a group or row of statistics. Like [`Times`], partial sums can be merged in any order.

use crate::fold::shared::Times;

/// The summed values of one event.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub start: u64,
    pub end: u64,
    /// Whether start and end are valid.
    pub is_timed: bool,
    pub operations: u64,
    pub payload_bytes: u64,
    pub tiles: u64,
    pub(crate) tile_duration_ns: u64,
}

impl Sample {
    /// Creates an event with times only.
    pub(crate) const fn of_span(start: u64, end: u64, is_timed: bool) -> Self {
        let (operations, payload_bytes, tiles, tile_duration_ns) = (0, 0, 0, 0);
        Self { start, end, is_timed, operations, payload_bytes, tiles, tile_duration_ns }
    }
}

/// Sums of events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// Times of the events, without those of tiles.
    pub times: Times,
    pub operations: u64,
    pub payload_bytes: u64,
    pub tiles: u64,
    pub(crate) tile_duration_ns: u64,
}

const OPERATIONS: &str = "operation_count";
const PAYLOAD: &str = "payload_length";
const TILES: &str = "tile_count";
const TILE_TIME: &str = "tile_duration_sum_ns";
const DURATION: &str = "duration";

#[inline]
fn increase(sum: &mut u64, by: u64, what: &'static str) -> Result<(), &'static str> {
    *sum = sum.checked_add(by).ok_or(what)?;
    Ok(())
}

impl Totals {
    /// Adds an event. If a sum overflows, returns the field as an error.
    #[inline]
    pub fn add(&mut self, sample: &Sample) -> Result<(), &'static str> {
        increase(&mut self.operations, sample.operations, OPERATIONS)?;
        increase(&mut self.payload_bytes, sample.payload_bytes, PAYLOAD)?;
        if sample.tiles != 0 {
            increase(&mut self.tiles, sample.tiles, TILES)?;
            increase(&mut self.tile_duration_ns, sample.tile_duration_ns, TILE_TIME)?;
        }
        let Sample { start, end, is_timed, .. } = *sample;
        if self.times.add(start, end, is_timed) { Ok(()) } else { Err(DURATION) }
    }

    /// Adds the sums of other events. If a sum overflows, returns the field as an error.
    pub fn merge(&mut self, other: &Self) -> Result<(), &'static str> {
        increase(&mut self.operations, other.operations, OPERATIONS)?;
        increase(&mut self.payload_bytes, other.payload_bytes, PAYLOAD)?;
        increase(&mut self.tiles, other.tiles, TILES)?;
        increase(&mut self.tile_duration_ns, other.tile_duration_ns, TILE_TIME)?;
        if self.times.append(&other.times) { Ok(()) } else { Err(DURATION) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(samples: &[Sample]) -> Totals {
        let mut totals = Totals::default();
        for sample in samples {
            totals.add(sample).expect("small numbers");
        }
        totals
    }

    #[test]
    fn parts_add_up_like_the_whole() {
        let samples = [(5, 9), (2, 3), (4, 4)]
            .map(|(start, end)| Sample { operations: start, ..Sample::of_span(start, end, true) });
        let whole = added(&samples);
        let (mut parts, rest) = (added(&samples[..1]), added(&samples[1..]));
        parts.merge(&rest).expect("small numbers");
        for Totals { times, operations, .. } in [parts, whole] {
            let bounds = [times.first_start(), times.last_end(), times.shortest(), times.longest()];
            assert_eq!(bounds, [2, 9, 0, 4]);
            assert_eq!((times.count, times.valid, times.total, operations), (3, 3, 5, 11));
        }
        let untimed = added(&[Sample::of_span(3, 5, false)]).times;
        assert_eq!((untimed.count, untimed.first_start(), untimed.last_end()), (1, 0, 0));
    }

    #[test]
    fn sums_that_leave_64_bits_are_found() {
        let large = Sample { payload_bytes: u64::MAX, ..Sample::of_span(1, 2, true) };
        let mut totals = added(&[large]);
        assert_eq!(totals.add(&large), Err("payload_length"));
        assert_eq!(added(&[large]).merge(&added(&[large])), Err("payload_length"));
        let long = Sample::of_span(1, u64::MAX, true);
        assert_eq!(added(&[long]).merge(&added(&[long])), Err("duration"));
    }
}
