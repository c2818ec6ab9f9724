//! The mean of runs with a 95 % interval.
//!
//! The unit of replication is the run, a process: a value is what one run says, as the median of its calls. Times vary by factors, so
//! the mean is the geometric one, and its interval that of Student's t (1908) for the mean of the logarithms.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::count::float;
use super::few_runs::{mean, squares};
use super::ratio::CONFIDENCE;

/// Minimum number of runs: where processes have two speeds, six are all of one speed in 2 of the 2^6 ways, which is 3 %. Of five, it
/// would be 6 %, and then the interval leaves out the other speed.
pub const MEAN_RUNS: usize = 6;

/// A mean and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Returns the geometric mean of runs; `None` for fewer than [`MEAN_RUNS`], or if a value is not positive.
pub fn mean_of_runs(values: &[f64]) -> Option<Mean> {
    if values.len() < MEAN_RUNS {
        return None;
    }
    let count = float(values.len());
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let middle = mean(&logarithms);
    let variance = squares(&logarithms) / (count - 1.0);
    let student = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
    let radius = student.inverse_cdf(0.5 + CONFIDENCE / 2.0) * (variance / count).sqrt();
    let [mean, low, high] = [middle, middle - radius, middle + radius].map(f64::exp);
    (mean.is_finite() && radius.is_finite()).then_some(Mean { mean, low, high })
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    use super::*;
    use crate::statistics::normal::normal;

    /// Returns the share of intervals that hold the truth, 1, of runs whose logarithms are drawn by `draw` with the mean 0.
    fn share_held(runs: usize, mut draw: impl FnMut(&mut ChaCha8Rng) -> f64) -> f64 {
        const TRIALS: u32 = 4000;
        let mut random = ChaCha8Rng::seed_from_u64(31);
        let mut held = 0;
        for _ in 0..TRIALS {
            let values: Vec<f64> = (0..runs).map(|_| draw(&mut random).exp()).collect();
            let found = mean_of_runs(&values).expect("enough runs");
            held += u32::from(found.low <= 1.0 && 1.0 <= found.high);
        }
        f64::from(held) / f64::from(TRIALS)
    }

    #[test]
    fn intervals_hold_the_mean() {
        for runs in [6, 10, 20] {
            // The standard error of a share is 0.35 %.
            let alike = share_held(runs, |random| 0.05 * normal(random));
            assert!((0.94..=0.96).contains(&alike), "{runs} runs: {alike}");
            let two_speeds = share_held(runs, |random| {
                let speed = if random.next_u32() % 2 == 0 { 0.2 } else { -0.2 };
                speed + 0.01 * normal(random)
            });
            assert!((0.93..=0.99).contains(&two_speeds), "{runs} runs of two speeds: {two_speeds}");
        }
    }

    #[test]
    fn few_runs_have_no_interval() {
        assert_eq!(mean_of_runs(&[1.0; 5]), None);
        assert_eq!(mean_of_runs(&[0.0; 6]), None);
        let same = mean_of_runs(&[2.0; 6]).expect("six runs");
        assert!(
            (same.mean - 2.0).abs() < 1e-12 && (same.high - same.low).abs() < 1e-12,
            "{same:?}"
        );
    }
}
