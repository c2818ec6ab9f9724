//! Change points of a series, by E-divisive (Matteson and James, *A nonparametric approach for multiple change point
//! analysis of multivariate data*, 2014), as `MongoDB` and Apache Otava use it for the results of benchmarks.
//!
//! A segment is divided where the energy distance of its two parts is largest; the first segment is the series. The
//! division counts if few random orders of the values within the segments have one that is as large. A value stands for
//! all that was measured of one build at one time: values are what is replicated and permuted. A drift becomes several
//! steps in one direction.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::count::float;
use super::distances::{Distances, SHORTEST};
use super::random::shuffle;

/// Number of random orders that a division is compared with.
const ORDERS: usize = 4999;

/// After this many orders that are as extreme, no more are tried (Besag and Clifford, *Sequential Monte Carlo p-values*,
/// 1991).
const ENOUGH: usize = 30;

/// Largest p-value of a change point.
pub const LEVEL: f64 = 0.01;

/// Where a series changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value after the change.
    pub at: usize,
    pub p: f64,
}

/// The change points of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// In the order of the series.
    pub points: Vec<ChangePoint>,
    /// The p-value of any change at all; NaN if there are too few values to tell.
    pub p: f64,
}

/// Finds the change points of a series of finite values.
pub fn change_points(values: &[f64], seed: u64) -> Changes {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut segments = vec![Segment::new(0, values)];
    let mut found = Changes { points: Vec::new(), p: f64::NAN };
    while let Some((nth, place, largest)) = largest(&segments) {
        let p = share_of_orders(&segments, largest, &mut random);
        if found.p.is_nan() {
            found.p = p;
        }
        if p > LEVEL {
            break;
        }
        let Some(whole) = segments.get(nth) else { break };
        let (start, (before, after)) = (whole.start, values_of(whole, values).split_at(place));
        let parts = [Segment::new(start, before), Segment::new(start + place, after)];
        found.points.push(ChangePoint { at: start + place, p });
        segments.splice(nth..=nth, parts);
    }
    found.points.sort_by_key(|point| point.at);
    found
}

/// A part of the series without a change point so far.
struct Segment {
    start: usize,
    distances: Distances,
    /// The place that divides it best, and how well.
    best: Option<(usize, f64)>,
}

impl Segment {
    fn new(start: usize, values: &[f64]) -> Self {
        let distances = Distances::of(values);
        let best = distances.best(distances.order());
        Self { start, distances, best }
    }
}

fn values_of<'a>(segment: &Segment, values: &'a [f64]) -> &'a [f64] {
    let end = segment.start + segment.distances.order().len();
    values.get(segment.start..end).unwrap_or_default()
}

/// Returns the segment with the best division, its place and its statistic.
fn largest(segments: &[Segment]) -> Option<(usize, usize, f64)> {
    let all = segments.iter().enumerate();
    let divisible = all.filter_map(|(nth, segment)| {
        let (place, statistic) = segment.best?;
        Some((nth, place, statistic))
    });
    divisible.max_by(|one, other| one.2.total_cmp(&other.2))
}

/// Returns the p-value: the share of random orders within the segments that have a division as good.
fn share_of_orders(segments: &[Segment], observed: f64, random: &mut ChaCha8Rng) -> f64 {
    let mut orders: Vec<(&Distances, Vec<usize>)> = segments
        .iter()
        .map(|segment| (&segment.distances, segment.distances.order().to_vec()))
        .filter(|(_, order)| order.len() >= 2 * SHORTEST)
        .collect();
    let mut as_good = 0;
    for tried in 1..=ORDERS {
        let mut is_as_good = false;
        for (distances, order) in &mut orders {
            shuffle(order, random);
            // Sums of the same distances in another order may differ by rounding.
            let best = distances.best(order).map_or(0.0, |(_, statistic)| statistic);
            is_as_good |= best >= observed * (1.0 - 1e-9);
        }
        as_good += usize::from(is_as_good);
        if as_good == ENOUGH {
            return float(as_good) / float(tried);
        }
    }
    float(as_good + 1) / float(ORDERS + 1)
}
