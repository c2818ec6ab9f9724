//! An interval that may be looked at after every measurement: whenever one stops, it holds the truth with 95 %.
//!
//! A fixed interval that is looked at again and again until it excludes what it should exclude does so in the end, even if
//! there is nothing to find. This one is a confidence sequence: with probability 95 % it holds the mean at all numbers of
//! measurements at once (Ville's inequality). It inverts the t-test martingale with a normal mixture over the standardized
//! mean (Lai, *On confidence sequences*, 1976; Lindon, Ham, Tingley and Bojinov, *Anytime-valid linear models*, 2022), for
//! independent normal measurements of unknown variance.

use super::count::float;
use super::ratio::Interval;

/// Minimum number of measurements for an interval.
pub const FEWEST: usize = 4;

/// Share of sequences that miss the truth at any time.
const ERROR: f64 = 0.05;

/// Precision of the mixture: the reciprocal of the variance of the standardized means that it expects. It only moves the
/// number of measurements at which the interval is tightest.
const PRECISION: f64 = 0.25;

/// Returns the mean ratio of measurements, given as logarithms of ratios, with an interval that holds at every look.
/// `None` while there are too few of them.
pub fn anytime_ratio(logarithms: &[f64]) -> Option<Interval> {
    let count = float(logarithms.len());
    if logarithms.len() < FEWEST {
        return None;
    }
    let mean = logarithms.iter().sum::<f64>() / count;
    let squares: f64 = logarithms.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let radius = critical(count)? * error;
    let interval =
        Interval { ratio: mean.exp(), low: (mean - radius).exp(), high: (mean + radius).exp() };
    mean.is_finite().then_some(interval)
}

/// Returns the t-statistic that the martingale takes as far as the reciprocal of the error; `None` if no statistic does.
///
/// With the shrinkage r = g / (g + n), the martingale is √r ((1 + r t²/ν) / (1 + t²/ν))^(-(ν + 1) / 2) with ν = n - 1.
fn critical(count: f64) -> Option<f64> {
    let shrinkage = PRECISION / (PRECISION + count);
    let bound = (ERROR.powi(2) * shrinkage).powf(count.recip());
    let square = (count - 1.0) * (1.0 - bound) / (bound - shrinkage);
    (bound > shrinkage).then(|| square.sqrt())
}
