//! The search: rounds of candidates, each of which sets a point of every target at once.

use std::collections::HashMap;
use std::time::Duration;

use super::measure::{Measure, Measured, Points, Stage, Times};
use crate::cli::error::CliError;
use crate::statistics::float;
use crate::tuning::search::Search;
use crate::tuning::space::Space;

/// Candidates of a round. The first is the compiler's own choice for all targets.
const ROUND: usize = 8;
/// The best points of each target that are measured again after the search.
const FINALISTS: usize = 6;

/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub budget: Duration,
    /// Candidates that are measured at most.
    pub candidates: u32,
    /// Rounds without a better candidate after which a target stays as it is.
    pub patience: u32,
    /// Gains up to this logarithm of a ratio do not count.
    pub floor: f64,
    pub seed: u64,
}

/// How far a search is, after each round.
pub struct Progress<'a> {
    pub round: u32,
    pub candidates: u32,
    pub left: Duration,
    /// For each target, the ratio of its best time to that of the compiler's own choice.
    pub best: &'a [f64],
}

/// A search of all targets.
pub struct Searching<'a> {
    spaces: &'a [Space],
    searches: Vec<Search<'a>>,
    limits: Limits,
    /// For each target, the logarithm of its best ratio and the round that found it.
    best: Vec<(f64, u32)>,
    /// The ratios of points that were measured.
    ratios: HashMap<Points, Vec<Option<f64>>>,
}

/// The cost of a point that was measured before, as a ratio to that of the own choice; `None` if it failed.
pub type Earlier = (usize, Option<f64>);

impl<'a> Searching<'a> {
    /// Prepares the search. What is known of points from `earlier` runs, one list for each target, is not measured again.
    pub fn new(spaces: &'a [Space], earlier: &[Vec<Earlier>], limits: Limits) -> Self {
        let mut searches: Vec<Search<'a>> =
            spaces.iter().map(|space| Search::new(space, limits.seed)).collect();
        for (search, known) in searches.iter_mut().zip(earlier) {
            for (point, ratio) in known {
                search.tell(*point, *ratio);
            }
        }
        let best = spaces.iter().map(|_| (0.0, 0)).collect();
        Self { spaces, searches, limits, best, ratios: HashMap::new() }
    }

    /// Searches until a limit. Returns the best points of each target, best first.
    pub fn run(
        &mut self,
        measure: &mut dyn Measure,
        tell: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Vec<Vec<usize>>, CliError> {
        let mut count = 0;
        let mut round = 0;
        while measure.spent() < self.limits.budget && count < self.limits.candidates {
            round += 1;
            let candidates = self.candidates(round);
            if candidates.len() < 2 {
                break;
            }
            self.measure(round, &candidates, measure)?;
            count += u32::try_from(candidates.len() - 1).unwrap_or(u32::MAX);
            self.note_best(round);
            let best: Vec<f64> = self.best.iter().map(|(level, _)| level.exp()).collect();
            let left = self.limits.budget.saturating_sub(measure.spent());
            tell(&Progress { round, candidates: count, left, best: &best });
        }
        Ok(self.finalists())
    }

    fn own(&self) -> Points {
        self.spaces.iter().map(|space| space.own).collect()
    }

    /// Returns the candidates of a round. Targets that gained nothing for long stay as they are.
    fn candidates(&mut self, round: u32) -> Vec<Points> {
        let own = self.own();
        let patience = self.limits.patience;
        let asked: Vec<Vec<usize>> = self
            .searches
            .iter_mut()
            .zip(&self.best)
            .map(
                |(search, (_, found))| {
                    if round - found > patience { Vec::new() } else { search.ask(ROUND) }
                },
            )
            .collect();
        let most = asked.iter().map(Vec::len).max().unwrap_or_default();
        let candidate = |nth: usize| -> Points {
            let each = asked.iter().zip(&own);
            each.map(|(points, own)| points.get(nth).copied().unwrap_or(*own)).collect()
        };
        let mut all = vec![own.clone()];
        all.extend((0..most).map(candidate).filter(|points| *points != own));
        all
    }

    /// Measures candidates, and tells the searches. Where one fails that changes several targets, each is tried alone.
    fn measure(
        &mut self,
        round: u32,
        candidates: &[Points],
        measure: &mut dyn Measure,
    ) -> Result<(), CliError> {
        let own = self.own();
        let mut again = Vec::new();
        let mut base = None;
        let measured = measure.run(Stage::Search, round, candidates)?;
        for (points, measured) in candidates.iter().zip(measured) {
            match measured {
                Measured::Times(times) => {
                    let base = base.get_or_insert_with(|| times.clone());
                    self.tell(points, ratios(&times, base));
                }
                Measured::SameCode(same) => {
                    let known = self.ratios.get(&same).cloned().unwrap_or_default();
                    self.tell(points, known);
                }
                Measured::Refused(_, words) if *points == own => return Err(broken(&words)),
                Measured::Refused(..) => {
                    let changed: Vec<usize> =
                        (0..own.len()).filter(|nth| points.get(*nth) != own.get(*nth)).collect();
                    match changed.as_slice() {
                        [only] => self.refuse(*only, points),
                        several => {
                            again.extend(several.iter().map(|nth| alone(&own, points, *nth)))
                        }
                    }
                }
            }
        }
        if again.is_empty() {
            return Ok(());
        }
        again.insert(0, own);
        self.measure(round, &again, measure)
    }

    /// Tells the searches the ratios of a candidate: to the own choice in the same round, so that a change of the machine
    /// between rounds does not matter.
    fn tell(&mut self, points: &Points, ratios: Vec<Option<f64>>) {
        for ((search, point), ratio) in self.searches.iter_mut().zip(points).zip(&ratios) {
            search.tell(*point, *ratio);
        }
        self.ratios.entry(points.clone()).or_insert(ratios);
    }

    fn refuse(&mut self, target: usize, points: &[usize]) {
        if let (Some(search), Some(point)) = (self.searches.get_mut(target), points.get(target)) {
            search.tell(*point, None);
        }
    }

    fn note_best(&mut self, round: u32) {
        for (search, best) in self.searches.iter().zip(&mut self.best) {
            let ranking = search.ranking();
            let level = ranking.first().map_or(0.0, |(_, seen)| level(&seen.costs));
            if level < best.0 - self.limits.floor {
                *best = (level, round);
            }
        }
    }

    /// Returns for each target the best points that are beyond the floor.
    fn finalists(&self) -> Vec<Vec<usize>> {
        let each = self.searches.iter().zip(self.spaces).map(|(search, space)| {
            let ranking = search.ranking();
            let gaining = ranking.iter().filter(|(point, seen)| {
                *point != space.own && level(&seen.costs) < -self.limits.floor
            });
            gaining.take(FINALISTS).map(|(point, _)| *point).collect()
        });
        each.collect()
    }
}

/// Returns the ratios of times to those of the compiler's own choice.
pub fn ratios(times: &Times, own: &Times) -> Vec<Option<f64>> {
    let each = times.targets.iter().zip(&own.targets);
    each.map(|(time, own)| Some((*time)? / (*own)?)).collect()
}

/// Returns the candidate that changes one target only.
pub fn alone(own: &Points, points: &[usize], nth: usize) -> Points {
    let each = own.iter().zip(points).enumerate();
    each.map(|(at, (own, point))| if at == nth { *point } else { *own }).collect()
}

/// The error of an untuned module that does not run.
pub fn broken(words: &str) -> CliError {
    CliError::No(format!("the untuned model does not run: {words}"))
}

/// Returns the mean of the logarithms of ratios.
fn level(ratios: &[f64]) -> f64 {
    ratios.iter().map(|it| it.ln()).sum::<f64>() / float(ratios.len())
}
