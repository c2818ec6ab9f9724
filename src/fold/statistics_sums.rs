//! What the samples of one row of statistics add up to.
//!
//! Whole numbers added, and the smallest and largest of them: parts may be added in any order.

use super::correlations::Fit;

/// One event, as far as it is added up.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Start and end, where both are known and in order.
    pub span: Option<(u64, u64)>,
    pub operations: u64,
    pub payload_bytes: u64,
    pub tiles: u64,
    pub tile_duration_ns: u64,
}

impl Sample {
    /// An event that moves nothing and has no tiles.
    pub const fn of_span(span: Option<(u64, u64)>) -> Self {
        Self { span, operations: 0, payload_bytes: 0, tiles: 0, tile_duration_ns: 0 }
    }
}

/// The sums; all times but those of tiles are of the samples that have a span.
#[derive(Debug, Clone, Copy)]
pub struct Totals {
    pub samples: u64,
    pub timed: u64,
    pub operations: u64,
    pub payload_bytes: u64,
    pub tiles: u64,
    pub tile_duration_ns: u64,
    pub duration: u64,
    first_start: u64,
    last_end: u64,
    shortest: u64,
    longest: u64,
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

impl Default for Totals {
    fn default() -> Self {
        Self {
            samples: 0,
            timed: 0,
            operations: 0,
            payload_bytes: 0,
            tiles: 0,
            tile_duration_ns: 0,
            duration: 0,
            first_start: u64::MAX,
            last_end: 0,
            shortest: u64::MAX,
            longest: 0,
        }
    }
}

impl Totals {
    /// Adds an event; where a sum overflows, says what of.
    #[inline]
    pub fn add(&mut self, sample: &Sample) -> Result<(), &'static str> {
        self.samples += 1;
        increase(&mut self.operations, sample.operations, OPERATIONS)?;
        increase(&mut self.payload_bytes, sample.payload_bytes, PAYLOAD)?;
        if sample.tiles != 0 {
            increase(&mut self.tiles, sample.tiles, TILES)?;
            increase(&mut self.tile_duration_ns, sample.tile_duration_ns, TILE_TIME)?;
        }
        let Some((start, end)) = sample.span else { return Ok(()) };
        let duration = end - start;
        self.timed += 1;
        increase(&mut self.duration, duration, DURATION)?;
        self.first_start = self.first_start.min(start);
        self.last_end = self.last_end.max(end);
        self.shortest = self.shortest.min(duration);
        self.longest = self.longest.max(duration);
        Ok(())
    }

    /// Adds what others add up to; where a sum overflows, says what of.
    pub fn merge(&mut self, other: &Self) -> Result<(), &'static str> {
        self.samples += other.samples;
        self.timed += other.timed;
        increase(&mut self.operations, other.operations, OPERATIONS)?;
        increase(&mut self.payload_bytes, other.payload_bytes, PAYLOAD)?;
        increase(&mut self.tiles, other.tiles, TILES)?;
        increase(&mut self.tile_duration_ns, other.tile_duration_ns, TILE_TIME)?;
        increase(&mut self.duration, other.duration, DURATION)?;
        self.first_start = self.first_start.min(other.first_start);
        self.last_end = self.last_end.max(other.last_end);
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        Ok(())
    }

    /// First start, last end, shortest and longest duration; 0 where no sample has a span.
    pub const fn bounds(&self) -> [u64; 4] {
        if self.timed == 0 {
            return [0; 4];
        }
        [self.first_start, self.last_end, self.shortest, self.longest]
    }
}

/// A duration in ticks to the nearest nanosecond; `None` where 64 bits do not hold it.
pub fn scaled(ticks: u64, fit: Fit) -> Option<u64> {
    let span = u128::from(fit.device_tick_span);
    let product = u128::from(ticks) * u128::from(fit.time_span_ns) + span / 2;
    u64::try_from(product.checked_div(span)?).ok()
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
        let samples = [(5, 9), (2, 3), (4, 4)].map(|span| Sample::of_span(Some(span)));
        let (mut parts, rest) = (added(&samples[..1]), added(&samples[1..]));
        parts.merge(&rest).expect("small numbers");
        assert_eq!(parts.bounds(), [2, 9, 0, 4]);
        assert_eq!(parts.bounds(), added(&samples).bounds());
        assert_eq!((parts.samples, parts.timed, parts.duration), (3, 3, 5));
        assert_eq!(added(&[Sample::of_span(None)]).bounds(), [0; 4]);
    }

    #[test]
    fn sums_that_leave_64_bits_are_found() {
        let large = Sample { payload_bytes: u64::MAX, ..Sample::of_span(None) };
        let mut totals = added(&[large]);
        assert_eq!(totals.add(&large), Err("payload_length"));
        assert_eq!(added(&[large]).merge(&added(&[large])), Err("payload_length"));
    }
}
