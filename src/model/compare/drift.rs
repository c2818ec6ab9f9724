//! Drift: times that change from run to run, as a machine that warms up. If one side ran after the other, what drifts looks
//! like a change of the code.
//!
//! The slope is that of the logarithms over the order of the runs, within both sides together. If it differs from zero
//! (Student's t-test, 5 %), a change has to hold for the difference that is left without it, too: an analysis of covariance
//! (Fisher, *Statistical methods for research workers*, 1932). Sides that ran in turns are about as far from the middle, so
//! that little is left to correct. A drift that is too small to be seen in so few runs cannot be told from a change; races
//! run in turns for that reason.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::statistics::{Interval, float};

/// The largest probability of a slope without drift.
const LEVEL: f64 = 0.05;

/// Fewer runs on a side do not tell a drift.
const RUNS: usize = 4;

/// A drift, and what is left of a change without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The ratio of a run to the one before.
    pub per_run: f64,
    /// The change without the drift.
    pub without: Interval,
}

/// A run: when it started, in any unit, and the logarithm of its time.
type Run = (i64, f64);

impl Drift {
    /// Finds the drift of two sides; `None` if none is seen.
    pub fn of(base: &[Run], new: &[Run]) -> Option<Self> {
        if base.len() < RUNS || new.len() < RUNS {
            return None;
        }
        let mut starts: Vec<i64> = base.iter().chain(new).map(|(start, _)| *start).collect();
        starts.sort_unstable();
        let placed = |side: &[Run]| -> Vec<(f64, f64)> {
            let place = |start: &i64| float(starts.partition_point(|other| other < start));
            side.iter().map(|(start, logarithm)| (place(start), *logarithm)).collect()
        };
        let sides = [placed(base), placed(new)];
        let means = sides.each_ref().map(|side| means(side));
        let (mut squares, mut products, mut rest) = (0.0, 0.0, 0.0);
        for (side, (place, logarithm)) in sides.iter().zip(means) {
            for (at, value) in side {
                squares += (at - place).powi(2);
                products += (at - place) * (value - logarithm);
                rest += (value - logarithm).powi(2);
            }
        }
        let slope = products / squares;
        let freedom = float(base.len() + new.len() - 3);
        let variance = (rest - slope * products).max(0.0) / freedom;
        let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
        let t = slope / (variance / squares).sqrt();
        if !t.is_finite() || 2.0 * student.cdf(-t.abs()) > LEVEL {
            return None;
        }
        let [(base_place, base_mean), (new_place, new_mean)] = means;
        let change = new_mean - base_mean - slope * (new_place - base_place);
        let counts = 1.0 / float(base.len()) + 1.0 / float(new.len());
        let error = (variance * (counts + (new_place - base_place).powi(2) / squares)).sqrt();
        let half = student.inverse_cdf(0.975) * error;
        let [ratio, low, high] = [change, change - half, change + half].map(f64::exp);
        Some(Self { per_run: slope.exp(), without: Interval { ratio, low, high } })
    }
}

fn means(side: &[(f64, f64)]) -> (f64, f64) {
    let count = float(side.len());
    let sum = |of: fn(&(f64, f64)) -> f64| side.iter().map(of).sum::<f64>() / count;
    (sum(|it| it.0), sum(|it| it.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten runs a side, one after the other or in turns, with a drift and small deviations.
    fn sides(in_turns: bool, drift: f64, change: f64) -> [Vec<Run>; 2] {
        let deviation = |nth: i32| 0.002 * f64::from((nth * 7) % 5 - 2);
        let value = |nth: i32| drift * f64::from(nth) + deviation(nth);
        let is_new = |nth: i32| if in_turns { nth % 2 == 1 } else { nth >= 10 };
        let of = |new: bool| {
            let runs = (0..20).filter(move |nth| is_new(*nth) == new);
            let extra = if new { change } else { 0.0 };
            runs.map(move |nth| (i64::from(nth) * 1000, value(nth) + extra)).collect()
        };
        [of(false), of(true)]
    }

    #[test]
    fn what_drifts_is_no_change() {
        let [base, new] = sides(false, 0.01, 0.0);
        let found = Drift::of(&base, &new).unwrap();
        assert!((found.per_run.ln() - 0.01).abs() < 0.001, "{found:?}");
        assert!(found.without.low < 1.0 && found.without.high > 1.0, "{found:?}");
        let [base, new] = sides(false, 0.01, 0.05);
        let found = Drift::of(&base, &new).unwrap();
        assert!(found.without.low > 1.03 && found.without.high < 1.07, "{found:?}");
    }

    #[test]
    fn a_drift_of_sides_in_turns_leaves_the_change() {
        let [base, new] = sides(true, 0.01, 0.05);
        let found = Drift::of(&base, &new).unwrap();
        assert!(found.without.low > 1.04 && found.without.high < 1.06, "{found:?}");
    }

    #[test]
    fn without_drift_there_is_none() {
        for in_turns in [false, true] {
            let [base, new] = sides(in_turns, 0.0, 0.05);
            assert_eq!(Drift::of(&base, &new), None);
        }
    }
}
