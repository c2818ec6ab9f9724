//! Judges whether the times of two sides differ.

use super::absorbed::absorbed;
use super::control::Control;
use super::floor::noise_floor;
use super::matching::{By, Match, matched};
use super::side::{Function, Side, Times, added, are_other_shapes, samples, summary_of};
use crate::fold::Pattern;
use crate::statistics::{Interval, RUNS, Summary, adjusted, float, rank_sum_test, ratio_of};

/// Largest share of false discoveries among the functions that are called faster or slower.
const FALSE_DISCOVERIES: f64 = 0.05;

/// Number of blocks into which the iterations of a single run are divided.
const BLOCKS: usize = 8;

/// More further runs than this are not proposed.
const MOST_RUNS: f64 = 1000.0;

/// How sides are compared.
#[derive(Debug, Clone)]
pub struct Rules {
    pub summary: Summary,
    /// Differences up to this logarithm of a ratio do not matter; `None` estimates it from the base.
    pub floor: Option<f64>,
    pub seed: u64,
    /// The names of the control functions; `None` for those with the same code.
    pub control: Option<Pattern>,
    /// Whether times are corrected by the control.
    pub corrects: bool,
    /// The resolution of the recorded times in nanoseconds.
    pub resolution_ns: f64,
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
        }
    }
}

/// Runs that are noisier than this cannot show that sides are the same.
const MOST_FLOOR: f64 = 0.05;

/// Iterations of which most functions are called by this factor more often are not the same unit.
const OTHER_UNIT: f64 = 1.5;

/// The floor if there are too few runs to estimate it.
const DEFAULT_FLOOR: f64 = 0.01;

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
    pub interval: Option<Interval>,
    pub p: f64,
    pub q: f64,
    /// The noise floor, as a ratio.
    pub floor: f64,
    pub verdict: Verdict,
    /// Why it is not comparable.
    pub reason: Option<String>,
    /// Number of runs on the side with fewer, if the interval is one over runs; `None` if it is over blocks of iterations.
    pub runs: Option<u64>,
    /// Number of further runs on each side that would decide an ambiguous verdict.
    pub further_runs: Option<u64>,
    /// Whether the floor was estimated from the runs, so that it shrinks with their number.
    pub is_floor_estimated: bool,
    /// Whether the floor is small enough, or was given, for sides within it to be called the same.
    pub may_be_same: bool,
}

impl Judged {
    /// Returns what it contributes to the difference of the sides.
    pub const fn delta_ns(&self) -> i64 {
        self.new_ns - self.base_ns
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub total: Judged,
    /// By their contribution to the difference.
    pub functions: Vec<Judged>,
    /// The ratio of the control functions: what they differ by is the machine.
    pub control: Option<Interval>,
    /// Whether the times are corrected by it.
    pub is_corrected: bool,
}

impl Comparison {
    /// Returns the total, which is marked, and then the functions.
    pub fn all(&self) -> impl Iterator<Item = (bool, &Judged)> {
        let functions = self.functions.iter().map(|it| (false, it));
        std::iter::once((true, &self.total)).chain(functions)
    }
}

/// Compares two sides. Nothing is comparable if there is an objection.
pub fn compare(base: &Side, new: &Side, rules: &Rules, objection: Option<&str>) -> Comparison {
    let matches = matched(&base.functions, &new.functions);
    let matches = absorbed(matches, &base.functions, &new.functions);
    let control = Control::of(&matches, base, new, rules.control.as_ref());
    let corrected = control.as_ref().filter(|_| rules.corrects);
    let corrected = corrected.and_then(|it| it.corrected(base, new, rules.summary));
    let control = control.and_then(|it| {
        let runs = resampled(samples(&it.base), samples(&it.new));
        ratio_of(&runs.base, &runs.new, rules.summary, rules.seed)
    });
    let is_corrected = corrected.is_some();
    let (base, new) = corrected.as_ref().map_or((base, new), |(base, new)| (base, new));
    let pairs: Vec<(By, Pair)> =
        matches.iter().map(|it| (it.by, Pair::of(it, base, new))).collect();
    let other_shapes = pairs.iter().find_map(|(by, pair)| {
        pair.other_shapes(*by).map(|shapes| format!("{}: {shapes}", pair.new))
    });
    let mut functions: Vec<Judged> =
        pairs.into_iter().map(|(by, pair)| pair.judged(by, rules)).collect();
    let other_unit = other_unit(&functions);
    let objection = objection.or(other_unit.as_deref());
    let p_values: Vec<f64> = functions.iter().map(|function| function.p).collect();
    let fewest = fewest_runs(p_values.iter().filter(|p| !p.is_nan()).count());
    for (function, q) in functions.iter_mut().zip(adjusted(&p_values)) {
        function.q = q;
        function.reason = objection.map(str::to_owned).or_else(|| function.reason.take());
        function.decide(fewest);
    }
    functions.sort_by_key(|function| std::cmp::Reverse(function.delta_ns().unsigned_abs()));
    let whole = Pair {
        base: "all functions".into(),
        new: "all functions".into(),
        base_times: base.total.clone(),
        new_times: new.total.clone(),
        ..Pair::default()
    };
    let mut total = whole.judged(By::Name, rules);
    total.base_ns = functions.iter().map(|function| function.base_ns).sum();
    total.new_ns = functions.iter().map(|function| function.new_ns).sum();
    total.base_calls = functions.iter().map(|function| function.base_calls).sum();
    total.new_calls = functions.iter().map(|function| function.new_calls).sum();
    total.q = total.p;
    total.reason = objection.map(str::to_owned).or(other_shapes).or(total.reason);
    total.decide(fewest_runs(1));
    Comparison { total, functions, control, is_corrected }
}

/// Returns why an iteration is not the same unit on both sides: at least half of the functions that match by code or name are
/// called more often in one.
fn other_unit(functions: &[Judged]) -> Option<String> {
    let matched = functions.iter().filter(|it| matches!(it.by, By::Code | By::Name));
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

/// What is compared, before it is judged.
#[derive(Debug, Clone, Default)]
struct Pair {
    base: String,
    new: String,
    base_times: Times,
    new_times: Times,
    ns: [f64; 2],
    calls: [f64; 2],
    /// Mean numbers of workgroups of a call.
    workgroups: [Option<f64>; 2],
}

/// What is resampled on both sides.
struct Resampled {
    base: Vec<Vec<f64>>,
    new: Vec<Vec<f64>>,
    /// Whether these are runs. If there are too few, blocks of iterations take their place.
    are_runs: bool,
}

fn resampled(base: Vec<Vec<f64>>, new: Vec<Vec<f64>>) -> Resampled {
    let are_runs = base.len() >= RUNS && new.len() >= RUNS;
    if are_runs {
        return Resampled { base, new, are_runs };
    }
    Resampled { base: blocks(&base), new: blocks(&new), are_runs }
}

impl Pair {
    fn of(matched: &Match, base: &Side, new: &Side) -> Self {
        let of = |side: &Side, indices: &[usize]| {
            let mut all = indices.iter().filter_map(|nth| side.functions.get(*nth));
            let Some(first) = all.next() else { return Function::default() };
            all.fold(first.clone(), Function::and)
        };
        let (base, new) = (of(base, &matched.base), of(new, &matched.new));
        Self {
            ns: [base.ns, new.ns],
            calls: [base.calls, new.calls],
            workgroups: [base.workgroups, new.workgroups],
            base: base.name,
            new: new.name,
            base_times: base.times,
            new_times: new.times,
        }
    }

    /// Returns why it is not comparable.
    fn reason(&self, by: By, has_interval: bool) -> Option<String> {
        if by == By::Alone {
            return Some("on one side only".to_owned());
        }
        let sides = [("base", &self.base_times), ("new", &self.new_times)];
        let mut in_some = sides.into_iter().filter_map(|(side, times)| {
            let with = times.iter().filter(|run| !run.is_empty()).count();
            (with < times.len())
                .then(|| format!("it ran in {with} of {} runs of {side}", times.len()))
        });
        self.other_shapes(by)
            .or_else(|| in_some.next())
            .or_else(|| (!has_interval).then(|| "too few iterations, or times of zero".to_owned()))
    }

    /// Returns how the same code divides its work otherwise, if it does.
    fn other_shapes(&self, by: By) -> Option<String> {
        let (base, new) = (self.workgroups[0]?, self.workgroups[1]?);
        (by == By::Code && are_other_shapes(Some(base), Some(new)))
            .then(|| format!("other shapes: {new} workgroups a call instead of {base}"))
    }

    fn judged(self, by: By, rules: &Rules) -> Judged {
        let runs = resampled(samples(&self.base_times), samples(&self.new_times));
        let summary = summary_of(rules.summary, [&runs.base, &runs.new]);
        let interval = ratio_of(&runs.base, &runs.new, summary, rules.seed);
        let are_runs = runs.are_runs && interval.is_some();
        let summaries =
            |runs: &[Vec<f64>]| -> Vec<f64> { runs.iter().map(|run| summary.of(run)).collect() };
        let (base, new) = (summaries(&runs.base), summaries(&runs.new));
        let estimated = || noise_floor(&base, rules.seed).filter(|_| are_runs);
        let shortest = base.iter().copied().fold(f64::INFINITY, f64::min);
        let resolution = (rules.resolution_ns / shortest.max(rules.resolution_ns)).ln_1p();
        let estimated = estimated().filter(|_| rules.floor.is_none());
        let floor = rules.floor.or(estimated).unwrap_or(DEFAULT_FLOOR).max(resolution);
        let p = if interval.is_some() { rank_sum_test(&base, &new) } else { f64::NAN };
        Judged {
            reason: self.reason(by, interval.is_some()),
            base: self.base,
            new: self.new,
            by,
            base_ns: whole(self.ns[0]),
            new_ns: whole(self.ns[1]),
            base_calls: self.calls[0],
            new_calls: self.calls[1],
            interval,
            p,
            q: p,
            floor: floor.exp(),
            verdict: Verdict::NotComparable,
            runs: are_runs.then(|| base.len().min(new.len()) as u64),
            further_runs: None,
            is_floor_estimated: estimated.is_some(),
            may_be_same: rules.floor.is_some() || floor <= MOST_FLOOR.ln_1p(),
        }
    }
}

impl Judged {
    /// Decides the verdict from the interval, the floor and the adjusted p-value. That takes `fewest` runs a side to be small
    /// enough.
    fn decide(&mut self, fewest: u64) {
        let Some(interval) = self.interval.filter(|_| self.reason.is_none()) else { return };
        let is_certain = self.q <= FALSE_DISCOVERIES;
        let (faster, slower) = match self.runs {
            Some(_) => (Verdict::Faster, Verdict::Slower),
            None => (Verdict::LikelyFaster, Verdict::LikelySlower),
        };
        let is_within = interval.low >= 1.0 / self.floor && interval.high <= self.floor;
        self.verdict = if interval.low > self.floor && is_certain {
            slower
        } else if interval.high < 1.0 / self.floor && is_certain {
            faster
        } else if is_within && self.runs.is_some() && self.may_be_same {
            Verdict::Same
        } else {
            Verdict::Ambiguous
        };
        if self.verdict == Verdict::Ambiguous {
            let floor = (self.floor.ln(), self.is_floor_estimated);
            self.further_runs = self.runs.and_then(|runs| further(interval, floor, runs, fewest));
        }
    }
}

/// Returns how many runs each side needs so that one function of so many can be called faster or slower: the smallest p-value
/// of k and k runs is 2 / C(2k, k), which is multiplied by the number of functions.
pub fn fewest_runs(functions: usize) -> u64 {
    let (mut runs, mut orders) = (1_u64, 2.0);
    while 2.0 / orders * float(functions) > FALSE_DISCOVERIES {
        runs += 1;
        let next = float(usize::try_from(runs).unwrap_or(usize::MAX));
        orders *= 2.0 * (2.0 * next - 1.0) / next;
    }
    runs.max(RUNS as u64)
}

/// Estimates how many further runs make the interval so narrow that it lies within the floor or beyond it: its width
/// shrinks with the square root of their number, and that of an estimated floor as well, so that it then has to lie beyond.
/// There have to be `fewest` runs in any case. `None` if it takes too many.
pub fn further(
    interval: Interval,
    (floor, is_estimated): (f64, bool),
    runs: u64,
    fewest: u64,
) -> Option<u64> {
    let half = (interval.high / interval.low).ln() / 2.0;
    let change = interval.ratio.ln().abs();
    let shrinks_to =
        if is_estimated { (half + floor) / change } else { half / (change - floor).abs() };
    let [runs, fewest] = [runs, fewest].map(|it| usize::try_from(it).map_or(f64::NAN, float));
    let wanted = (runs * shrinks_to.powi(2)).max(fewest);
    let further = (wanted - runs).ceil().max(1.0);
    (further <= MOST_RUNS).then(|| whole(further).unsigned_abs())
}

impl Function {
    /// Adds up two functions of one side.
    fn and(self, other: &Self) -> Self {
        Self {
            name: format!("{} + {}", self.name, other.name),
            hash: None,
            times: added(&self.times, &other.times),
            calls: self.calls + other.calls,
            ns: self.ns + other.ns,
            workgroups: None,
            operands: None,
        }
    }
}

/// Divides the iterations of all runs into blocks of neighbors, which take the place of runs.
fn blocks(runs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all: Vec<f64> = runs.iter().flatten().copied().collect();
    let size = all.len().div_ceil(BLOCKS).max(1);
    all.chunks(size).map(<[f64]>::to_vec).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "nanoseconds of a run are far below 2^63")]
fn whole(value: f64) -> i64 {
    value.round() as i64
}
