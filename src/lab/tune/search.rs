//! The search: rounds of candidates, each of which sets a point of every target at once.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use model::statistics::{Interval, anytime_ratio, float};
use model::tuning::search::Search;
use model::tuning::space::Space;

use super::budget::FINALISTS;
use super::error::TuneError;
use super::evaluator::{Evaluation, Evaluator, Points, Refusal, Stage, Times};
use super::tried::Tried;

/// Candidates of a round, with the compiler's own choice for all targets.
pub const ROUND: usize = 12;

/// When tuning ends, and what counts as a gain.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time of the whole run.
    pub budget: Duration,
    /// Candidates that are measured at most.
    pub candidates: u32,
    /// Rounds without a better candidate after which a target stays as it is.
    pub patience: u32,
    /// Gains up to this logarithm of a ratio do not count.
    pub floor: f64,
    pub seed: u64,
}

impl Limits {
    /// Returns the time that is left.
    pub fn left(&self, evaluator: &dyn Evaluator) -> Duration {
        self.budget.saturating_sub(evaluator.spent())
    }

    /// Returns the time that is left to the search.
    pub(crate) fn left_to_search(&self, evaluator: &dyn Evaluator) -> Duration {
        self.left(evaluator).saturating_sub(evaluator.costs().reserve(self.budget))
    }
}

/// How far a search is, after each round.
#[derive(Debug)]
pub struct SearchProgress<'a> {
    pub round: u32,
    pub candidates: u32,
    /// The time that is left to the search.
    pub left: Duration,
    /// For each target, the ratio of its best time to that of the compiler's own choice, and its interval if there are
    /// enough measurements.
    pub best: &'a [(f64, Option<Interval>)],
    /// For each target, what became of the configurations that were tried.
    pub tried: &'a [Tried],
}

/// A search of all targets.
pub struct JointSearch<'a> {
    spaces: &'a [Space],
    searches: Vec<Search<'a>>,
    limits: Limits,
    /// For each target, the logarithm of its best ratio and the round that found it.
    best: Vec<(f64, u32)>,
    /// Points that are measured first, the next one last.
    waiting: Vec<Points>,
    /// The ratios of points that were measured.
    ratios: HashMap<Points, Vec<Option<f64>>>,
    /// For each target, the points that were tried, with why some were not measured.
    tried: Vec<BTreeMap<usize, Option<Refusal>>>,
}

/// The cost of a point that was measured before, as a ratio to that of the own choice, or why it was not measured.
pub type KnownCost = (usize, Result<f64, Refusal>);

impl<'a> JointSearch<'a> {
    /// Prepares the search. What is known of points from `earlier` runs, one list for each target, is not measured again.
    /// Those that are `waiting` are measured first.
    pub fn new(
        spaces: &'a [Space],
        earlier: &[Vec<KnownCost>],
        mut waiting: Vec<Points>,
        limits: Limits,
    ) -> Self {
        waiting.reverse();
        let mut searches: Vec<Search<'a>> =
            spaces.iter().map(|space| Search::new(space, limits.seed)).collect();
        for (search, known) in searches.iter_mut().zip(earlier) {
            for (point, cost) in known {
                search.tell(*point, cost.as_ref().ok().copied());
            }
        }
        let best = spaces.iter().map(|_| (0.0, 0)).collect();
        let (ratios, tried) = (HashMap::new(), vec![BTreeMap::new(); spaces.len()]);
        let mut search = Self { spaces, searches, limits, best, waiting, ratios, tried };
        for (target, known) in earlier.iter().enumerate() {
            for (point, cost) in known {
                search.note(target, *point, cost.as_ref().err());
            }
        }
        search
    }

    /// Searches until a limit. Returns the best points of each target, best first.
    pub fn run(
        &mut self,
        evaluator: &mut dyn Evaluator,
        listener: &mut dyn FnMut(&SearchProgress<'_>),
    ) -> Result<Vec<Vec<usize>>, TuneError> {
        let mut count = 0;
        let mut round = 0;
        while count < self.limits.candidates {
            // What does not fit is left out, so that the round ends in time.
            let (costs, left) = (evaluator.costs(), self.limits.left_to_search(evaluator));
            let fits = |candidates: &u32| costs.search(*candidates) <= left;
            let most = (1..=narrow(ROUND)).rev().find(fits).unwrap_or_default();
            let most = most.min(self.limits.candidates - count);
            if most == 0 {
                break;
            }
            round += 1;
            let mut candidates = self.candidates(round);
            candidates.truncate(usize::try_from(most).unwrap_or_default());
            if candidates.is_empty() {
                break;
            }
            self.measure(round, &candidates, evaluator)?;
            count += narrow(candidates.len());
            self.note_best(round);
            let (best, tried) = (self.standing(), self.tried());
            let left = self.limits.left_to_search(evaluator);
            listener(&SearchProgress {
                round,
                candidates: count,
                left,
                best: &best,
                tried: &tried,
            });
        }
        Ok(self.finalists())
    }

    /// Returns for each target what became of the configurations that were tried.
    pub(crate) fn tried(&self) -> Vec<Tried> {
        self.tried.iter().map(Tried::of).collect()
    }

    /// Returns the candidates of a round. Targets that gained nothing for long stay as they are.
    fn candidates(&mut self, round: u32) -> Vec<Points> {
        if !self.waiting.is_empty() {
            let rest = self.waiting.len().saturating_sub(ROUND - 1);
            let mut next = self.waiting.split_off(rest);
            // They do not try anyone's patience.
            for (_, found) in &mut self.best {
                *found = round;
            }
            next.reverse();
            return next;
        }
        let own = own(self.spaces);
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
        rounds(&asked, &own)
    }

    /// Measures candidates and the own choice, and tells the searches. Where one fails that changes several targets, each
    /// is tried alone; these change one target each, so that nothing is tried a third time.
    ///
    /// The own choice runs first and in the middle, as the others are divided by it: a machine that slows down then shifts
    /// half of them only. The shorter run counts, see [`base`]; being the minimum of two, it makes all candidates look
    /// slightly slower, and so none faster than it is.
    fn measure(
        &mut self,
        round: u32,
        candidates: &[Points],
        evaluator: &mut dyn Evaluator,
    ) -> Result<(), TuneError> {
        let own = own(self.spaces);
        let mut order = candidates.to_vec();
        order.insert(order.len() / 2, own.clone());
        order.insert(0, own.clone());
        let measured = evaluator.run(Stage::Search, round, &order)?;
        let base = base(&order, &measured, &own)?;
        let mut again = Vec::new();
        for (points, measured) in order.iter().zip(measured).filter(|(points, _)| **points != own) {
            match measured {
                Evaluation::Times(times) => {
                    // One that has no time where the own choice has one does not run.
                    for (nth, (time, own)) in times.targets.iter().zip(&base.targets).enumerate() {
                        if time.is_none() && own.is_some() {
                            let words = "its profile has no time of it".to_owned();
                            self.refuse(nth, points, &Refusal { is_compiled: true, words });
                        }
                    }
                    self.tell(points, ratios(&times, &base));
                }
                Evaluation::SameCode(same) => {
                    let known = self.ratios.get(&same).cloned();
                    self.tell(points, known.unwrap_or_else(|| vec![Some(1.0); own.len()]));
                }
                Evaluation::Refused(refusal) => match changed(&own, points).as_slice() {
                    [only] => self.refuse(*only, points, &refusal),
                    several => again.extend(several.iter().map(|nth| alone(&own, points, *nth))),
                },
            }
        }
        if again.is_empty() { Ok(()) } else { self.measure(round, &again, evaluator) }
    }

    /// Tells the searches the ratios of a candidate: to the own choice in the same round, so that a change of the machine
    /// between rounds does not matter.
    fn tell(&mut self, points: &Points, ratios: Vec<Option<f64>>) {
        for (nth, (point, ratio)) in points.iter().zip(&ratios).enumerate() {
            if let Some(search) = self.searches.get_mut(nth).filter(|_| ratio.is_some()) {
                search.tell(*point, *ratio);
                self.note(nth, *point, None);
            }
        }
        self.ratios.entry(points.clone()).or_insert(ratios);
    }

    fn refuse(&mut self, target: usize, points: &[usize], refusal: &Refusal) {
        if let (Some(search), Some(point)) = (self.searches.get_mut(target), points.get(target)) {
            search.tell(*point, None);
            self.note(target, *point, Some(refusal));
        }
    }

    /// Notes what became of a point. One that was measured once stays so.
    fn note(&mut self, target: usize, point: usize, refusal: Option<&Refusal>) {
        let is_own = self.spaces.get(target).is_none_or(|space| space.own == point);
        let Some(points) = self.tried.get_mut(target).filter(|_| !is_own) else { return };
        let known = points.entry(point).or_insert_with(|| refusal.cloned());
        if refusal.is_none() {
            *known = None;
        }
    }

    /// Notes the best points. One is not believed before it was measured twice.
    fn note_best(&mut self, round: u32) {
        for (search, best) in self.searches.iter().zip(&mut self.best) {
            let ranking = search.ranking();
            let sure = ranking.iter().find(|(_, seen)| seen.costs.len() > 1);
            let level = sure.map_or(0.0, |(_, seen)| level(&seen.costs));
            if level < best.0 - self.limits.floor {
                *best = (level, round);
            }
        }
    }

    /// Returns for each target the ratio of the point that is best now.
    fn standing(&self) -> Vec<(f64, Option<Interval>)> {
        let of = |search: &Search<'_>| {
            let ranking = search.ranking();
            let (_, seen) = ranking.iter().find(|(_, seen)| seen.costs.len() > 1)?;
            let logarithms: Vec<f64> = seen.costs.iter().map(|it| it.ln()).collect();
            Some((level(&seen.costs).exp(), anytime_ratio(&logarithms)))
        };
        self.searches.iter().map(|search| of(search).unwrap_or((1.0, None))).collect()
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

/// Returns candidates that set a point of every target at once. A target with fewer points stays as it is.
pub fn rounds(asked: &[Vec<usize>], own: &Points) -> Vec<Points> {
    let most = asked.iter().map(Vec::len).max().unwrap_or_default();
    let candidate = |nth: usize| -> Points {
        let each = asked.iter().zip(own);
        each.map(|(points, own)| points.get(nth).copied().unwrap_or(*own)).collect()
    };
    (0..most).map(candidate).filter(|points| points != own).collect()
}

/// Returns the times of the own choice: the shorter ones, as what disturbs a run makes it longer.
fn base(order: &[Points], measured: &[Evaluation], own: &Points) -> Result<Times, TuneError> {
    let mut base: Option<Times> = None;
    for (_, measured) in order.iter().zip(measured).filter(|(points, _)| *points == own) {
        match measured {
            Evaluation::Times(times) => {
                base = Some(match base {
                    Some(base) if base.total <= times.total => base,
                    _ => times.clone(),
                });
            }
            Evaluation::Refused(refusal) => return Err(broken(&refusal.words)),
            Evaluation::SameCode(_) => {}
        }
    }
    base.ok_or_else(|| broken("it was not measured"))
}

/// Returns the ratios of times to those of the compiler's own choice.
pub fn ratios(times: &Times, own: &Times) -> Vec<Option<f64>> {
    let each = times.targets.iter().zip(&own.targets);
    each.map(|(time, own)| Some((*time)? / (*own)?)).collect()
}

/// Returns the points of the compiler's own choices.
pub fn own(spaces: &[Space]) -> Points {
    spaces.iter().map(|space| space.own).collect()
}

/// Returns the targets for which points are not the compiler's own choice.
pub fn changed(own: &Points, points: &Points) -> Vec<usize> {
    let each = own.iter().zip(points).enumerate();
    each.filter(|(_, (own, point))| own != point).map(|(nth, _)| nth).collect()
}

/// Returns the candidate that changes one target only.
pub fn alone(own: &Points, points: &[usize], nth: usize) -> Points {
    let each = own.iter().zip(points).enumerate();
    each.map(|(at, (own, point))| if at == nth { *point } else { *own }).collect()
}

/// The error of an untuned module that does not run.
pub fn broken(words: &str) -> TuneError {
    TuneError::UntunedFails(words.to_owned())
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the mean of the logarithms of ratios.
fn level(ratios: &[f64]) -> f64 {
    ratios.iter().map(|it| it.ln()).sum::<f64>() / float(ratios.len())
}
