//! The search: rounds of candidates, each of which sets a point of every target at once.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use super::builder::{Builder, Points, digest_of};
use super::laps::{Fault, Lap, Laps};
use super::store::{Outcome, Store, Trial};
use super::targets::Target;
use crate::cli::compare::change;
use crate::cli::error::CliError;
use crate::report::text::duration;
use crate::statistics::float;
use crate::tuning::search::Search;

/// Candidates of a round. The first is the compiler's own choice for all targets.
const ROUND: usize = 8;

/// When a search ends.
pub struct Limits {
    pub budget: Duration,
    pub candidates: u32,
    pub patience: u32,
    /// Gains up to this logarithm of a ratio do not count.
    pub floor: f64,
    pub seed: u64,
    pub threads: usize,
}

/// A search of all targets.
pub struct Searching<'a> {
    builder: &'a Builder<'a>,
    targets: &'a [Target],
    searches: Vec<Search<'a>>,
    store: &'a mut Store,
    limits: &'a Limits,
    /// For each target, the logarithm of its best time and the round that found it.
    best: Vec<(f64, u32)>,
}

/// What was measured of a target in a round, by point; the own choice was measured in the same round.
struct Told {
    target: usize,
    point: usize,
    outcome: Outcome,
    reason: String,
    ns: Option<f64>,
}

impl<'a> Searching<'a> {
    /// Prepares the search. What the store knows already is not measured again.
    pub fn new(
        builder: &'a Builder<'a>,
        targets: &'a [Target],
        store: &'a mut Store,
        limits: &'a Limits,
    ) -> Self {
        let mut searches: Vec<Search<'a>> =
            targets.iter().map(|target| Search::new(&target.space, limits.seed)).collect();
        for (target, search) in targets.iter().zip(&mut searches) {
            let points: HashMap<String, usize> = store
                .knows(target)
                .then(|| {
                    (0..target.space.points.len()).map(|it| (text_of(target, it), it)).collect()
                })
                .unwrap_or_default();
            for (configuration, ratio) in store.known(target) {
                if let Some(point) = points.get(configuration) {
                    search.tell(*point, ratio);
                }
            }
        }
        let best = targets.iter().map(|_| (0.0, 0)).collect();
        Self { builder, targets, searches, store, limits, best }
    }

    /// Searches until a limit. Returns the best point of each target, or its own choice.
    pub fn run(&mut self, laps: &mut Laps<'_>) -> Result<Points, CliError> {
        let begun = Instant::now();
        let mut measured = self.store.count();
        let mut round = 0;
        while begun.elapsed() < self.limits.budget && measured < self.limits.candidates {
            round += 1;
            let candidates = self.candidates(round);
            if candidates.len() < 2 {
                break;
            }
            let told = self.measured(&candidates, laps)?;
            measured += u32::try_from(candidates.len() - 1).unwrap_or(u32::MAX);
            self.take(round, told)?;
            self.print(round, measured, begun.elapsed());
            if self.best.iter().all(|(_, found)| round - found >= self.limits.patience) {
                break;
            }
        }
        Ok(self.winners())
    }

    /// Returns the candidates of a round. Targets that gained nothing for long stay as they are.
    fn candidates(&mut self, round: u32) -> Vec<Points> {
        let own: Points = self.targets.iter().map(|target| target.space.own).collect();
        let is_tired = |(_, found): &(f64, u32)| round - found > self.limits.patience;
        let asked: Vec<Vec<usize>> = self
            .searches
            .iter_mut()
            .zip(&self.best)
            .map(|(search, best)| if is_tired(best) { Vec::new() } else { search.ask(ROUND) })
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

    /// Compiles and runs candidates. Where one fails, its points are tried alone.
    fn measured(&self, candidates: &[Points], laps: &mut Laps<'_>) -> Result<Vec<Told>, CliError> {
        let built = self.builder.candidates(self.targets, candidates, self.limits.threads)?;
        let mut seen: BTreeMap<String, Lap> = BTreeMap::new();
        let mut told = Vec::new();
        for (points, module) in candidates.iter().zip(built) {
            let lap = match module {
                Err(words) => Err((Outcome::NotCompiled, words)),
                Ok(module) => {
                    let digest = digest_of(&module)?;
                    let known = seen.get(&digest).cloned();
                    let lap = known.map_or_else(|| laps.run(&module), Ok);
                    match lap {
                        Ok(lap) => {
                            seen.insert(digest, lap.clone());
                            Ok(lap)
                        }
                        Err(Fault::Refused(words)) => Err((Outcome::NotRun, words)),
                        Err(Fault::Ended(error)) => return Err(error),
                    }
                }
            };
            match lap {
                Ok(lap) => told.extend(self.times(points, &lap)),
                Err((outcome, words)) => told.extend(self.alone(points, outcome, &words, laps)?),
            }
        }
        Ok(told)
    }

    /// Returns the times of the targets in a run.
    fn times(&self, points: &[usize], lap: &Lap) -> Vec<Told> {
        let each = self.targets.iter().zip(points).enumerate();
        let told = each.map(|(nth, (target, point))| match lap.of(&target.functions) {
            Some(ns) => Told {
                target: nth,
                point: *point,
                outcome: Outcome::Measured,
                reason: String::new(),
                ns: Some(ns),
            },
            None => Told {
                target: nth,
                point: *point,
                outcome: Outcome::NotRun,
                reason: "it has no times in the profile".to_owned(),
                ns: None,
            },
        });
        told.collect()
    }

    /// Finds out which points of a candidate fail, by compiling and running each alone.
    fn alone(
        &self,
        points: &[usize],
        outcome: Outcome,
        words: &str,
        laps: &mut Laps<'_>,
    ) -> Result<Vec<Told>, CliError> {
        let own: Points = self.targets.iter().map(|target| target.space.own).collect();
        let changed: Vec<usize> =
            (0..points.len()).filter(|nth| points.get(*nth) != own.get(*nth)).collect();
        let refused = |target: usize, outcome: Outcome, reason: &str| {
            let point = points.get(target).copied().unwrap_or_default();
            Told { target, point, outcome, reason: reason.to_owned(), ns: None }
        };
        match changed.as_slice() {
            [] => Err(CliError::No(format!("the model does not run as it is: {words}"))),
            [only] => Ok(vec![refused(*only, outcome, words)]),
            several => {
                let mut told = Vec::new();
                for nth in several {
                    let mut single = own.clone();
                    if let (Some(to), Some(from)) = (single.get_mut(*nth), points.get(*nth)) {
                        *to = *from;
                    }
                    let module = self.builder.candidate("alone", self.targets, &single)?;
                    told.push(match module.map(|module| laps.run(&module)) {
                        Err(words) => refused(*nth, Outcome::NotCompiled, &words),
                        Ok(Err(Fault::Refused(words))) => refused(*nth, Outcome::NotRun, &words),
                        Ok(Err(Fault::Ended(error))) => return Err(error),
                        Ok(Ok(lap)) => {
                            let mut all = self.times(&single, &lap);
                            all.swap_remove(*nth)
                        }
                    });
                }
                Ok(told)
            }
        }
    }

    /// Tells the searches and the store what a round measured: ratios to the own choice in the same round, so that a change
    /// of the machine between rounds does not matter.
    fn take(&mut self, round: u32, told: Vec<Told>) -> Result<(), CliError> {
        let own: Vec<Option<f64>> = self
            .targets
            .iter()
            .enumerate()
            .map(|(nth, target)| {
                let own = told.iter().filter(|it| it.target == nth && it.point == target.space.own);
                let times: Vec<f64> = own.filter_map(|it| it.ns).collect();
                (!times.is_empty()).then(|| crate::statistics::median(&times))
            })
            .collect();
        let mut rows = Vec::new();
        for it in told {
            let (Some(target), Some(search)) =
                (self.targets.get(it.target), self.searches.get_mut(it.target))
            else {
                continue;
            };
            let own_ns = own.get(it.target).copied().flatten();
            let ratio = it.ns.zip(own_ns).map(|(ns, own)| ns / own);
            search.tell(it.point, ratio.filter(|_| it.outcome == Outcome::Measured));
            rows.push(Trial {
                round,
                dispatch: target.name().to_owned(),
                configuration: text_of(target, it.point),
                outcome: it.outcome,
                reason: Some(it.reason).filter(|it| !it.is_empty()),
                time_ns: it.ns,
                own_time_ns: own_ns,
                ..self.store.trial(target)
            });
        }
        self.store.add(rows)?;
        for (search, best) in self.searches.iter().zip(&mut self.best) {
            let ranking = search.ranking();
            let level = ranking.first().map_or(0.0, |(_, seen)| level(&seen.costs));
            if level < best.0 - self.limits.floor {
                *best = (level, round);
            }
        }
        Ok(())
    }

    /// Returns for each target the point with the best mean, if it is beyond the floor; else its own choice.
    fn winners(&self) -> Points {
        let each = self.targets.iter().zip(&self.searches);
        each.map(|(target, search)| {
            let found = search.ranking().into_iter().find(|(_, seen)| seen.costs.len() > 1);
            let gains = found.filter(|(_, seen)| level(&seen.costs) < -self.limits.floor);
            gains.map_or(target.space.own, |(point, _)| point)
        })
        .collect()
    }

    fn print(&self, round: u32, measured: u32, elapsed: Duration) {
        let each = self
            .targets
            .iter()
            .zip(&self.best)
            .map(|(target, (level, _))| format!("{} {}", target.name(), change(level.exp())));
        let left = self.limits.budget.saturating_sub(elapsed).as_secs_f64() * 1e9;
        eprintln!(
            "ireescope: round {round}, {measured} candidates, {} left: {}",
            duration(left),
            each.collect::<Vec<_>>().join("; ")
        );
    }
}

/// Returns the mean of the logarithms of ratios.
fn level(ratios: &[f64]) -> f64 {
    ratios.iter().map(|it| it.ln()).sum::<f64>() / float(ratios.len())
}

/// Returns a point's configuration as text, which is its name in the store.
pub fn text_of(target: &Target, point: usize) -> String {
    let configuration = target.space.configuration(point);
    let parts = [configuration.lowering, configuration.translation, configuration.decomposition];
    parts.into_iter().flatten().map(|it| it.to_string()).collect::<Vec<_>>().join(" ")
}
