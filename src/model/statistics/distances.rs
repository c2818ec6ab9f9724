//! The energy distance of the two parts of a series (Székely and Rizzo, *Testing for equal distributions in high
//! dimension*, 2004), for every place that divides it.

use super::count::float;

/// Fewest values on either side of a division: fewer cannot be told from outliers.
pub const SHORTEST: usize = 3;

/// The distances between the values of a series. The time of a scan is n log n: sums of distances to the values so far
/// are sums over their ranks, which are kept in a binary indexed tree (Fenwick, 1994).
pub struct Distances {
    /// The values in ascending order, less their mean.
    sorted: Vec<f64>,
    /// For each of them, the sum of its distances to all.
    sums: Vec<f64>,
    /// The series: the rank of each value.
    order: Vec<usize>,
}

impl Distances {
    /// Measures the distances between finite values.
    pub fn of(values: &[f64]) -> Self {
        let mean = values.iter().sum::<f64>() / float(values.len().max(1));
        let mut by_rank: Vec<(f64, usize)> =
            values.iter().map(|value| value - mean).zip(0..).collect();
        by_rank.sort_by(|one, other| one.0.total_cmp(&other.0));
        let sorted: Vec<f64> = by_rank.iter().map(|(value, _)| *value).collect();
        let mut order = vec![0; values.len()];
        for (rank, (_, place)) in by_rank.into_iter().enumerate() {
            if let Some(known) = order.get_mut(place) {
                *known = rank;
            }
        }
        let whole: f64 = sorted.iter().sum();
        let (count, mut below) = (float(sorted.len()), 0.0);
        let sums = sorted.iter().enumerate().map(|(rank, value)| {
            let sum = sum_of_distances(*value, [float(rank), below], [count, whole]);
            below += value;
            sum
        });
        Self { sums: sums.collect(), sorted, order }
    }

    /// Returns the series as ranks.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the place that divides the values best if they come in this order, and the statistic there. `None` for
    /// fewer values than two parts need.
    pub fn best(&self, order: &[usize]) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        let places = SHORTEST..=order.len().saturating_sub(SHORTEST);
        self.scan(order, |place, statistic| {
            if places.contains(&place) && best.is_none_or(|(_, known)| statistic > known) {
                best = Some((place, statistic));
            }
        });
        best
    }

    /// Calls `visit` with every place that leaves at least two values on both sides, and the statistic there: the energy
    /// distance of the sides, times n m / (n + m).
    pub fn scan(&self, order: &[usize], mut visit: impl FnMut(usize, f64)) {
        let count = order.len();
        let mut left = Tree::new(count);
        let whole = self.sums.iter().sum::<f64>() / 2.0;
        // Sums of the distances between pairs on the left and on the right.
        let (mut of_left, mut of_right) = (0.0, whole);
        for (before, rank) in order.iter().enumerate() {
            let (Some(value), Some(to_all)) = (self.sorted.get(*rank), self.sums.get(*rank)) else {
                return;
            };
            let to_left = sum_of_distances(*value, left.below(*rank), left.all);
            left.add(*rank, *value);
            of_left += to_left;
            of_right -= to_all - to_left;
            let place = before + 1;
            if place < 2 || place + 2 > count {
                continue;
            }
            let (n, m) = (float(place), float(count - place));
            let between = 2.0 * (whole - of_left - of_right) / (n * m);
            let within = 2.0 * (of_left / (n * (n - 1.0)) + of_right / (m * (m - 1.0)));
            visit(place, (between - within) * n * m / (n + m));
        }
    }
}

/// Returns the sum of the distances of a value to some others, of which some are below: each group by its count and sum.
fn sum_of_distances(value: f64, below: [f64; 2], all: [f64; 2]) -> f64 {
    let above = [all[0] - below[0], all[1] - below[1]];
    value * below[0] - below[1] + above[1] - value * above[0]
}

/// Counts and sums of the values of some ranks.
struct Tree {
    nodes: Vec<[f64; 2]>,
    all: [f64; 2],
}

impl Tree {
    fn new(count: usize) -> Self {
        Self { nodes: vec![[0.0; 2]; count + 1], all: [0.0; 2] }
    }

    fn add(&mut self, rank: usize, value: f64) {
        let mut at = rank + 1;
        while let Some([count, sum]) = self.nodes.get_mut(at) {
            *count += 1.0;
            *sum += value;
            at += at & at.wrapping_neg();
        }
        self.all = [self.all[0] + 1.0, self.all[1] + value];
    }

    /// Returns the count and the sum of the values of lower ranks.
    fn below(&self, rank: usize) -> [f64; 2] {
        let (mut at, mut total) = (rank, [0.0; 2]);
        while at > 0 {
            let [count, sum] = self.nodes.get(at).copied().unwrap_or_default();
            total = [total[0] + count, total[1] + sum];
            at &= at - 1;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_that_of_all_pairs() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.5];
        let pairs = |values: &[f64]| -> f64 {
            let with = |nth: usize| values[..nth].iter().map(move |it| (it - values[nth]).abs());
            (0..values.len()).flat_map(with).sum()
        };
        let mut places = 0;
        let distances = Distances::of(&values);
        distances.scan(distances.order(), |place, statistic| {
            let (left, right) = values.split_at(place);
            let (n, m) = (float(left.len()), float(right.len()));
            let between = pairs(&values) - pairs(left) - pairs(right);
            let within = pairs(left) / (n * (n - 1.0)) + pairs(right) / (m * (m - 1.0));
            let expected = (between / (n * m) - within) * 2.0 * n * m / (n + m);
            assert!((statistic - expected).abs() < 1e-12, "{place}: {statistic}, not {expected}");
            places += 1;
        });
        assert_eq!(places, 7);
    }

    #[test]
    fn few_values_have_no_division() {
        let of = |values: &[f64]| {
            let distances = Distances::of(values);
            distances.best(distances.order())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[1.0; 5]), None);
        assert_eq!(of(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), Some((3, 3.0)));
    }
}
