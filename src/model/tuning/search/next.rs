//! Chooses points to measure, round by round.

use std::collections::{BTreeMap, HashSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::features::Groups;
use super::forest::{Forest, Sample, drawn};
use crate::statistics::{float, shuffle};
use crate::tuning::space::Space;

/// Points that the model judges in a round, besides the neighbors of the best.
const POOL: usize = 3000;
/// The best points whose neighbors are judged.
const CENTERS: usize = 5;
/// Points of the start, which is stratified.
const START: usize = 8;
/// Number of measurements that the best point is to have; 4 for the next two, 2 for the next four, then 1.
const REPEATS: usize = 8;
/// The part of a round that may go to measuring again: one in so many.
const AGAIN: usize = 12;
/// The part of the new points that is drawn from all strata whatever the model says: one in so many.
const EXPLORED: usize = 8;
/// How many standard deviations below the predicted mean a point is ranked: a lower confidence bound (Srinivas, Krause, Kakade
/// and Seeger, ICML 2010), so that points of which the model is unsure are tried, too.
const HOPE: f64 = 0.5;
/// A refused point counts as this many times the worst measured cost.
const REFUSED: f64 = 2.0;

/// What is known of a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// One for each measurement.
    pub costs: Vec<f64>,
    /// Whether it was refused, crashed or computed wrongly.
    pub is_refused: bool,
}

impl Seen {
    /// Returns the mean of the logarithms of the costs, as noise is relative.
    fn level(&self) -> Option<f64> {
        let is_known = !self.costs.is_empty() && !self.is_refused;
        is_known
            .then(|| self.costs.iter().map(|cost| cost.ln()).sum::<f64>() / float(self.costs.len()))
    }
}

/// A search in a space.
pub struct Search<'a> {
    space: &'a Space,
    groups: Groups,
    /// The points of each stratum, in random order.
    strata: Vec<Vec<usize>>,
    /// The stratum to draw from next.
    next_stratum: usize,
    seen: BTreeMap<usize, Seen>,
    /// Points that were asked for.
    asked: HashSet<usize>,
    random: ChaCha8Rng,
}

impl<'a> Search<'a> {
    pub fn new(space: &'a Space, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let groups = Groups::new(&space.knobs);
        let mut by_stratum: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
        for (nth, values) in space.points.iter().enumerate() {
            by_stratum.entry(groups.stratum(values)).or_default().push(nth);
        }
        let mut strata: Vec<Vec<usize>> = by_stratum.into_values().collect();
        for stratum in &mut strata {
            shuffle(stratum, &mut random);
        }
        shuffle(&mut strata, &mut random);
        Self {
            space,
            groups,
            strata,
            next_stratum: 0,
            seen: BTreeMap::new(),
            asked: HashSet::new(),
            random,
        }
    }

    /// Tells a cost of a point, such as a time; `None` if it was refused. Costs may be known from before.
    pub fn tell(&mut self, point: usize, cost: Option<f64>) {
        self.asked.insert(point);
        let seen = self.seen.entry(point).or_default();
        match cost {
            Some(cost) if cost > 0.0 => seen.costs.push(cost),
            _ => seen.is_refused = true,
        }
    }

    /// Returns the points to measure next, each once, up to a number. The compiler's own choice is among them.
    pub fn ask(&mut self, count: usize) -> Vec<usize> {
        let mut round = vec![self.space.own];
        self.asked.insert(self.space.own);
        let again = self.again();
        round.extend(again.into_iter().filter(|it| *it != self.space.own).take(count / AGAIN));
        round.truncate(count);
        let explored = match START.saturating_sub(self.seen.len()) {
            0 => count.div_ceil(EXPLORED),
            rest => rest.max(count.div_ceil(EXPLORED)),
        };
        let explored = self.stratified(explored.min(count - round.len()));
        round.extend(explored);
        let promising = self.promising(count - round.len());
        round.extend(promising);
        self.asked.extend(&round);
        round
    }

    /// Returns what is known of all points that were measured, best first. Refused points are left out.
    pub fn ranking(&self) -> Vec<(usize, &Seen)> {
        let known =
            self.seen.iter().filter_map(|(point, seen)| Some((*point, seen, seen.level()?)));
        let mut known: Vec<(usize, &Seen, f64)> = known.collect();
        known.sort_by(|one, other| one.2.total_cmp(&other.2));
        known.into_iter().map(|(point, seen, _)| (point, seen)).collect()
    }

    /// Returns the points that were measured less often than their rank asks for, best first: 8, 4, 4, 2, 2, 2, 2, then 1
    /// times. So the measurements go where two points have to be told apart, as in successive halving (Karnin, Koren and
    /// Somekh, ICML 2013).
    fn again(&self) -> Vec<usize> {
        let ranked = self.ranking();
        let wanted = |rank: usize| (2 * REPEATS / (rank + 2).next_power_of_two()).max(1);
        let few =
            ranked.iter().enumerate().filter(|(rank, (_, seen))| seen.costs.len() < wanted(*rank));
        few.map(|(_, (point, _))| *point).collect()
    }

    /// Draws points that were not asked for, one of each stratum in turn.
    fn stratified(&mut self, count: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut empty = 0;
        while found.len() < count && empty < self.strata.len() {
            let nth = self.next_stratum % self.strata.len();
            self.next_stratum += 1;
            let stratum = self.strata.get_mut(nth);
            let next = stratum.and_then(|stratum| {
                while let Some(point) = stratum.pop() {
                    if self.asked.insert(point) {
                        return Some(point);
                    }
                }
                None
            });
            empty = if next.is_some() { 0 } else { empty + 1 };
            found.extend(next);
        }
        found
    }

    /// Returns the points with the lowest confidence bounds of their costs.
    fn promising(&mut self, count: usize) -> Vec<usize> {
        if count == 0 {
            return Vec::new();
        }
        let samples = self.samples();
        let forest = Forest::fit(&samples, &mut self.random);
        let mut judged: Vec<(f64, usize)> = Vec::new();
        for point in self.pool() {
            let Some(values) = self.space.points.get(point) else { continue };
            let (mean, deviation) = forest.predict(&self.groups.features(values));
            judged.push((mean - HOPE * deviation, point));
        }
        judged.sort_by(|one, other| one.0.total_cmp(&other.0));
        judged.into_iter().take(count).map(|(_, point)| point).collect()
    }

    fn samples(&self) -> Vec<Sample> {
        let levels = self.seen.values().filter_map(Seen::level);
        let worst = levels.fold(f64::NEG_INFINITY, f64::max) + REFUSED.ln();
        let samples = self.seen.iter().filter_map(|(point, seen)| {
            let values = self.space.points.get(*point)?;
            let level = seen.level().or(seen.is_refused.then_some(worst))?;
            Some((self.groups.features(values), level))
        });
        samples.filter(|(_, level)| level.is_finite()).collect()
    }

    /// Returns points that were not asked for: all of a small space, else some at random and the neighbors of the best.
    fn pool(&mut self) -> Vec<usize> {
        let asked = &self.asked;
        let open: Vec<usize> =
            (0..self.space.points.len()).filter(|point| !asked.contains(point)).collect();
        if open.len() <= POOL {
            return open;
        }
        let mut pool = drawn(&open, POOL, &mut self.random);
        for (center, _) in self.ranking().into_iter().take(CENTERS) {
            pool.extend(self.space.neighbors(center).into_iter().filter(|it| !asked.contains(it)));
        }
        pool.sort_unstable();
        pool.dedup();
        pool
    }
}
