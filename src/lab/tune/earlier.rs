//! What earlier runs of a folder know of the targets.

use std::collections::HashMap;

use super::evaluator::{Points, Refusal};
use super::search::KnownCost;
use super::store::Store;
use super::targets::{Target, own_points};

/// What earlier runs of a folder know.
pub struct EarlierResults {
    /// The costs of points, by target.
    pub costs: Vec<Vec<KnownCost>>,
    /// Candidates that were only compiled.
    pub waiting: Vec<Points>,
}

impl EarlierResults {
    /// Reads what the store has of these targets.
    pub fn of(store: &Store, targets: &[Target]) -> Self {
        let waiting = store.waiting();
        let costs: Vec<_> = targets.iter().map(|target| store.earlier(target)).collect();
        if waiting.is_empty() && costs.iter().all(Vec::is_empty) {
            return Self { costs: Vec::new(), waiting: Vec::new() };
        }
        // The store names points by their configurations.
        let points: Vec<HashMap<String, usize>> = targets
            .iter()
            .map(|it| (0..it.space.points.len()).map(|point| (it.text(point), point)).collect())
            .collect();
        let costs = costs.into_iter().zip(&points).map(|(known, points)| {
            let cost =
                |(text, cost): (String, Result<f64, Refusal>)| Some((*points.get(&text)?, cost));
            known.into_iter().filter_map(cost).collect()
        });
        let waiting = waiting.iter().map(|candidate| {
            let point = |(target, points): (&Target, &HashMap<String, usize>)| {
                let known = candidate.get(target.name()).and_then(|text| points.get(text));
                known.copied().unwrap_or(target.space.own)
            };
            targets.iter().zip(&points).map(point).collect()
        });
        let own = own_points(targets);
        Self {
            costs: costs.collect(),
            waiting: waiting.filter(|points: &Points| *points != own).collect(),
        }
    }
}
