//! The ratio of two sides with a 95 % interval, by a hierarchical bootstrap over runs and their iterations.
//!
//! A side is the geometric mean, over its runs, of a summary of the iterations of each run. A resample draws runs with
//! replacement, each with all its iterations: the summaries of the runs vary by the noise within them already, and to
//! draw iterations again would count it twice (Davison and Hinkley, *Bootstrap methods*, 1997, section 3.8). The
//! percentiles are expanded, because those of few runs are too narrow (Hesterberg, *What teachers should know about the
//! bootstrap*, 2015): deviations are scaled by √(n / (n - 1)), and the level is that of Student's t with the degrees of
//! freedom of Welch (1947).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::count::float;
use super::quantiles::{median, quantile, sorted};
use super::random::below;

/// Minimum number of runs of a side for an interval: those of three hold the truth in fewer than 93 of 100 cases.
pub const RUNS: usize = 4;

/// Number of resamples.
const RESAMPLES: usize = 2000;

/// Confidence level of the interval.
pub const CONFIDENCE: f64 = 0.95;

/// How the iterations of a run are summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summary {
    Median,
    Min,
    Mean,
}

impl Summary {
    /// Returns the summary of some values; NaN or infinite if there are none.
    pub fn of(self, values: &[f64]) -> f64 {
        match self {
            Self::Median => median(values),
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Mean => values.iter().sum::<f64>() / float(values.len()),
        }
    }
}

/// A ratio with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

/// Returns the ratio of `new` to `base`, each the positive times of the iterations of its runs. `None` if a side has fewer
/// than [`RUNS`] or a run has no iteration.
pub fn ratio_of(
    base: &[Vec<f64>],
    new: &[Vec<f64>],
    summary: Summary,
    seed: u64,
) -> Option<Interval> {
    let sides = [Side::of(base, summary)?, Side::of(new, summary)?];
    let [base, new] = &sides;
    let stream = |nth| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(nth);
        random
    };
    // Each side draws from either stream, so that the resamples of exchanged sides are the same, with the other sign.
    let resamples = [[0, 1], [1, 0]].into_iter().flat_map(|streams| {
        let [mut of_base, mut of_new] = streams.map(stream);
        (0..RESAMPLES / 2).map(move |_| new.resampled(&mut of_new) - base.resampled(&mut of_base))
    });
    let differences: Vec<f64> = resamples.collect();
    let share = Normal::standard().cdf(-student(&sides));
    let differences = sorted(&differences);
    Some(Interval {
        ratio: (new.mean - base.mean).exp(),
        low: quantile(&differences, share).exp(),
        high: quantile(&differences, 1.0 - share).exp(),
    })
}

/// Returns the quantile of Student's t for the confidence level.
fn student(sides: &[Side; 2]) -> f64 {
    let error = |side: &Side| side.variance / float(side.runs.len());
    let each = sides.each_ref().map(error);
    let sum: f64 = each.iter().sum();
    let parts = sides.iter().zip(each);
    let parts = parts.map(|(side, error)| error.powi(2) / float(side.runs.len() - 1));
    let freedom = sum.powi(2) / parts.sum::<f64>();
    // Without any difference between runs, every quantile is the same.
    let freedom = if freedom.is_finite() { freedom } else { 1.0 };
    StudentsT::new(0.0, 1.0, freedom)
        .map_or(f64::NAN, |student| student.inverse_cdf(0.5 + CONFIDENCE / 2.0))
}

/// The logarithms of the summaries of a side's runs, with their mean and variance.
struct Side {
    runs: Vec<f64>,
    mean: f64,
    variance: f64,
}

impl Side {
    fn of(runs: &[Vec<f64>], summary: Summary) -> Option<Self> {
        if runs.len() < RUNS || runs.iter().any(Vec::is_empty) {
            return None;
        }
        let runs: Vec<f64> = runs.iter().map(|run| summary.of(run).ln()).collect();
        let count = float(runs.len());
        let mean = runs.iter().sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|value| (value - mean).powi(2)).sum();
        mean.is_finite().then_some(Self { runs, mean, variance: squares / (count - 1.0) })
    }

    /// Returns the mean logarithm of a resample, with its deviation expanded.
    fn resampled(&self, random: &mut ChaCha8Rng) -> f64 {
        let count = float(self.runs.len());
        let sum: f64 = self.runs.iter().filter_map(|_| drawn(&self.runs, random)).sum();
        self.mean + (sum / count - self.mean) * (count / (count - 1.0)).sqrt()
    }
}

/// Draws one of the items.
fn drawn<'i>(items: &'i [f64], random: &mut ChaCha8Rng) -> Option<&'i f64> {
    items.get(below(random, items.len()))
}
