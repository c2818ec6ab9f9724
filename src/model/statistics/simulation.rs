//! Seeded simulations: how often intervals hold the truth, and how often tests find a difference where there is none.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::normal::normal;
use super::{Summary, adjusted, float, median, ratio_of, ratio_of_few, welch_test};

/// How simulated runs and iterations vary.
#[derive(Clone, Copy)]
struct Noise {
    /// Standard deviation of the logarithm between runs, and between iterations.
    runs: f64,
    iterations: f64,
    /// Correlation of an iteration with the one before.
    correlation: f64,
    /// Share of iterations that take three times as long.
    outliers: f64,
}

fn side(random: &mut ChaCha8Rng, runs: usize, factor: f64, noise: Noise) -> Vec<Vec<f64>> {
    let run = |random: &mut ChaCha8Rng| {
        let level = (noise.runs * normal(random)).exp() * factor;
        let mut last = normal(random);
        let iteration = |_| {
            last = noise.correlation * last
                + (1.0 - noise.correlation.powi(2)).sqrt() * normal(random);
            let is_outlier = f64::from(random.next_u32()) / 4_294_967_296.0 < noise.outliers;
            level * (noise.iterations * last).exp() * if is_outlier { 3.0 } else { 1.0 }
        };
        (0..10).map(iteration).collect()
    };
    (0..runs).map(|_| run(random)).collect()
}

const NOISES: [Noise; 3] = [
    Noise { runs: 0.01, iterations: 0.01, correlation: 0.0, outliers: 0.0 },
    Noise { runs: 0.01, iterations: 0.02, correlation: 0.8, outliers: 0.0 },
    Noise { runs: 0.05, iterations: 0.05, correlation: 0.3, outliers: 0.05 },
];

#[test]
fn intervals_hold_the_ratio() {
    const TRIALS: u32 = 1000;
    for (nth, noise) in NOISES.into_iter().enumerate() {
        for runs in [4, 5, 10, 20] {
            let mut random = ChaCha8Rng::seed_from_u64(nth as u64);
            let mut held = 0;
            for trial in 0..TRIALS {
                let base = side(&mut random, runs, 1.0, noise);
                let new = side(&mut random, runs, 1.03, noise);
                let found = ratio_of(&base, &new, Summary::Median, trial.into()).expect("runs");
                held += u32::from(found.low <= 1.03 && 1.03 <= found.high);
            }
            let share = f64::from(held) / f64::from(TRIALS);
            // The standard error of the share is 0.7 %.
            assert!((0.93..=0.97).contains(&share), "noise {nth}, {runs} runs: {share}");
        }
    }
}

#[test]
fn three_percent_of_one_function_in_twenty_are_found() {
    const TRIALS: u32 = 1000;
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let (mut found, mut false_shares) = (0, 0.0);
    for trial in 0..TRIALS {
        let functions: Vec<[Vec<Vec<f64>>; 2]> = (0..20)
            .map(|function| {
                let factor = if function == 7 { 1.03 } else { 1.0 };
                [1.0, factor].map(|factor| side(&mut random, 10, factor, NOISES[0]))
            })
            .collect();
        let medians = |runs: &Vec<Vec<f64>>| runs.iter().map(|it| median(it)).collect::<Vec<_>>();
        let p = functions.iter().map(|[base, new]| welch_test(&medians(base), &medians(new)));
        let q = adjusted(&p.collect::<Vec<_>>());
        let is_found = |function: usize| {
            let [base, new] = &functions[function];
            let excludes_one = || {
                let interval = ratio_of(base, new, Summary::Median, trial.into()).expect("runs");
                interval.low > 1.0 || interval.high < 1.0
            };
            q[function] <= 0.05 && excludes_one()
        };
        let all = (0..20).filter(|function| is_found(*function)).count();
        let right = usize::from(is_found(7));
        found += right;
        false_shares += float(all - right) / float(all.max(1));
    }
    assert!(found >= 900, "found in {found} of {TRIALS}");
    // The procedure keeps it below 0.05 x 19 / 20; the standard error is 0.6 %.
    let rate = false_shares / f64::from(TRIALS);
    assert!(rate <= 0.055, "the share of false discoveries is {rate}");
}

#[test]
fn tests_of_equal_sides_find_little() {
    const TRIALS: u32 = 1000;
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut found = 0;
    for _ in 0..TRIALS {
        let values = |random: &mut ChaCha8Rng| (0..8).map(|_| normal(random)).collect::<Vec<_>>();
        let (one, other) = (values(&mut random), values(&mut random));
        found += u32::from(welch_test(&one, &other) <= 0.05);
    }
    let share = f64::from(found) / f64::from(TRIALS);
    assert!((0.03..0.07).contains(&share), "{share}");
}

#[test]
fn few_discoveries_are_false() {
    const TRIALS: u32 = 300;
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let (mut rates, mut hits) = (0.0, 0);
    for _ in 0..TRIALS {
        // Five of twenty functions are three standard deviations slower.
        let p_values: Vec<f64> = (0..20)
            .map(|function| {
                let shift = if function < 5 { 3.0 } else { 0.0 };
                let base: Vec<f64> = (0..8).map(|_| normal(&mut random)).collect();
                let new: Vec<f64> = (0..8).map(|_| normal(&mut random) + shift).collect();
                welch_test(&base, &new)
            })
            .collect();
        let found: Vec<bool> = adjusted(&p_values).iter().map(|q| *q <= 0.05).collect();
        let of = |part: &[bool]| part.iter().map(|is_found| u32::from(*is_found)).sum::<u32>();
        let (right, wrong) = (of(&found[..5]), of(&found[5..]));
        hits += right;
        rates += f64::from(wrong) / f64::from((right + wrong).max(1));
    }
    assert!(rates / f64::from(TRIALS) <= 0.05, "{}", rates / f64::from(TRIALS));
    assert!(hits > 5 * TRIALS * 9 / 10, "{hits} of {}", 5 * TRIALS);
}

#[test]
fn few_runs_have_no_interval() {
    let runs = vec![vec![1.0, 2.0]; 3];
    assert_eq!(ratio_of(&runs, &runs, Summary::Median, 1), None);
    let four = vec![vec![1.0]; 4];
    let same = ratio_of(&four, &four, Summary::Min, 1).expect("four runs");
    assert!((same.low, same.ratio, same.high) == (1.0, 1.0, 1.0), "{same:?}");
}

/// How runs of one build differ in a simulation.
#[derive(Clone, Copy)]
enum Between {
    /// Normally, with this standard deviation of the logarithm.
    Normal(f64),
    /// Half of the processes take this factor longer, and all differ by 1 %.
    TwoSpeeds(f64),
}

/// Returns the share of comparisons of few runs that exclude equality.
fn share_of_few(seed: u64, between: Between, runs: [usize; 2], slower: f64) -> f64 {
    const TRIALS: u32 = 2000;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut found = 0;
    for _ in 0..TRIALS {
        let sides = [(runs[0], 1.0), (runs[1], slower)].map(|(runs, factor)| -> Vec<Vec<f64>> {
            let run = |_| {
                let (deviation, factor_of_speed) = match between {
                    Between::Normal(sd) => (sd, 1.0),
                    Between::TwoSpeeds(by) if random.next_u32() % 2 == 0 => (0.01, by),
                    Between::TwoSpeeds(_) => (0.01, 1.0),
                };
                let level = factor * factor_of_speed * (deviation * normal(&mut random)).exp();
                (0..20).map(|_| level * (0.05 * normal(&mut random)).exp()).collect()
            };
            (0..runs).map(run).collect()
        });
        let it =
            ratio_of_few(&sides[0], &sides[1], Summary::Median, 0.0).expect("it has iterations");
        let is_excluded = it.interval.low > 1.0 || it.interval.high < 1.0;
        assert_eq!(is_excluded, it.p < 0.05, "{it:?}");
        found += u32::from(is_excluded);
    }
    f64::from(found) / f64::from(TRIALS)
}

/// Prints the tables of docs/compare.md.
#[test]
fn few_runs_seldom_differ_falsely() {
    const SIZES: [[usize; 2]; 6] = [[1, 1], [2, 2], [3, 1], [3, 3], [5, 1], [10, 1]];
    let noises = [
        Between::Normal(0.01),
        Between::Normal(0.1),
        Between::Normal(0.2),
        Between::Normal(0.3),
        Between::TwoSpeeds(1.1),
        Between::TwoSpeeds(1.5),
    ];
    for between in noises {
        let shares = SIZES.map(|runs| share_of_few(21, between, runs, 1.0));
        println!("equal: {}", shares.map(|share| format!("{:.1} %", share * 100.0)).join(" | "));
        // The standard error of the share is 0.5 %.
        assert!(shares.iter().all(|share| *share <= 0.065), "{shares:?}");
    }
    let shares_of =
        |sd, slower| SIZES.map(|runs| share_of_few(22, Between::Normal(sd), runs, slower));
    for (sd, slower) in [(0.01, 1.1), (0.01, 1.5), (0.1, 1.5), (0.1, 3.0), (0.3, 3.0)] {
        let shares = shares_of(sd, slower);
        println!(
            "{:.0} %, {slower} times as long: {}",
            sd * 100.0,
            shares.map(|share| format!("{:.0} %", share * 100.0)).join(" | ")
        );
    }
    assert!(shares_of(0.1, 3.0).iter().all(|share| *share >= 0.9), "three times as long is found");
    let [.., three, five, ten] = shares_of(0.01, 1.1);
    assert!(three >= 0.9 && five >= 0.9 && ten >= 0.9, "a tenth is found by the runs themselves");
}

#[test]
fn few_runs_without_iterations_have_no_ratio() {
    let [two, many] = [2, 40].map(|count| vec![vec![1.0; count]]);
    assert_eq!(ratio_of_few(&two, &many, Summary::Median, 0.0), None);
    assert_eq!(ratio_of_few(&[], &many, Summary::Median, 0.0), None);
    assert_eq!(ratio_of_few(&[vec![0.0; 40]], &many, Summary::Median, 0.0), None);
    // Six runs tell how runs differ.
    let runs = |times: [f64; 3]| times.map(|time| vec![time]);
    let found = ratio_of_few(&runs([1.0, 1.1, 0.9]), &runs([2.0, 2.2, 1.8]), Summary::Median, 0.0);
    let found = found.expect("six runs");
    assert!(found.is_estimated && found.interval.low > 1.4 && found.p < 0.01, "{found:?}");
    // scipy.stats.ttest_ind of the logarithms.
    assert!((found.p - 0.001_070_97).abs() < 1e-5, "{found:?}");
}

#[test]
fn exchanged_sides_have_the_reciprocal_interval() {
    let mut random = ChaCha8Rng::seed_from_u64(23);
    for trial in 0..200 {
        let [base, new] = [4 + trial % 7, 4 + trial % 3]
            .map(|runs| side(&mut random, runs, 1.0, NOISES[trial % 3]));
        let [there, back] = [(&base, &new), (&new, &base)]
            .map(|(base, new)| ratio_of(base, new, Summary::Median, 1).expect("runs"));
        for product in [there.ratio * back.ratio, there.low * back.high, there.high * back.low] {
            assert!((product - 1.0).abs() < 1e-12, "{there:?} {back:?}");
        }
    }
}
