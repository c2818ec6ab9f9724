//! Judges whether the times of two sides differ.

use std::borrow::Cow;

use super::floor::noise_floor;
use super::matching::{By, Match, matched};
use super::side::{Function, Side};
use crate::statistics::{Interval, RUNS, Summary, adjusted, float, rank_sum_test, ratio_of};

/// Largest share of false discoveries among the functions that are called faster or slower.
const FALSE_DISCOVERIES: f64 = 0.05;

/// Number of blocks into which the iterations of a single run are divided.
const BLOCKS: usize = 8;

/// More further runs than this are not proposed.
const MOST_RUNS: f64 = 1000.0;

/// How sides are compared.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub summary: Summary,
    /// Differences up to this logarithm of a ratio do not matter; `None` estimates it from the base.
    pub floor: Option<f64>,
    pub seed: u64,
}

/// The floor if there are too few runs to estimate it.
const DEFAULT_FLOOR: f64 = 0.01;

/// What a comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Slower,
    /// Faster, but there is only one run on a side, which cannot tell how runs differ.
    LikelyFaster,
    LikelySlower,
    Same,
    Ambiguous,
    /// The functions are on one side only, or have too few iterations.
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
    /// Number of runs on the side with fewer, if the interval is one over runs; `None` if it is over blocks of iterations.
    pub runs: Option<u64>,
    /// Number of further runs on each side that would decide an ambiguous verdict.
    pub further_runs: Option<u64>,
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
    /// The ratio of the functions with the same code: what differs for them is the machine.
    pub control: Option<Interval>,
}

/// Compares two sides.
pub fn compare(base: &Side, new: &Side, rules: Rules) -> Comparison {
    let matches = matched(&base.functions, &new.functions);
    let mut functions: Vec<Judged> =
        matches.iter().map(|it| Pair::of(it, base, new).judged(it.by, rules)).collect();
    let p_values: Vec<f64> = functions.iter().map(|function| function.p).collect();
    for (function, q) in functions.iter_mut().zip(adjusted(&p_values)) {
        function.q = q;
        function.decide();
    }
    functions.sort_by_key(|function| std::cmp::Reverse(function.delta_ns().unsigned_abs()));
    let whole =
        Pair { base: "all functions".into(), new: "all functions".into(), ..Pair::default() };
    let whole = Pair { base_runs: base.total.clone(), new_runs: new.total.clone(), ..whole };
    let mut total = whole.judged(By::Name, rules);
    total.base_ns = functions.iter().map(|function| function.base_ns).sum();
    total.new_ns = functions.iter().map(|function| function.new_ns).sum();
    total.base_calls = functions.iter().map(|function| function.base_calls).sum();
    total.new_calls = functions.iter().map(|function| function.new_calls).sum();
    total.q = total.p;
    total.decide();
    let same_code = matches.iter().filter(|it| it.by == By::Code);
    let control = same_code.map(|it| Pair::of(it, base, new)).reduce(|sum, next| sum.and(&next));
    let control = control.and_then(|it| {
        let (base, new, _) = it.samples();
        ratio_of(&base, &new, rules.summary, rules.seed)
    });
    Comparison { total, functions, control }
}

/// The times of each run.
type Runs<'a> = Cow<'a, [Vec<f64>]>;

/// The times of what is compared.
#[derive(Debug, Clone, Default)]
struct Pair {
    base: String,
    new: String,
    base_runs: Vec<Vec<f64>>,
    new_runs: Vec<Vec<f64>>,
    ns: [f64; 2],
    calls: [f64; 2],
}

impl Pair {
    fn of(matched: &Match, base: &Side, new: &Side) -> Self {
        let of = |side: &Side, indices: &[usize]| {
            let mut all = indices.iter().filter_map(|nth| side.functions.get(*nth));
            let Some(first) = all.next() else { return Function::none() };
            all.fold(first.clone(), Function::and)
        };
        let (base, new) = (of(base, &matched.base), of(new, &matched.new));
        Self {
            ns: [base.ns, new.ns],
            calls: [base.calls, new.calls],
            base: base.name,
            new: new.name,
            base_runs: base.runs,
            new_runs: new.runs,
        }
    }

    fn and(self, other: &Self) -> Self {
        Self {
            base_runs: added(&self.base_runs, &other.base_runs),
            new_runs: added(&self.new_runs, &other.new_runs),
            ..self
        }
    }

    /// Returns what is resampled on both sides, and whether it is runs: if there are too few, blocks of iterations take
    /// their place.
    fn samples(&self) -> (Runs<'_>, Runs<'_>, bool) {
        let (base, new) = (&*self.base_runs, &*self.new_runs);
        if base.len() >= RUNS && new.len() >= RUNS {
            return (Cow::Borrowed(base), Cow::Borrowed(new), true);
        }
        (Cow::Owned(blocks(base)), Cow::Owned(blocks(new)), false)
    }

    fn judged(self, by: By, rules: Rules) -> Judged {
        let (base, new, is_of_runs) = self.samples();
        let interval = ratio_of(&base, &new, rules.summary, rules.seed);
        let is_of_runs = is_of_runs && interval.is_some();
        let summaries = |runs: &[Vec<f64>]| -> Vec<f64> {
            runs.iter().map(|run| rules.summary.of(run)).collect()
        };
        let (base, new) = (summaries(&base), summaries(&new));
        let estimated = || noise_floor(&base, rules.seed).filter(|_| is_of_runs);
        let floor = rules.floor.or_else(estimated).unwrap_or(DEFAULT_FLOOR);
        let p = if interval.is_some() { rank_sum_test(&base, &new) } else { f64::NAN };
        Judged {
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
            runs: is_of_runs.then(|| base.len().min(new.len()) as u64),
            further_runs: None,
        }
    }
}

impl Judged {
    /// Decides the verdict from the interval, the floor and the adjusted p-value.
    fn decide(&mut self) {
        let Some(interval) = self.interval else { return };
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
        } else if is_within && self.runs.is_some() {
            Verdict::Same
        } else {
            Verdict::Ambiguous
        };
        if self.verdict == Verdict::Ambiguous {
            self.further_runs = self.runs.and_then(|runs| further(interval, self.floor.ln(), runs));
        }
    }
}

/// Estimates how many further runs make the interval so narrow that it lies within the floor or beyond it: its width
/// shrinks with the square root of their number. `None` if it takes too many.
fn further(interval: Interval, floor: f64, runs: u64) -> Option<u64> {
    let half = (interval.high / interval.low).ln() / 2.0;
    let distance = (interval.ratio.ln().abs() - floor).abs();
    let runs = float(usize::try_from(runs).ok()?);
    let wanted = runs * (half / distance).powi(2);
    let further = (wanted - runs).ceil().max(1.0);
    (further <= MOST_RUNS).then(|| whole(further).unsigned_abs())
}

impl Function {
    fn none() -> Self {
        Self { name: String::new(), hash: None, runs: Vec::new(), calls: 0.0, ns: 0.0 }
    }

    /// Adds up two functions of one side.
    fn and(self, other: &Self) -> Self {
        Self {
            name: format!("{} + {}", self.name, other.name),
            hash: None,
            runs: added(&self.runs, &other.runs),
            calls: self.calls + other.calls,
            ns: self.ns + other.ns,
        }
    }
}

/// Adds the times of iterations.
fn added(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let run = |(one, other): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
        one.iter().zip(other).map(|(one, other)| one + other).collect()
    };
    one.iter().zip(other).map(run).collect()
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
