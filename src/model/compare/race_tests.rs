//! Seeded simulations of races: how often they are wrong, and how many runs they take.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::judge::Verdict;
use super::race::{Lap, Standing, pairs};
use crate::statistics::normal::normal;
use crate::statistics::{float, shuffle};

const TRIALS: usize = 1000;

/// How the logarithms of the times of runs vary.
#[derive(Clone, Copy)]
struct Machine {
    name: &'static str,
    /// Standard deviation between runs.
    noise: f64,
    /// Correlation of a run with the one before.
    correlation: f64,
    /// What each run adds to those after it.
    drift: f64,
    /// Share of runs that take a tenth longer.
    outliers: f64,
    /// Half of the distance of the two speeds of which each process has one.
    modes: f64,
}

const STEADY: Machine = Machine {
    name: "steady",
    noise: 0.01,
    correlation: 0.0,
    drift: 0.0,
    outliers: 0.0,
    modes: 0.0,
};

const MACHINES: [Machine; 5] = [
    STEADY,
    Machine { name: "correlated", correlation: 0.9, ..STEADY },
    Machine { name: "warming up", drift: 0.002, ..STEADY },
    Machine { name: "outliers", outliers: 0.05, ..STEADY },
    Machine { name: "two speeds", noise: 0.002, modes: 0.01, ..STEADY },
];

/// Runs a race of up to `most` runs a side in which the new side takes longer by `change`. Returns the first decided standing,
/// or the last one.
fn race(
    random: &mut ChaCha8Rng,
    machine: Machine,
    change: f64,
    most: usize,
    floor: f64,
) -> Standing {
    let mut last = normal(random);
    let mut drift = 0.0;
    let mut laps: Vec<Lap> = Vec::new();
    loop {
        let mut order = [false, true];
        shuffle(&mut order, random);
        for is_new in [order[0], order[1], order[1], order[0]] {
            let rho = machine.correlation;
            last = rho * last + (1.0 - rho * rho).sqrt() * normal(random);
            drift += machine.drift;
            let mut uniform = || f64::from(random.next_u32()) / 4_294_967_296.0;
            let outlier = if uniform() < machine.outliers { 0.1 } else { 0.0 };
            let mode = if uniform() < 0.5 { machine.modes } else { -machine.modes };
            let own = if is_new { change.ln_1p() } else { 0.0 };
            laps.push(Lap {
                is_new,
                logarithm: machine.noise * last + drift + outlier + mode + own,
            });
        }
        let standing = Standing::of(&pairs(&laps), Some(floor));
        if standing.is_decided() || laps.len() >= 2 * most {
            return standing;
        }
    }
}

/// Of many races, the share with this verdict, and the mean number of runs a side.
fn shares(
    machine: Machine,
    change: f64,
    most: usize,
    floor: f64,
    is: impl Fn(Verdict) -> bool,
) -> (f64, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    let ended: Vec<Standing> =
        (0..TRIALS).map(|_| race(&mut random, machine, change, most, floor)).collect();
    let found = ended.iter().filter(|it| is(it.verdict)).count();
    let runs: u64 = ended.iter().map(|it| it.pairs).sum();
    let share = |count: usize| float(count) / float(TRIALS);
    let found = share(found);
    let runs = share(usize::try_from(runs).expect("few"));
    println!(
        "{:<10} {:+.1} %, floor {:.1} %: {found:.3} of races, {runs:.1} runs a side",
        machine.name,
        change * 100.0,
        floor * 100.0
    );
    (found, runs)
}

const fn is_alarm(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

#[test]
fn races_of_equal_sides_are_seldom_called_different() {
    for machine in MACHINES {
        // Without a floor, every interval that excludes equality is an alarm, after any of 25 looks.
        let (alarms, _) = shares(machine, 0.0, 50, 0.0, is_alarm);
        assert!(alarms <= 0.05, "{}: {alarms}", machine.name);
    }
}

#[test]
fn an_interval_for_one_look_would_not_do() {
    let mut random = ChaCha8Rng::seed_from_u64(32);
    let mut alarms = 0;
    for _ in 0..TRIALS {
        let values: Vec<f64> = (0..50).map(|_| normal(&mut random)).collect();
        let excludes = |looked: &[f64]| {
            let count = float(looked.len());
            let mean = looked.iter().sum::<f64>() / count;
            let squares: f64 = looked.iter().map(|value| (value - mean).powi(2)).sum();
            let student = StudentsT::new(0.0, 1.0, count - 1.0).expect("degrees of freedom");
            let error = (squares / (count - 1.0) / count).sqrt();
            mean.abs() > student.inverse_cdf(0.975) * error
        };
        alarms += usize::from((4..=50).step_by(2).any(|seen| excludes(&values[..seen])));
    }
    let share = float(alarms) / float(TRIALS);
    println!("an interval for one look: {share:.3} of races");
    assert!(share >= 0.15, "{share}");
}

#[test]
fn differences_as_large_as_the_floor_are_no_alarms() {
    for machine in MACHINES {
        let (alarms, _) = shares(machine, 0.01, 50, 0.01_f64.ln_1p(), is_alarm);
        assert!(alarms <= 0.05, "{}: {alarms}", machine.name);
    }
}

#[test]
fn races_take_fewer_runs_than_a_fixed_number() {
    let floor = 0.01_f64.ln_1p();
    for (change, verdict) in [(0.03, Verdict::Slower), (-0.03, Verdict::Faster)] {
        let (found, runs) = shares(STEADY, change, 20, floor, |it| it == verdict);
        assert!(found >= 0.95 && runs <= 14.0, "{found} of races, {runs} runs");
    }
    let (found, runs) = shares(STEADY, 0.05, 20, floor, |it| it == Verdict::Slower);
    assert!(found >= 0.99 && runs <= 9.0, "{found} of races, {runs} runs");
}

#[test]
fn equal_sides_are_the_same_after_some_runs() {
    let quiet = Machine { noise: 0.003, ..STEADY };
    let floor = 0.01_f64.ln_1p();
    let (same, runs) = shares(quiet, 0.0, 20, floor, |it| it == Verdict::Same);
    assert!(same >= 0.95 && runs <= 10.0, "{same} of races, {runs} runs");
}
