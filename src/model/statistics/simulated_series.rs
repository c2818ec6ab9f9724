//! Seeded simulations of series over time: how often a change is reported where there is none, and how often one is found.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::change_points::{Changes, change_points};
use super::normal::normal;

const TRIALS: u32 = 100;

/// How the logarithms of a simulated series vary.
#[derive(Clone, Copy)]
enum Noise {
    Normal,
    /// One value in twenty is ten standard deviations larger.
    Outliers,
    /// Student's t with three degrees of freedom.
    HeavyTails,
}

const NOISES: [Noise; 3] = [Noise::Normal, Noise::Outliers, Noise::HeavyTails];

/// The standard deviation of the normal noise.
const SIGMA: f64 = 0.01;

impl Noise {
    fn drawn(self, random: &mut ChaCha8Rng) -> f64 {
        let value = normal(random);
        SIGMA
            * match self {
                Self::Outliers if random.next_u32() < u32::MAX / 20 => value + 10.0,
                Self::Normal | Self::Outliers => value,
                Self::HeavyTails => {
                    let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                    value / (squares / 3.0).sqrt()
                }
            }
    }
}

/// Finds the changes in a series of this length with noise, around a level for each place.
fn found(
    random: &mut ChaCha8Rng,
    length: u32,
    noise: Noise,
    level: impl Fn(u32) -> f64,
) -> Changes {
    let series: Vec<f64> = (0..length).map(|nth| level(nth) + noise.drawn(random)).collect();
    change_points(&series, random.next_u64())
}

#[test]
fn series_without_change_seldom_report_any() {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    for noise in NOISES {
        for length in [10, 30, 100] {
            let is_alarm = |_| !found(&mut random, length, noise, |_| 0.0).points.is_empty();
            let alarms = (0..4 * TRIALS).map(is_alarm).map(u32::from).sum::<u32>();
            // The level is 1 %.
            assert!(alarms <= TRIALS / 10, "length {length}: {alarms} of {}", 4 * TRIALS);
        }
    }
}

#[test]
fn values_that_resemble_their_neighbors_a_little_seldom_report_any() {
    let mut random = ChaCha8Rng::seed_from_u64(36);
    for length in [30, 100] {
        let mut is_alarm = || {
            let mut last = normal(&mut random);
            let correlated = |_| {
                last = 0.1 * last + (1.0 - 0.1_f64.powi(2)).sqrt() * normal(&mut random);
                last
            };
            let series: Vec<f64> = (0..length).map(correlated).collect();
            !change_points(&series, random.next_u64()).points.is_empty()
        };
        let alarms = (0..4 * TRIALS).map(|_| u32::from(is_alarm())).sum::<u32>();
        assert!(alarms <= TRIALS / 5, "length {length}: {alarms} of {}", 4 * TRIALS);
    }
}

#[test]
fn steps_are_found_where_they_are() {
    let mut random = ChaCha8Rng::seed_from_u64(32);
    for noise in NOISES {
        for (size, least) in [(0.03, 0.9), (-0.03, 0.9), (0.02, 0.75)] {
            let step = |nth| if nth < 40 { 0.0 } else { size };
            let mut right = 0;
            for _ in 0..TRIALS {
                let points = found(&mut random, 60, noise, step).points;
                right += u32::from(points.iter().any(|point| (37..=43).contains(&point.at)));
            }
            assert!(f64::from(right) >= least * f64::from(TRIALS), "{size}: {right} of {TRIALS}");
        }
    }
}

#[test]
fn a_regression_is_found_a_few_values_later() {
    let mut random = ChaCha8Rng::seed_from_u64(33);
    let mut right = 0;
    for _ in 0..TRIALS {
        let step = |nth| if nth < 30 { 0.0 } else { 0.05 };
        let points = found(&mut random, 34, Noise::Normal, step).points;
        right += u32::from(points.iter().any(|point| point.at == 30));
    }
    assert!(right >= TRIALS * 9 / 10, "{right} of {TRIALS}");
}

#[test]
fn a_drift_of_a_percent_a_week_is_found() {
    let mut random = ChaCha8Rng::seed_from_u64(34);
    // Measured once a week, and every day.
    for (length, each_week) in [(12, 1.0), (56, 7.0), (182, 7.0)] {
        let mut right = 0;
        for _ in 0..TRIALS {
            let drift = |nth: u32| 0.01 * f64::from(nth) / each_week;
            right += u32::from(!found(&mut random, length, Noise::Normal, drift).points.is_empty());
        }
        assert!(right >= TRIALS * 9 / 10, "{length} values: {right} of {TRIALS}");
    }
}

#[test]
fn there_and_back_is_two_changes() {
    let mut random = ChaCha8Rng::seed_from_u64(35);
    let mut right = 0;
    for _ in 0..TRIALS {
        let bump = |nth| if (40..60).contains(&nth) { 0.04 } else { 0.0 };
        let points = found(&mut random, 100, Noise::Normal, bump).points;
        let is_near = |at: usize, place: usize| at.abs_diff(place) <= 2;
        let places = points.iter().map(|point| point.at);
        right +=
            u32::from(points.len() == 2 && places.zip([40, 60]).all(|(at, it)| is_near(at, it)));
    }
    assert!(right >= TRIALS * 8 / 10, "{right} of {TRIALS}");
}

#[test]
fn constant_and_short_series_have_no_change() {
    assert_eq!(change_points(&[1.0; 30], 1).points, []);
    assert!(change_points(&[1.0, 2.0, 9.0], 1).p.is_nan());
    assert!(change_points(&[], 1).p.is_nan());
}
