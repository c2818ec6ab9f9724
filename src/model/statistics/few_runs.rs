//! The ratio of two sides of which one has fewer runs than an interval over runs takes.
//!
//! The unit of replication is the run: iterations of one process say nothing of how processes differ (Kalibera and Jones,
//! *Rigorous benchmarking in reasonable time*, 2013, whose random-effects model has a variance at each level). With six runs on
//! both sides together, that variance is estimated from all of them, as in Student's t-test (Student, *The probable error of
//! a mean*, 1908), which takes it to be the same on both sides. With fewer, it is [`BETWEEN_RUNS`], and the variance
//! within runs is added: that of the means of batches of neighboring iterations, which are nearly independent where single
//! iterations are not (Law and Carson, *A sequential procedure for determining the length of a steady-state simulation*, 1979).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::count::float;
use super::ratio::{CONFIDENCE, Interval, RUNS, Summary};

/// Standard deviation of the logarithms of runs of one build, if there are too few runs to estimate it. docs/compare.md has
/// what `benches/one-build` measured.
pub const BETWEEN_RUNS: f64 = 0.3;

/// Number of runs on both sides together from which the variance between them is estimated. Runs of two speeds are divided by
/// speed in 2 of the 2^6 ways, which is 3 %; of five runs, it would be 6 %.
pub(crate) const POOLED: usize = 6;

/// Number of batches into which the iterations of a side are divided.
const BATCHES: usize = 8;

/// A ratio from few runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FewRuns {
    pub interval: Interval,
    /// The two-sided p-value of no difference.
    pub p: f64,
    /// Whether the variance between runs is estimated from them, or the default.
    pub is_estimated: bool,
}

/// Returns the ratio of `new` to `base`, each the times of the iterations of its runs. Without an estimate, runs also differ by
/// an absolute time `least`, which short functions show. `None` if a time is not positive, or if
/// there are neither enough runs nor enough iterations.
pub(crate) fn ratio_of_few(
    base: &[Vec<f64>],
    new: &[Vec<f64>],
    summary: Summary,
    least: f64,
) -> Option<FewRuns> {
    let sides = [base, new].map(|runs| Side { runs, summary });
    let counts = sides.each_ref().map(|side| float(side.runs.len()));
    let logarithms = sides.each_ref().map(|side| side.logarithms(side.runs));
    let of = logarithms.each_ref().map(|side| mean(side));
    let change = of[1] - of[0];
    let is_estimated = base.len().min(new.len()) > 0 && base.len() + new.len() >= POOLED;
    let freedom = counts[0] + counts[1] - 2.0;
    let shares = counts[0].recip() + counts[1].recip();
    let (variance, quantile, tail): (f64, f64, Box<dyn Fn(f64) -> f64>) = if is_estimated {
        let squares: f64 = logarithms.iter().map(|side| squares(side)).sum();
        let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
        let quantile = student.inverse_cdf(0.5 + CONFIDENCE / 2.0);
        (squares / freedom * shares, quantile, Box::new(move |at| student.sf(at)))
    } else {
        let [of_base, of_new] = sides.each_ref().map(Side::variance_within);
        let normal = Normal::standard();
        let quantile = normal.inverse_cdf(0.5 + CONFIDENCE / 2.0);
        let between = |level: f64| BETWEEN_RUNS.powi(2) + (least / level.exp()).powi(2);
        let of_runs = between(of[0]) / counts[0] + between(of[1]) / counts[1];
        let variance = of_runs + of_base? + of_new?;
        (variance, quantile, Box::new(move |at| normal.sf(at)))
    };
    let error = variance.sqrt();
    let radius = quantile * error;
    // Without any difference between runs, any change is certain.
    let p = if error > 0.0 {
        2.0 * tail(change.abs() / error)
    } else {
        f64::from(u8::from(change == 0.0))
    };
    let [ratio, low, high] = [change, change - radius, change + radius].map(f64::exp);
    let is_known = change.is_finite() && radius.is_finite();
    is_known.then_some(FewRuns { interval: Interval { ratio, low, high }, p, is_estimated })
}

/// The runs of a side.
struct Side<'a> {
    runs: &'a [Vec<f64>],
    summary: Summary,
}

impl Side<'_> {
    fn logarithms(&self, all: &[Vec<f64>]) -> Vec<f64> {
        all.iter().map(|times| self.summary.of(times).ln()).collect()
    }

    /// Returns the variance of the mean logarithm of batches; `None` if there are too few iterations.
    fn variance_within(&self) -> Option<f64> {
        let all: Vec<f64> = self.runs.iter().flatten().copied().collect();
        let size = all.len().div_ceil(BATCHES).max(1);
        let batches: Vec<Vec<f64>> = all.chunks(size).map(<[f64]>::to_vec).collect();
        let count = float(batches.len());
        let variance = squares(&self.logarithms(&batches)) / (count - 1.0);
        (batches.len() >= RUNS && variance.is_finite()).then_some(variance / count)
    }
}

/// Returns the mean.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / float(values.len())
}

/// Returns the sum of the squared deviations from the mean.
pub(super) fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}
