//! Tests of the statistics: exact values, and the coverage of the interval in a seeded simulation.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::normal::normal;
use super::*;

/// Number of simulated measurements, so that the standard error of a coverage of 95 % is a third of a percent.
const TRIALS: u32 = 4000;

#[test]
fn quantiles_lie_between_values() {
    let statistics = Statistics::of(&[vec![4.0, 1.0, 3.0, 2.0]]).expect("there are times");
    assert_eq!((statistics.count, statistics.median), (4, 2.5));
    assert_eq!((statistics.min, statistics.mean), (1.0, 2.5));
    assert!((statistics.p90 - 3.7).abs() < 1e-12, "{statistics:?}");
    assert!(Statistics::of(&[]).is_none());
    assert!(Statistics::of(&[Vec::new()]).is_none());
}

#[test]
fn each_process_is_one_value() {
    let processes = [vec![1.0, 2.0, 9.0], vec![5.0], vec![3.0, 4.0, 4.0, 4.0]];
    let statistics = Statistics::of(&processes).expect("there are times");
    assert_eq!(statistics.process_medians, [2.0, 5.0, 4.0]);
    assert_eq!((statistics.count, statistics.median, statistics.interval), (8, 4.0, None));
}

#[test]
fn an_interval_needs_six_processes() {
    let of = |count: u32| {
        let processes: Vec<Vec<f64>> = (1..=count).map(|at| vec![f64::from(at)]).collect();
        Statistics::of(&processes).expect("there are times").interval
    };
    for few in 1..6 {
        assert_eq!(of(few), None, "{few}");
    }
    // The range of six values has a level of 1 - 2 / 2^6 = 96.9 %; the next pair would have 78.1 %.
    let share = (0.96875 - 0.95) / (0.96875 - 0.78125);
    let weight = 5.0 * share / (1.0 + 4.0 * share);
    let (low, high) = of(6).expect("an interval");
    assert!((low - (1.0 + weight)).abs() < 1e-12 && (high - (6.0 - weight)).abs() < 1e-12);
    // Of ten values, the second pair has 97.9 % and the third 89.1 %.
    let (low, high) = of(10).expect("an interval");
    assert!((low - 2.6577).abs() < 1e-4 && (high - 8.3423).abs() < 1e-4, "{low} to {high}");
    // 1.96 standard deviations of the binomial number are sqrt(1000) / 2 * 1.96 = 31.0.
    let (low, high) = of(1000).expect("an interval");
    assert!((low - 469.5).abs() < 1.0 && (high - 531.5).abs() < 1.0, "{low} to {high}");
}

/// How simulated processes differ: by factors, whose median is 1.
#[derive(Clone, Copy)]
enum Effect {
    /// Log-normal, with this standard deviation of the logarithm.
    LogNormal(f64),
    /// One process in five is slower by a fifth, for example for its memory layout.
    TwoModes,
}

/// A generator of simulated measurements.
struct Simulation(ChaCha8Rng);

impl Simulation {
    fn uniform(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    fn normal(&mut self) -> f64 {
        normal(&mut self.0)
    }

    /// Draws the times of a process: its effect, and log-normal noise of 5 %, in which each run keeps 0.8 of the
    /// deviation of the run before it.
    fn process(&mut self, effect: Effect) -> Vec<f64> {
        let effect = match effect {
            Effect::LogNormal(deviation) => (deviation * self.normal()).exp(),
            Effect::TwoModes if self.uniform() < 0.2 => 1.2,
            Effect::TwoModes => 1.0,
        };
        let mut noise = self.normal();
        let times = (0..25).map(|_| {
            noise = 0.8 * noise + 0.6 * self.normal();
            effect * (0.05 * noise).exp()
        });
        times.collect()
    }

    fn interval(&mut self, effect: Effect, processes: usize) -> (f64, f64) {
        let times: Vec<Vec<f64>> = (0..processes).map(|_| self.process(effect)).collect();
        Statistics::of(&times).and_then(|it| it.interval).expect("an interval")
    }
}

/// Returns the share of intervals that hold the true median, and the share of pairs of measurements of the same code
/// whose intervals are disjoint.
fn simulated(effect: Effect, processes: usize) -> (f64, f64) {
    let mut simulation = Simulation(ChaCha8Rng::seed_from_u64(7));
    let mut middle: Vec<f64> = (0..20_000).map(|_| median(&simulation.process(effect))).collect();
    middle.sort_by(f64::total_cmp);
    let truth = match effect {
        Effect::LogNormal(_) => 1.0,
        Effect::TwoModes => median(&middle),
    };
    let (mut covered, mut disjoint) = (0, 0);
    for _ in 0..TRIALS {
        let (low, high) = simulation.interval(effect, processes);
        let (other_low, other_high) = simulation.interval(effect, processes);
        covered += u32::from(low <= truth && truth <= high);
        disjoint += u32::from(high < other_low || other_high < low);
    }
    let share = |count: u32| f64::from(count) / f64::from(TRIALS);
    (share(covered), share(disjoint))
}

#[test]
fn the_interval_holds_the_median_of_processes() {
    for effect in [Effect::LogNormal(0.0), Effect::LogNormal(0.05), Effect::TwoModes] {
        for processes in [6, 7, 9] {
            let (covered, disjoint) = simulated(effect, processes);
            assert!((0.94..=0.96).contains(&covered), "{processes} processes: {covered}");
            assert!(disjoint < 0.01, "{processes} processes: {disjoint}");
        }
    }
}
