//! Judges whether the times of two sides differ.

use std::collections::HashMap;

use base::Pattern;

use super::absorbed::matches_of;
use super::control::Control;
use super::drift::Drift;
use super::floor::noise_floor;
use super::kinds::Kinds;
use super::matching::{By, Match, keyed};
use super::pair::{Pair, started};
use super::side::{Function, Side, samples, summary_of};
use super::work::{Inputs, apart, unlike_of};
use crate::statistics::{
    Interval, RUNS, Summary, adjusted, float, ratio_of, ratio_of_few, welch_test,
};

/// Largest share of false discoveries among the functions that are called faster or slower.
const FALSE_DISCOVERIES: f64 = 0.05;

/// What runs differ by at least, if it is not estimated: a thread that wakes up earlier or later. docs/compare.md has what
/// `benches/one-build` measured.
const BETWEEN_RUNS_NS: f64 = 1000.0;

/// More further runs than this are not proposed.
const MOST_RUNS: f64 = 1000.0;

/// How sides are compared.
#[derive(Debug, Clone)]
pub struct Rules {
    pub summary: Summary,
    /// Changes up to this logarithm of a ratio do not matter; `None` for one percent, and for what halves of a side differ
    /// by where sides are called the same.
    pub floor: Option<f64>,
    pub seed: u64,
    /// The names of the control functions; `None` for those with the same code.
    pub control: Option<Pattern>,
    /// Whether times are corrected by the control.
    pub corrects: bool,
    /// The resolution of the recorded times in nanoseconds.
    pub resolution_ns: f64,
    /// What is known of the inputs of both sides.
    pub inputs: Inputs,
    /// Whether what is compared are functions, which tell the kinds of iterations.
    pub are_functions: bool,
}

impl Default for Rules {
    /// The seed is fixed, so that equal input has equal output.
    fn default() -> Self {
        Self {
            summary: Summary::Median,
            floor: None,
            seed: 1,
            control: None,
            corrects: false,
            resolution_ns: 1.0,
            inputs: Inputs::Unknown,
            are_functions: true,
        }
    }
}

/// Runs that are noisier than this cannot show that sides are the same.
const MOST_FLOOR: f64 = 0.05;

/// Iterations of which most functions are called by this factor more often are not the same unit.
const OTHER_UNIT: f64 = 1.5;

/// The least change that is worth a word, unless the user says otherwise, and the floor if there are too few runs to estimate it.
const LEAST: f64 = 0.01;

/// What a comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Slower,
    /// Faster, but there are too few runs on a side to tell how runs differ.
    LikelyFaster,
    LikelySlower,
    Same,
    Ambiguous,
    /// The reason says why.
    NotComparable,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::LikelyFaster => "likely faster",
            Self::LikelySlower => "likely slower",
            Self::Same => "same",
            Self::Ambiguous => "ambiguous",
            Self::NotComparable => "not comparable",
        }
    }
}

/// Fewer runs on a side than tell how its runs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Few {
    /// Number of runs on the side with fewer.
    pub runs: u64,
    /// Whether all runs together tell it, or nothing does.
    pub is_estimated: bool,
}

/// A match with its verdict. Times are means per iteration, in whole nanoseconds, so that differences add up.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The names of its functions, separated by ` + `.
    pub base: String,
    pub new: String,
    pub by: By,
    pub base_ns: i64,
    pub new_ns: i64,
    pub base_calls: f64,
    pub new_calls: f64,
    /// Mean numbers of workgroups of a call on both sides, if they were recorded and it is a single function.
    pub workgroups: [Option<f64>; 2],
    /// Whether the function ran with several shapes, of which this is one.
    pub is_split: bool,
    pub interval: Option<Interval>,
    pub p: f64,
    pub q: f64,
    /// The noise floor, as a ratio: sides are the same if the interval lies within.
    pub floor: f64,
    /// The least change that matters, as a ratio.
    pub least: f64,
    /// The drift from run to run, if there is one.
    pub drift: Option<Drift>,
    pub verdict: Verdict,
    /// Why it is not comparable.
    pub reason: Option<String>,
    /// Number of runs on the side with fewer, if how runs differ is estimated from each side; `None` if there are too few.
    pub runs: Option<u64>,
    /// Set if there are too few.
    pub few: Option<Few>,
    /// Number of further runs on each side that would decide an ambiguous verdict, or without which there is none.
    pub further_runs: Option<u64>,
    /// Whether the floor was estimated from the runs, so that it shrinks with their number.
    pub is_floor_estimated: bool,
    /// Whether the floor is small enough, or was given, for sides within it to be called the same.
    pub(crate) may_be_same: bool,
}

impl Judged {
    /// Returns what it contributes to the difference of the sides.
    pub const fn delta_ns(&self) -> i64 {
        self.new_ns - self.base_ns
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Differences {
    pub total: Judged,
    /// By their contribution to the difference.
    pub functions: Vec<Judged>,
    /// The iterations of each kind, if there are several kinds, and both sides have the same.
    pub kinds: Vec<Judged>,
    /// Number of functions of the base that only the order of dispatches tells from others.
    pub by_order: u64,
    /// The ratio of the control functions: what they differ by is the machine.
    pub control: Option<Interval>,
    /// Whether the times are corrected by it.
    pub is_corrected: bool,
}

impl Differences {
    /// Says that both sides are the same capture.
    pub fn equal(&mut self) {
        let all = self.functions.iter_mut().chain(&mut self.kinds).chain([&mut self.total]);
        for judged in all {
            judged.verdict = Verdict::Same;
            judged.interval = Some(Interval { ratio: 1.0, low: 1.0, high: 1.0 });
            (judged.p, judged.q) = (f64::NAN, f64::NAN);
            (judged.reason, judged.further_runs) = (None, None);
        }
    }

    /// Returns the total, which is marked, and then the functions.
    pub fn all(&self) -> impl Iterator<Item = (bool, &Judged)> {
        let functions = self.functions.iter().map(|it| (false, it));
        std::iter::once((true, &self.total)).chain(functions)
    }
}

/// Compares two sides. Nothing is comparable if there is an objection.
pub fn compare(base: &Side, new: &Side, rules: &Rules, objection: Option<&str>) -> Differences {
    let matches = matches_of(base, new);
    let control = Control::of(&matches, base, new, rules.control.as_ref());
    let corrected = control.as_ref().filter(|_| rules.corrects);
    let corrected = corrected.and_then(|it| it.corrected(base, new, rules.summary));
    let control = control.and_then(|it| {
        Some(
            Estimate::of(&samples(&it.base), &samples(&it.new), rules.summary, rules.seed)?
                .interval,
        )
    });
    let is_corrected = corrected.is_some();
    let (base, new) = corrected.as_ref().map_or((base, new), |(base, new)| (base, new));
    let pairs: Vec<(By, Pair)> =
        matches.iter().map(|it| (it.by, Pair::of(it, base, new))).collect();
    let unlike = unlike_of(&pairs, [base, new], &rules.inputs);
    let apart = apart(&pairs, &rules.inputs);
    let mut functions: Vec<Judged> =
        pairs.into_iter().map(|(by, pair)| pair.judged(by, rules)).collect();
    let kinds = Kinds::of(&matches, base, new).filter(|_| rules.are_functions);
    let other_unit = if kinds.is_none() { other_unit(&functions) } else { None };
    let objection = objection.or(apart.as_deref()).or(other_unit.as_deref());
    decide(&mut functions, objection);
    functions.sort_by_key(|function| std::cmp::Reverse(function.delta_ns().unsigned_abs()));
    let [base_times, new_times] = match &kinds {
        Some(kinds) => kinds.totals(rules.summary),
        None => [base.total.clone(), new.total.clone()],
    };
    let whole = Pair {
        base: "all functions".into(),
        new: "all functions".into(),
        base_times,
        new_times,
        started: started(base, new),
        ..Pair::default()
    };
    let mut total = whole.judged(By::Replaced, rules);
    total.base_ns = functions.iter().map(|function| function.base_ns).sum();
    total.new_ns = functions.iter().map(|function| function.new_ns).sum();
    total.base_calls = functions.iter().map(|function| function.base_calls).sum();
    total.new_calls = functions.iter().map(|function| function.new_calls).sum();
    decide(std::slice::from_mut(&mut total), objection.or(unlike.as_deref()));
    let kinds = kinds.map(|it| it.judged(rules, total.reason.as_deref())).unwrap_or_default();
    let by_order = by_order(&matches, base, new);
    Differences { total, functions, kinds, by_order, control, is_corrected }
}

impl Kinds {
    /// Judges each kind. Nothing is comparable if the whole is not.
    fn judged(&self, rules: &Rules, objection: Option<&str>) -> Vec<Judged> {
        let mut kinds: Vec<Judged> =
            self.pairs().into_iter().map(|pair| pair.judged(By::Replaced, rules)).collect();
        decide(&mut kinds, objection);
        kinds
    }
}

/// Adjusts the p-values of a family for their number, and decides its verdicts. Nothing is comparable if there is an objection.
fn decide(family: &mut [Judged], objection: Option<&str>) {
    let p_values: Vec<f64> = family.iter().map(|judged| judged.p).collect();
    for (judged, q) in family.iter_mut().zip(adjusted(&p_values)) {
        judged.q = q;
        judged.reason = objection.map(str::to_owned).or_else(|| judged.reason.take());
        judged.decide();
    }
}

/// Returns how many functions match others of the same name but for the ordinal, of which there are several, without equal
/// code: their order tells which is which.
fn by_order(matches: &[Match], base: &Side, new: &Side) -> u64 {
    let key = |function: &Function| keyed(function, By::Order);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for key in base.functions.iter().filter(|it| !it.is_split).filter_map(key) {
        *counts.entry(key).or_default() += 1;
    }
    let is_told = |it: &&Match| {
        let [one, other] = [(base, &it.base), (new, &it.new)].map(|(side, all)| match &**all {
            [nth] => side.functions.get(*nth).and_then(key),
            _ => None,
        });
        matches!(it.by, By::Name | By::Order)
            && one.is_some()
            && one == other
            && one.and_then(|key| counts.get(&key).copied()).is_some_and(|count| count > 1)
    };
    matches.iter().filter(is_told).count() as u64
}

/// Returns why an iteration is not the same unit on both sides: at least half of the functions that match by code or name are
/// called more often in one.
fn other_unit(functions: &[Judged]) -> Option<String> {
    let is_alike = |it: &&Judged| matches!(it.by, By::Code | By::Name) && !it.is_split;
    let matched = functions.iter().filter(is_alike);
    let is_other = |it: &&Judged| {
        let ratio = it.new_calls / it.base_calls;
        !(1.0 / OTHER_UNIT..=OTHER_UNIT).contains(&ratio)
    };
    let others: Vec<&Judged> = matched.clone().filter(is_other).collect();
    let first = others.first().filter(|_| others.len() * 2 >= matched.count())?;
    Some(format!(
        "an iteration is not the same on both sides: {} is called {:.1} times instead of {:.1} in one",
        first.new, first.new_calls, first.base_calls
    ))
}

/// How much two sides differ.
struct Estimate {
    interval: Interval,
    p: f64,
    /// Set if there are too few runs to tell from each side how runs differ.
    few: Option<Few>,
}

impl Estimate {
    fn of(base: &[Vec<f64>], new: &[Vec<f64>], summary: Summary, seed: u64) -> Option<Self> {
        if base.len() >= RUNS && new.len() >= RUNS {
            let interval = ratio_of(base, new, summary, seed)?;
            let [base, new] = [base, new].map(|runs| summaries(runs, summary));
            return Some(Self {
                interval,
                p: welch_test(&logarithms(&base), &logarithms(&new)),
                few: None,
            });
        }
        let found = ratio_of_few(base, new, summary, BETWEEN_RUNS_NS)?;
        let runs = base.len().min(new.len()) as u64;
        let few = Some(Few { runs, is_estimated: found.is_estimated });
        Some(Self { interval: found.interval, p: found.p, few })
    }
}

fn logarithms(values: &[f64]) -> Vec<f64> {
    values.iter().map(|it| it.ln()).collect()
}

fn summaries(runs: &[Vec<f64>], summary: Summary) -> Vec<f64> {
    runs.iter().map(|run| summary.of(run)).collect()
}

impl Pair {
    /// Returns why it is not comparable.
    fn reason(&self, by: By, inputs: &Inputs, has_interval: bool) -> Option<String> {
        if by == By::Alone {
            return Some("on one side only".to_owned());
        }
        let sides = [("base", &self.base_times), ("new", &self.new_times)];
        let mut in_some = sides.into_iter().filter_map(|(side, times)| {
            let with = times.iter().filter(|run| !run.is_empty()).count();
            (with < times.len())
                .then(|| format!("it ran in {with} of {} runs of {side}", times.len()))
        });
        self.other_work(by, inputs)
            .or_else(|| in_some.next())
            .or_else(|| (!has_interval).then(|| "too few iterations, or times of zero".to_owned()))
    }

    fn judged(self, by: By, rules: &Rules) -> Judged {
        let runs = [&self.base_times, &self.new_times].map(samples);
        let summary = summary_of(rules.summary, runs.each_ref().map(Vec::as_slice));
        let [base, new] = &runs;
        let estimate = Estimate::of(base, new, summary, rules.seed);
        let few = estimate.as_ref().and_then(|it| it.few);
        let are_runs = estimate.is_some() && few.is_none();
        let interval = estimate.as_ref().map(|it| it.interval);
        let p = estimate.map_or(f64::NAN, |it| it.p);
        let sides = runs.each_ref().map(|runs| summaries(runs, summary));
        let shortest = sides.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let resolution = (rules.resolution_ns / shortest.max(rules.resolution_ns)).ln_1p();
        let estimated = || noise_floor(&sides, rules.seed).filter(|_| are_runs);
        let estimated = if rules.floor.is_none() { estimated() } else { None };
        let least = rules.floor.unwrap_or(LEAST).max(resolution);
        let floor = rules.floor.or(estimated).unwrap_or(LEAST).max(resolution);
        let drift = self.started.as_ref().and_then(|started| {
            let runs = |side: usize| -> Option<Vec<(i64, f64)>> {
                let (started, times) = (started.get(side)?, sides.get(side)?);
                let runs = started.iter().zip(times).map(|(start, ns)| (*start, ns.ln()));
                (started.len() == times.len()).then(|| runs.collect())
            };
            Drift::of(&runs(0)?, &runs(1)?)
        });
        let fewest = runs.iter().map(Vec::len).min().unwrap_or_default() as u64;
        Judged {
            reason: self.reason(by, &rules.inputs, interval.is_some()),
            base: self.base,
            new: self.new,
            by,
            base_ns: whole(self.ns[0]),
            new_ns: whole(self.ns[1]),
            workgroups: self.workgroups,
            is_split: self.is_split,
            base_calls: self.calls[0],
            new_calls: self.calls[1],
            interval,
            p,
            q: p,
            floor: floor.exp(),
            least: least.exp(),
            drift,
            verdict: Verdict::NotComparable,
            runs: are_runs.then_some(fewest),
            few,
            further_runs: None,
            is_floor_estimated: estimated.is_some(),
            may_be_same: rules.floor.is_some() || floor <= MOST_FLOOR.ln_1p(),
        }
    }
}

impl Judged {
    /// Decides the verdict from the interval, the least change, the floor and the adjusted p-value.
    fn decide(&mut self) {
        let Some(interval) = self.interval.filter(|_| self.reason.is_none()) else { return };
        let is_certain = self.q <= FALSE_DISCOVERIES;
        let (faster, slower) = match self.runs {
            Some(_) => (Verdict::Faster, Verdict::Slower),
            None => (Verdict::LikelyFaster, Verdict::LikelySlower),
        };
        let is_within = interval.low >= 1.0 / self.floor && interval.high <= self.floor;
        // A change has to be left without the drift, too.
        let without = self.drift.map_or(interval, |drift| drift.without);
        let is_slower = |it: Interval| it.low > 1.0 && it.ratio > self.least;
        let is_faster = |it: Interval| it.high < 1.0 && it.ratio < 1.0 / self.least;
        self.verdict = if is_slower(interval) && is_slower(without) && is_certain {
            slower
        } else if is_faster(interval) && is_faster(without) && is_certain {
            faster
        } else if is_within && self.runs.is_some() && self.may_be_same {
            Verdict::Same
        } else {
            Verdict::Ambiguous
        };
        if self.verdict == Verdict::Ambiguous {
            // A change that matters has to differ from none, one that does not has to be less than what matters.
            let (least, change) = (self.least.ln(), interval.ratio.ln().abs());
            let half = if change > least { change } else { least - change };
            self.further_runs = match (self.runs, self.few) {
                (None, Some(few)) if !few.is_estimated => {
                    Some((RUNS as u64).saturating_sub(few.runs))
                }
                (runs, few) => {
                    let runs = runs.or(few.map(|few| few.runs));
                    runs.and_then(|runs| further(interval, half, runs))
                }
            };
        }
    }
}

/// Estimates how many further runs make the interval so narrow that its half is a logarithm: its width shrinks with the
/// square root of their number. A side has at least so many as tell how its runs differ. `None` if it takes too many.
pub fn further(interval: Interval, half: f64, runs: u64) -> Option<u64> {
    let shrinks_to = (interval.high / interval.low).ln() / 2.0 / half;
    let runs = usize::try_from(runs).map_or(f64::NAN, float);
    let wanted = (runs * shrinks_to.powi(2)).max(float(RUNS));
    let further = (wanted - runs).ceil().max(1.0);
    (further <= MOST_RUNS).then(|| whole(further).unsigned_abs())
}

#[expect(clippy::cast_possible_truncation, reason = "nanoseconds of a run are far below 2^63")]
fn whole(value: f64) -> i64 {
    value.round() as i64
}
