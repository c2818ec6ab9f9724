//! A model of costs: extremely randomized trees (Geurts, Ernst and Wehenkel, 2006).
//!
//! Trees fit costs that jump where a tile no longer divides a loop or fits the registers, need no scaling, and learn from
//! few points. That the trees differ says how much is unknown. Our own, as crates for trees bring linear algebra and
//! data frames for what takes a hundred lines here.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

use crate::statistics::{below, float};

const TREES: usize = 40;
/// Nodes with fewer points are not split.
const SMALLEST: usize = 4;

/// A tree: nodes by number, the first is the root.
type Tree = Vec<Node>;

enum Node {
    Leaf(f64),
    /// Points with a smaller feature are in the left part, others in the right part.
    Split {
        feature: usize,
        at: f64,
        left: usize,
        right: usize,
    },
}

pub struct Forest {
    trees: Vec<Tree>,
}

/// Features of a point with its cost.
pub type Sample = (Vec<f64>, f64);

impl Forest {
    pub fn fit(samples: &[Sample], random: &mut ChaCha8Rng) -> Self {
        let all: Vec<&Sample> = samples.iter().collect();
        let tree = |_| {
            let mut nodes = Vec::new();
            grow(&mut nodes, all.clone(), random);
            nodes
        };
        Self { trees: (0..TREES).map(tree).collect() }
    }

    /// Returns the mean and the standard deviation of what the trees say.
    pub(crate) fn predict(&self, features: &[f64]) -> (f64, f64) {
        let said: Vec<f64> = self.trees.iter().map(|tree| ask(tree, features)).collect();
        let mean = mean(said.iter().copied());
        let variance = said.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / float(said.len());
        (mean, variance.sqrt())
    }
}

fn ask(tree: &Tree, features: &[f64]) -> f64 {
    let mut at = 0;
    loop {
        match tree.get(at) {
            Some(Node::Leaf(value)) => return *value,
            Some(Node::Split { feature, at: threshold, left, right }) => {
                let is_left = features.get(*feature).is_some_and(|value| value < threshold);
                at = if is_left { *left } else { *right };
            }
            None => return 0.0,
        }
    }
}

/// Adds a node for points, and those below it. Returns its number.
fn grow(nodes: &mut Vec<Node>, samples: Vec<&Sample>, random: &mut ChaCha8Rng) -> usize {
    let place = nodes.len();
    nodes.push(Node::Leaf(mean(samples.iter().map(|(_, cost)| *cost))));
    let Some((feature, at)) = best_split(&samples, random) else { return place };
    let is_left = |sample: &&Sample| sample.0.get(feature).is_some_and(|value| *value < at);
    let (one, other) = samples.into_iter().partition(is_left);
    let left = grow(nodes, one, random);
    let right = grow(nodes, other, random);
    if let Some(node) = nodes.get_mut(place) {
        *node = Node::Split { feature, at, left, right };
    }
    place
}

/// Draws a threshold for each feature that differs, and returns that which separates the costs best.
fn best_split(samples: &[&Sample], random: &mut ChaCha8Rng) -> Option<(usize, f64)> {
    if samples.len() < SMALLEST {
        return None;
    }
    let count = samples.first()?.0.len();
    let mut best: Option<(f64, usize, f64)> = None;
    for feature in 0..count {
        let values = || samples.iter().filter_map(|sample| sample.0.get(feature).copied());
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        if low >= high {
            continue;
        }
        // Above the lowest, so that neither part is empty.
        let at = high - (high - low) * uniform(random);
        let spread = spread_of_parts(samples, feature, at);
        if best.is_none_or(|(known, ..)| spread < known) {
            best = Some((spread, feature, at));
        }
    }
    best.map(|(_, feature, at)| (feature, at))
}

/// Returns the sum of squared distances from the means of both parts.
fn spread_of_parts(samples: &[&Sample], feature: usize, at: f64) -> f64 {
    // Count, sum and sum of squares of each part.
    let mut parts = [[0.0; 3]; 2];
    for (features, cost) in samples {
        let is_left = features.get(feature).is_some_and(|value| *value < at);
        let [one, other] = &mut parts;
        let part = if is_left { one } else { other };
        for (sum, value) in part.iter_mut().zip([1.0, *cost, cost * cost]) {
            *sum += value;
        }
    }
    parts.iter().map(|[count, sum, squares]| squares - sum * sum / count.max(1.0)).sum()
}

/// Draws from 0 to 1, without 1.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1);
    values.sum::<f64>() / float(count)
}

/// Draws items without repetition, up to a number.
pub fn drawn<T: Copy>(from: &[T], count: usize, random: &mut ChaCha8Rng) -> Vec<T> {
    let mut all = from.to_vec();
    let mut drawn = Vec::with_capacity(count.min(all.len()));
    while drawn.len() < count && !all.is_empty() {
        drawn.push(all.swap_remove(below(random, all.len())));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn trees_learn_jumps_and_say_where_they_know_nothing() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let cost = |one: f64, other: f64| if one < 3.0 { 1.0 } else { 5.0 + other };
        let grid = (0..10).flat_map(|one| (0..10).map(move |other| (one, other)));
        let known = grid.filter(|(one, other)| (one + other) % 2 == 0);
        let samples: Vec<Sample> = known
            .map(|(one, other)| (f64::from(one), f64::from(other)))
            .map(|(one, other)| (vec![one, other], cost(one, other)))
            .collect();
        let forest = Forest::fit(&samples, &mut random);
        for (one, other) in [(0.0, 3.0), (1.0, 8.0), (5.0, 0.0), (8.0, 7.0)] {
            let (mean, _) = forest.predict(&[one, other]);
            assert!((mean - cost(one, other)).abs() < 1.0, "{one}, {other}: {mean}");
        }
        let (_, sure) = forest.predict(&[0.0, 4.0]);
        let (_, unsure) = forest.predict(&[2.5, 4.5]);
        assert!(sure < unsure, "{sure} {unsure}");
        let nothing = Forest::fit(&[], &mut random);
        assert!(nothing.predict(&[1.0]).0.abs() < f64::EPSILON);
    }
}
