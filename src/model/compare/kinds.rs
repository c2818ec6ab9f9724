//! Iterations of several kinds, such as the steps of a program that calls two functions: each kind is compared with its own.
//!
//! The median of short and long iterations together says little of either. So the total of a run is that of an iteration of each
//! kind, weighted by how often it occurs on both sides; a longer warm-up or another mixture changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::kind::Kind;
use super::matching::{By, Match};
use super::pair::Pair;
use super::side::Side;
use super::time::Times;
use crate::statistics::{Summary, float};

/// Iterations of more kinds than this vary too much to be told apart.
const MOST: usize = 8;

/// Two kinds that are the same on both sides.
#[derive(Debug)]
struct Both {
    name: String,
    base: Times,
    new: Times,
}

/// The kinds of iterations of two sides.
#[derive(Debug)]
pub(super) struct Kinds(Vec<Both>);

impl Kinds {
    /// Finds the kinds of both sides; `None` if there is only one, or if a side has a kind of its own.
    pub(super) fn of(matches: &[Match], base: &Side, new: &Side) -> Option<Self> {
        let count = base.kinds.len();
        if !(2..=MOST).contains(&count) || new.kinds.len() != count {
            return None;
        }
        let in_base = places(matches, base, |it| &it.base);
        let in_new = places(matches, new, |it| &it.new);
        let of_kind = |kind: &Kind, places: &HashMap<&str, usize>| -> BTreeSet<usize> {
            kind.functions.iter().filter_map(|name| places.get(&**name).copied()).collect()
        };
        let mut known: BTreeMap<BTreeSet<usize>, &Times> =
            new.kinds.iter().map(|kind| (of_kind(kind, &in_new), &kind.times)).collect();
        let both = base.kinds.iter().map(|kind| {
            let new = known.remove(&of_kind(kind, &in_base))?;
            Some(Both { name: name(kind, base), base: kind.times.clone(), new: new.clone() })
        });
        both.collect::<Option<_>>().map(Self)
    }

    /// Returns what is compared for each kind.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        let mean = |times: &Times| {
            let all = || times.iter().flat_map(BTreeMap::values);
            all().sum::<f64>() / float(all().count()).max(1.0)
        };
        let pair = |both: &Both| Pair {
            base: both.name.clone(),
            new: both.name.clone(),
            ns: [mean(&both.base), mean(&both.new)],
            base_times: with_iterations(&both.base),
            new_times: with_iterations(&both.new),
            ..Pair::default()
        };
        self.0.iter().map(pair).collect()
    }

    /// Returns the times of all iterations of both sides as those of an average kind: each divided by the typical one of its
    /// kind in its run, and multiplied by the weighted sum of these.
    pub(super) fn totals(&self, summary: Summary) -> [Times; 2] {
        let sides: [Vec<&Times>; 2] = [
            self.0.iter().map(|both| &both.base).collect(),
            self.0.iter().map(|both| &both.new).collect(),
        ];
        let shares = sides.each_ref().map(|side| shares(side));
        let [base, new] = &shares;
        let weights: Vec<f64> =
            base.iter().zip(new).map(|(one, other)| (one + other) / 2.0).collect();
        sides.map(|side| averaged(&side, &weights, summary))
    }
}

/// Returns the share of each kind in the iterations of a side.
fn shares(side: &[&Times]) -> Vec<f64> {
    let counts: Vec<f64> =
        side.iter().map(|times| float(times.iter().map(BTreeMap::len).sum())).collect();
    let all = counts.iter().sum::<f64>().max(1.0);
    counts.into_iter().map(|count| count / all).collect()
}

/// Returns the times of runs as those of an average kind. A run without iterations of a kind has none.
fn averaged(side: &[&Times], weights: &[f64], summary: Summary) -> Times {
    let runs = side.iter().map(|times| times.len()).max().unwrap_or_default();
    let of_run = |run: usize| {
        let of_kind = |times: &&Times| times.get(run).cloned().unwrap_or_default();
        let kinds: Vec<BTreeMap<Option<u64>, f64>> = side.iter().map(of_kind).collect();
        let typical = |kind: &BTreeMap<Option<u64>, f64>| {
            let times: Vec<f64> = kind.values().copied().collect();
            (!times.is_empty()).then(|| summary.of(&times)).filter(|ns| *ns > 0.0)
        };
        let Some(typical) = kinds.iter().map(typical).collect::<Option<Vec<f64>>>() else {
            return BTreeMap::new();
        };
        let whole: f64 = typical.iter().zip(weights).map(|(ns, weight)| ns * weight).sum();
        let scaled = kinds.iter().zip(typical).flat_map(|(kind, typical)| {
            kind.iter().map(move |(iteration, ns)| (*iteration, ns / typical * whole))
        });
        scaled.collect()
    };
    with_iterations(&(0..runs).map(of_run).collect())
}

/// Leaves out runs without iterations, which say nothing of the kind.
fn with_iterations(times: &Times) -> Times {
    times.iter().filter(|run| !run.is_empty()).cloned().collect()
}

/// Returns the place of the match of each function that is on both sides.
fn places<'a>(
    matches: &[Match],
    side: &'a Side,
    of: fn(&Match) -> &[usize],
) -> HashMap<&'a str, usize> {
    let paired = matches.iter().enumerate().filter(|(_, it)| it.by != By::Alone);
    let each = paired.flat_map(|(place, it)| of(it).iter().map(move |nth| (*nth, place)));
    each.filter_map(|(nth, place)| Some((&*side.functions.get(nth)?.name, place))).collect()
}

/// Names a kind by the first function that only it runs, or else by one that it does not run.
fn name(kind: &Kind, side: &Side) -> String {
    let others = || side.kinds.iter().filter(|other| other.functions != kind.functions);
    let has = |kind: &Kind, name: &str| kind.functions.contains(name);
    let names = || side.functions.iter().map(|function| &*function.name);
    let is_own = |name: &&str| has(kind, name) && !others().any(|other| has(other, name));
    if let Some(own) = names().find(is_own) {
        return format!("Iterations with {own}");
    }
    match names().find(|name| !has(kind, name)) {
        Some(missing) => format!("Iterations without {missing}"),
        None => "Iterations with all functions".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::super::tests::{compared, rows};
    use super::super::{Judged, Measured, Verdict};

    /// Six runs of calls in turn: one of `f00` and `f01`, of 100 µs, and of each `period` one of `f00` and `f02`, of a
    /// millisecond and more by a factor.
    fn in_turn(seed: u64, period: u64, factor: f64) -> Vec<Measured> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut all = rows(&mut random, 6, 0.01, &[0.1, 0.9, 9.9 * factor]);
        all.retain(|row| match row.iteration.unwrap() % period {
            0 => row.function != "f01",
            _ => row.function != "f02",
        });
        all
    }

    #[test]
    fn each_kind_of_iterations_is_compared_with_its_own() {
        let found = compared(&in_turn(1, 2, 1.0), &in_turn(2, 2, 1.2));
        let ratio = found.total.interval.unwrap().ratio;
        // Half of the iterations take 100 µs, and half take 1000 and 1198 µs.
        assert!((ratio - 1298.0 / 1100.0).abs() < 0.02, "{ratio}");
        assert_eq!(found.total.verdict, Verdict::Slower);
        let is_slower = |it: &Judged| (it.new.clone(), it.verdict == Verdict::Slower);
        let kinds: Vec<_> = found.kinds.iter().map(is_slower).collect();
        let wanted =
            [("Iterations with f01".to_owned(), false), ("Iterations with f02".to_owned(), true)];
        assert_eq!(kinds, wanted);
    }

    #[test]
    fn another_mixture_of_kinds_is_no_change() {
        for seed in 0..20 {
            let found = compared(&in_turn(seed, 2, 1.0), &in_turn(seed + 100, 4, 1.0));
            let total = &found.total;
            assert!(
                !matches!(total.verdict, Verdict::Slower | Verdict::Faster),
                "{seed}: {total:?}"
            );
            assert!((total.interval.unwrap().ratio - 1.0).abs() < 0.03, "{seed}: {total:?}");
        }
    }

    #[test]
    fn iterations_of_one_kind_have_none() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let [base, new] = [1.0, 1.1].map(|factor| rows(&mut random, 5, 0.01, &[1.0, factor]));
        assert!(compared(&base, &new).kinds.is_empty());
    }
}
