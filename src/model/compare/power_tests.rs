//! Simulates comparisons: how often equal sides are called different, and how often a change is found, compared to Welch's
//! t-test on the same runs. Prints the tables of docs/compare.md.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::tests::rows;
use super::*;
use crate::statistics::normal::normal;
use crate::statistics::{float, median, welch_test};

const TRIALS: u32 = 400;
/// Numbers of runs of a side.
const RUNS: [usize; 3] = [4, 10, 20];
/// How runs differ: the standard deviation of the logarithm.
const NOISE: f64 = 0.03;

/// Two sides that ran one after the other, with a factor for each run by its place.
fn sides(
    random: &mut ChaCha8Rng,
    runs: usize,
    factor: &mut dyn FnMut(&mut ChaCha8Rng, usize) -> f64,
) -> [Side; 2] {
    [0, runs].map(|first| {
        let mut rows = rows(random, runs, 0.01, &[1.0]);
        let factors: Vec<f64> = (first..first + runs).map(|place| factor(random, place)).collect();
        for row in &mut rows {
            let run: usize = row.run.trim_start_matches("run-").parse().unwrap();
            row.ns = row.ns.map(|ns| ns * factors[run]);
        }
        let mut side = Side::of(&rows, true);
        side.started = Some((0_i64..).skip(first).take(runs).collect());
        side
    })
}

fn logarithms(side: &Side) -> Vec<f64> {
    let of = |run: &std::collections::BTreeMap<Option<u64>, f64>| {
        median(&run.values().copied().collect::<Vec<_>>()).ln()
    };
    side.total.iter().map(of).collect()
}

/// Returns the shares of comparisons that call sides different, and in which Welch's test does.
fn called(runs: usize, factor: &mut dyn FnMut(&mut ChaCha8Rng, usize) -> f64) -> [f64; 2] {
    let mut random = ChaCha8Rng::seed_from_u64(runs as u64);
    let mut called = [0, 0];
    for _ in 0..TRIALS {
        let [base, new] = sides(&mut random, runs, factor);
        let found = compare(&base, &new, &Rules::default(), None).total;
        called[0] += u32::from(matches!(found.verdict, Verdict::Slower | Verdict::Faster));
        called[1] += u32::from(welch_test(&logarithms(&base), &logarithms(&new)) <= 0.05);
    }
    called.map(|it| f64::from(it) / f64::from(TRIALS))
}

fn percents(all: &[[f64; 2]]) -> String {
    let cells =
        all.iter().map(|[ours, welch]| format!("{:.1} % ({:.1} %)", ours * 100.0, welch * 100.0));
    cells.collect::<Vec<_>>().join(" | ")
}

#[test]
fn equal_runs_are_seldom_called_different() {
    let is_second = |random: &mut ChaCha8Rng| random.next_u32() % 10 < 3;
    let independent =
        RUNS.map(|runs| called(runs, &mut |random, _| (NOISE * normal(random)).exp()));
    let levels = RUNS.map(|runs| {
        called(runs, &mut |random, _| {
            let level = if is_second(random) { 1.1 } else { 1.0 };
            level * (0.005 * normal(random)).exp()
        })
    });
    println!("| independent | {} |", percents(&independent));
    println!("| two levels, 10 % apart | {} |", percents(&levels));
    for share in independent.iter().chain(&levels) {
        // The standard error is 1.1 %.
        assert!(share[0] <= 0.075, "{independent:?} {levels:?}");
    }
    // The whole drift, in standard deviations of runs.
    for drift in [1.0, 2.0, 4.0, 10.0] {
        let drifting = RUNS.map(|runs| {
            called(runs, &mut |random, place| {
                (NOISE * (normal(random) + drift * float(place) / float(2 * runs))).exp()
            })
        });
        println!("| drift by {drift} standard deviations | {} |", percents(&drifting));
        for [ours, welch] in drifting {
            assert!(
                ours <= welch,
                "a drift makes no more alarms than without looking: {drifting:?}"
            );
        }
        if drift > 9.0 {
            assert!(drifting[1][0] <= 0.075 && drifting[2][0] <= 0.075, "{drifting:?}");
        }
    }
}

#[test]
fn changes_are_found_about_as_often_as_by_the_test_of_welch() {
    for errors in [2.0, 3.0, 4.0] {
        let found = RUNS.map(|runs| {
            let change = errors * NOISE * (2.0 / float(runs)).sqrt();
            called(runs, &mut |random, place| {
                let shift = if place >= runs { change } else { 0.0 };
                (NOISE * normal(random) + shift).exp()
            })
        });
        println!("| slower by {errors} standard errors | {} |", percents(&found));
        for [ours, welch] in found {
            assert!(ours >= 0.85 * welch, "{found:?}");
        }
    }
}
