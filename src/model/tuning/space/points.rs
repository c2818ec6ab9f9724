//! The points of a space: configurations with their values as numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::limits::MOST;
use crate::statistics::below;
use crate::tuning::configuration::Configuration;

/// Makes the configuration of values.
type Make = Arc<dyn Fn(&[i64]) -> Configuration + Send + Sync>;

/// The configurations that are worth trying.
#[derive(Clone)]
pub struct Space {
    /// The names of the knobs.
    pub knobs: Vec<String>,
    /// A number for each knob; for knobs that are no numbers, which of their values. In ascending order.
    pub points: Vec<Vec<i64>>,
    /// Which of the points is the compiler's own choice.
    pub own: usize,
    /// How many points there were before some were left out, because there were too many.
    pub total: usize,
    choice: Configuration,
    make: Make,
}

impl Space {
    /// Makes a space of values, and of the compiler's own choice. Of too many, it keeps some at random, but all
    /// neighbors of the own choice.
    pub(in crate::tuning) fn new(
        knobs: Vec<String>,
        mut values: BTreeSet<Vec<i64>>,
        own: &[i64],
        choice: Configuration,
        make: Make,
    ) -> Self {
        values.insert(own.to_vec());
        let total = values.len();
        let all = if total > MOST { thinned(values, own) } else { values };
        let place = all.iter().position(|values| values == own).unwrap_or(0);
        Self { knobs, points: all.into_iter().collect(), own: place, total, choice, make }
    }

    /// Returns the configuration of a point.
    pub fn configuration(&self, of: usize) -> Configuration {
        match self.points.get(of) {
            Some(values) if of != self.own => (self.make)(values),
            _ => self.choice.clone(),
        }
    }

    /// Returns a point next to the compiler's own choice, or that itself if there is none.
    pub fn neighbor_of_own(&self) -> usize {
        self.neighbors(self.own).first().copied().unwrap_or(self.own)
    }

    /// Returns the points that differ from one in the next larger or smaller value of one knob, and the nearest ones of
    /// those that differ in several, as some knobs can only change together.
    pub fn neighbors(&self, of: usize) -> Vec<usize> {
        let Some(center) = self.points.get(of) else { return Vec::new() };
        let mut near: Vec<usize> =
            nearest(self.points.iter().enumerate(), center).into_values().collect();
        let others = self.points.iter().enumerate().filter(|(nth, _)| *nth != of);
        let mut others: Vec<(f64, usize)> =
            others.map(|(nth, values)| (distance(values, center), nth)).collect();
        others.sort_by(|one, other| one.0.total_cmp(&other.0));
        near.extend(others.into_iter().take(NEAREST).map(|(_, nth)| nth));
        near.sort_unstable();
        near.dedup();
        near
    }
}

/// Neighbors that differ in several knobs.
const NEAREST: usize = 8;

/// Returns how many times values double or halve from one point to another.
fn distance(one: &[i64], other: &[i64]) -> f64 {
    let size = |value: i64| f64::from(i32::try_from(value.max(0)).unwrap_or(i32::MAX)) + 0.5;
    let doubled = one.iter().zip(other).map(|(one, other)| {
        if one == other { 0.0 } else { (size(*one) / size(*other)).log2().abs() }
    });
    doubled.sum()
}

/// Returns for each knob and direction the point that differs in it alone, and least.
fn nearest<'a, T>(
    points: impl Iterator<Item = (T, &'a Vec<i64>)>,
    center: &[i64],
) -> BTreeMap<(usize, bool), T> {
    let mut found: BTreeMap<(usize, bool), (u64, T)> = BTreeMap::new();
    for (name, values) in points {
        let mut differing = values.iter().zip(center).enumerate().filter(|(_, (a, b))| a != b);
        let (Some((knob, (one, other))), None) = (differing.next(), differing.next()) else {
            continue;
        };
        let key = (knob, one > other);
        let distance = one.abs_diff(*other);
        if found.get(&key).is_none_or(|(known, _)| distance < *known) {
            found.insert(key, (distance, name));
        }
    }
    found.into_iter().map(|(key, (_, name))| (key, name)).collect()
}

/// Keeps as many points as a space may have.
fn thinned(values: BTreeSet<Vec<i64>>, own: &[i64]) -> BTreeSet<Vec<i64>> {
    let all: Vec<Vec<i64>> = values.into_iter().collect();
    let near = nearest(all.iter().map(|values| (values, values)), own);
    let mut kept: BTreeSet<Vec<i64>> = near.into_values().cloned().collect();
    kept.insert(own.to_vec());
    // Selection sampling: each of what is left is kept with the same probability.
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let (mut left, mut wanted) = (all.len(), MOST - kept.len().min(MOST));
    for values in all {
        if below(&mut random, left) < wanted {
            kept.insert(values);
            wanted -= 1;
        }
        left -= 1;
    }
    kept
}
