//! Statistics of the run times of a dispatch.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Number of bootstrap samples for the confidence interval of the median.
const RESAMPLES: usize = 1000;

/// Confidence level of the interval.
const CONFIDENCE: f64 = 0.95;

/// Seed of the bootstrap, constant so that equal times give equal intervals.
const SEED: u64 = 0x1ee5_c09e;

/// Statistics of times in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    pub count: usize,
    pub median: f64,
    /// Bounds of the 95 % confidence interval of the median.
    pub median_low: f64,
    pub median_high: f64,
    pub min: f64,
    pub mean: f64,
    pub p90: f64,
}

impl Statistics {
    /// Computes the statistics; `None` if there are no times.
    pub fn of(times: &[f64]) -> Option<Self> {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let min = *sorted.first()?;
        let (median_low, median_high) = interval(&sorted);
        Some(Self {
            count: sorted.len(),
            median: quantile(&sorted, 0.5),
            median_low,
            median_high,
            min,
            mean: sorted.iter().sum::<f64>() / float(sorted.len()),
            p90: quantile(&sorted, 0.9),
        })
    }
}

/// Returns a quantile of sorted values with linear interpolation (type 7 of Hyndman and Fan, 1996, as in numpy).
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = share * float(last);
    let low = floor(place);
    let at = |index: usize| sorted.get(index.min(last)).copied().unwrap_or(f64::NAN);
    let (below, above) = (at(low), at(low + 1));
    below + (above - below) * (place - float(low))
}

/// Computes the percentile bootstrap interval of the median (Efron, 1979): the quantiles of the medians of samples that
/// are drawn with replacement from the values, each of the size of the original.
fn interval(sorted: &[f64]) -> (f64, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut drawn = vec![0; sorted.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            // Samples hold indexes: the values are sorted, so indexes compare like values and select faster.
            drawn.fill_with(|| below(&mut random, sorted.len()));
            median_of(&mut drawn, sorted)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let outside = (1.0 - CONFIDENCE) / 2.0;
    (quantile(&medians, outside), quantile(&medians, 1.0 - outside))
}

/// Returns the median of the values at the drawn indexes, by selection in linear time.
fn median_of(drawn: &mut [usize], sorted: &[f64]) -> f64 {
    let value = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
    let middle = drawn.len() / 2;
    let (lower, upper, _) = drawn.select_nth_unstable(middle);
    if lower.len() == sorted.len() - middle - 1 {
        return value(*upper);
    }
    // Even number of values: the lower of the two middle values is the largest of the lower half.
    let below = lower.iter().max().copied().unwrap_or(*upper);
    f64::midpoint(value(below), value(*upper))
}

/// Draws a number below a bound by multiply-and-shift (Lemire, 2019). Without rejection, its bias is at most
/// bound / 2^64.
fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    let product = u128::from(random.next_u64()) * bound as u128;
    usize::try_from(product >> 64).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "counts of times are far below 2^53")]
const fn float(count: usize) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index of the values"
)]
const fn floor(place: f64) -> usize {
    place as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let times = [4.0, 1.0, 3.0, 2.0];
        let statistics = Statistics::of(&times).expect("there are times");
        assert_eq!((statistics.count, statistics.median), (4, 2.5));
        assert_eq!((statistics.min, statistics.mean), (1.0, 2.5));
        assert!((statistics.p90 - 3.7).abs() < 1e-12, "{statistics:?}");
        assert!(Statistics::of(&[]).is_none());
    }

    #[test]
    fn one_time_is_all_there_is() {
        let only = Statistics::of(&[7.0]).expect("there is one");
        assert_eq!(
            (only.median_low, only.median, only.median_high, only.p90),
            (7.0, 7.0, 7.0, 7.0)
        );
    }

    #[test]
    fn the_interval_holds_the_median_and_narrows() {
        // The interval of the median of 0..n spans about 2 * 1.96 * sqrt(n) / 2 values.
        let width = |count: u32| {
            let times: Vec<f64> = (0..count).map(f64::from).collect();
            let it = Statistics::of(&times).expect("there are times");
            assert!(it.median_low < it.median && it.median < it.median_high, "{it:?}");
            assert_eq!(Some(it), Statistics::of(&times), "the same again");
            (it.median_high - it.median_low) / f64::from(count)
        };
        let (few, many) = (width(101), width(2501));
        assert!((0.16..0.24).contains(&few), "1.96 / sqrt(101) = 0.195, not {few}");
        assert!((0.03..0.05).contains(&many), "1.96 / sqrt(2501) = 0.039, not {many}");
    }
}
