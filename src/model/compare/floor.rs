//! The noise floor: how much two halves of the same side differ, on both sides.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::statistics::{float, quantile, shuffle, sorted};

/// Number of random divisions of a side.
const DIVISIONS: usize = 200;

/// Returns the logarithm of the ratio that 95 of 100 divisions of the runs of a side into halves stay below: the quadratic
/// mean of both sides. `None` if one has fewer than four runs.
pub fn noise_floor(sides: &[Vec<f64>; 2], seed: u64) -> Option<f64> {
    let [base, new] = sides.each_ref().map(|runs| of_side(runs, seed));
    Some((base?.powi(2) + new?.powi(2)).sqrt() / std::f64::consts::SQRT_2)
}

fn of_side(runs: &[f64], seed: u64) -> Option<f64> {
    if runs.len() < 4 {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut logarithms: Vec<f64> = runs.iter().map(|run| run.ln()).collect();
    let half = runs.len() / 2;
    let differences: Vec<f64> = (0..DIVISIONS)
        .map(|_| {
            shuffle(&mut logarithms, &mut random);
            let (one, other) = logarithms.split_at(half);
            let mean = |values: &[f64]| values.iter().sum::<f64>() / float(values.len());
            (mean(one) - mean(other)).abs()
        })
        .collect();
    Some(quantile(&sorted(&differences), 0.95))
}
