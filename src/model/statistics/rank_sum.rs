//! The rank-sum test of Mann and Whitney (1947): whether values of one group tend to be larger than those of another.

use statrs::distribution::{ContinuousCDF, Normal};

use super::count::float;

/// Largest product of the sizes for which the distribution is computed exactly, which takes their product times the sum
/// of the ranks.
const EXACT: usize = 900;

/// Returns the two-sided p-value; NaN if a group is empty. Exact for small groups, ties included; otherwise from the normal
/// approximation with corrections for ties and continuity.
pub fn rank_sum_test(one: &[f64], other: &[f64]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return f64::NAN;
    }
    let ranks = doubled_ranks(one, other);
    let observed: usize = ranks.iter().filter(|(_, is_one)| *is_one).map(|(rank, _)| rank).sum();
    let ranks: Vec<usize> = ranks.into_iter().map(|(rank, _)| rank).collect();
    if one.len() * other.len() <= EXACT {
        exact(&ranks, one.len(), observed)
    } else {
        approximate(&ranks, one.len(), observed)
    }
}

/// Returns twice the rank of each value among all, and whether it is one of the first group. Equal values share the mean
/// of their ranks, so that twice the rank is a whole number.
fn doubled_ranks(one: &[f64], other: &[f64]) -> Vec<(usize, bool)> {
    let mut all: Vec<(f64, bool)> = one.iter().map(|value| (*value, true)).collect();
    all.extend(other.iter().map(|value| (*value, false)));
    all.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut ranks = Vec::with_capacity(all.len());
    for tied in all.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
        let before = ranks.len();
        let rank = 2 * before + tied.len() + 1;
        ranks.extend(tied.iter().map(|(_, is_one)| (rank, *is_one)));
    }
    ranks
}

/// Counts the ways to choose `size` of the ranks by their sum: all are equally likely if the groups do not differ.
fn exact(ranks: &[usize], size: usize, observed: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    let width = total + 1;
    // `ways[k * width + s]` is the share of choices of k ranks, among those seen so far, with the sum s.
    let mut ways = vec![0.0_f64; (size + 1) * width];
    if let Some(none) = ways.first_mut() {
        *none = 1.0;
    }
    for (seen, rank) in ranks.iter().enumerate() {
        for chosen in (1..=size.min(seen + 1)).rev() {
            let (before, after) = ways.split_at_mut(chosen * width);
            let from = before.get((chosen - 1) * width..).unwrap_or_default();
            let to = after.get_mut(*rank..width).unwrap_or_default();
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        }
    }
    let sums = ways.get(size * width..).unwrap_or_default();
    let all: f64 = sums.iter().sum();
    let below: f64 = sums.iter().take(observed + 1).sum();
    let above: f64 = sums.iter().skip(observed).sum();
    (2.0 * below.min(above) / all).min(1.0)
}

fn approximate(ranks: &[usize], size: usize, observed: usize) -> f64 {
    let (n, all) = (float(size), float(ranks.len()));
    let m = all - n;
    // Half of the doubled sum, less its minimum, is U.
    let u = float(observed) / 2.0 - n * (n + 1.0) / 2.0;
    let ties = ranks.chunk_by(|left, right| left == right).map(|tied| float(tied.len()));
    let ties: f64 = ties.map(|count| count.powi(3) - count).sum();
    let variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    (2.0 * Normal::standard().sf(distance)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn small_groups_are_exact() {
        // Of the 20 ways to choose 3 of 6, one is as extreme at either end.
        close(rank_sum_test(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0.1);
        // Two of the 10 choices of 2 of 5 have at most this sum.
        close(rank_sum_test(&[1.0, 3.0], &[2.0, 4.0, 5.0]), 0.4);
        close(rank_sum_test(&[1.0], &[1.0]), 1.0);
        assert!(rank_sum_test(&[], &[1.0]).is_nan());
    }

    #[test]
    fn ties_share_ranks() {
        // The doubled ranks are 3, 3, 6 and 8. One of the 6 choices of two of them has a sum of at most 6.
        close(rank_sum_test(&[1.0, 1.0], &[2.0, 3.0]), 2.0 / 6.0);
        close(rank_sum_test(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
    }

    #[test]
    fn large_groups_approximate_the_exact_distribution() {
        let one: Vec<f64> = (0..30).map(f64::from).collect();
        let other: Vec<f64> = (0..30).map(|value| f64::from(value) + 6.5).collect();
        let ranks = doubled_ranks(&one, &other);
        let observed = ranks.iter().filter(|(_, is_one)| *is_one).map(|(rank, _)| rank).sum();
        let ranks: Vec<usize> = ranks.into_iter().map(|(rank, _)| rank).collect();
        let (exact, near) = (exact(&ranks, 30, observed), approximate(&ranks, 30, observed));
        assert!((exact / near - 1.0).abs() < 0.1, "{exact} and {near}");
    }
}
