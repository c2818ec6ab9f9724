//! What the samples of one row of statistics add up to; like [`Times`], parts may be added in any order.

use super::correlations::Fit;
use super::times::Times;

/// One event, as far as it is added up.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Start and end, and whether they can be timed.
    pub span: (u64, u64, bool),
    pub operations: u64,
    pub payload_bytes: u64,
    pub tiles: u64,
    pub tile_duration_ns: u64,
}

impl Sample {
    /// An event that moves nothing and has no tiles.
    pub const fn of_span(span: (u64, u64, bool)) -> Self {
        Self { span, operations: 0, payload_bytes: 0, tiles: 0, tile_duration_ns: 0 }
    }
}

/// The sums.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// All but those of tiles.
    pub times: Times,
    pub operations: u64,
    pub payload_bytes: u64,
    pub tiles: u64,
    pub tile_duration_ns: u64,
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
    /// Adds an event; where a sum overflows, says what of.
    #[inline]
    pub fn add(&mut self, sample: &Sample) -> Result<(), &'static str> {
        increase(&mut self.operations, sample.operations, OPERATIONS)?;
        increase(&mut self.payload_bytes, sample.payload_bytes, PAYLOAD)?;
        if sample.tiles != 0 {
            increase(&mut self.tiles, sample.tiles, TILES)?;
            increase(&mut self.tile_duration_ns, sample.tile_duration_ns, TILE_TIME)?;
        }
        let (start, end, is_timed) = sample.span;
        if self.times.add(start, end, is_timed) { Ok(()) } else { Err(DURATION) }
    }

    /// Adds what others add up to; where a sum overflows, says what of.
    pub fn merge(&mut self, other: &Self) -> Result<(), &'static str> {
        increase(&mut self.operations, other.operations, OPERATIONS)?;
        increase(&mut self.payload_bytes, other.payload_bytes, PAYLOAD)?;
        increase(&mut self.tiles, other.tiles, TILES)?;
        increase(&mut self.tile_duration_ns, other.tile_duration_ns, TILE_TIME)?;
        if self.times.append(&other.times) { Ok(()) } else { Err(DURATION) }
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
    fn sums_that_leave_64_bits_are_found() {
        let large = Sample { payload_bytes: u64::MAX, ..Sample::of_span((1, 2, true)) };
        let mut totals = added(&[large]);
        assert_eq!(totals.add(&large), Err("payload_length"));
        assert_eq!(added(&[large]).merge(&added(&[large])), Err("payload_length"));
        let long = Sample::of_span((1, u64::MAX, true));
        assert_eq!(added(&[long]).merge(&added(&[long])), Err("duration"));
    }
}
