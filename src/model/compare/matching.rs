//! Finds which functions of one build are which of another.
//!
//! Functions with equal code match first, then those with equal names. Names contain the ordinal of the dispatch, which
//! changes when the compiler fuses or splits others. What is left is therefore aligned in the order in which it runs, as
//! `diff` aligns lines: the longest common subsequence of names without ordinals, then of operations and shapes. What then
//! stands between the same neighbors on both sides was replaced, as a group.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use super::common::common;
use super::side::Function;
use crate::operation::Name;

/// Why functions match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// Equal content hashes: the code is the same.
    Code,
    Name,
    /// Equal names without ordinals, at the same place of the sequence.
    Order,
    /// The same operation and shape, at the same place of the sequence.
    Operation,
    /// Functions between the same neighbors on both sides.
    Replaced,
    /// Nothing: the functions are on one side only.
    Alone,
}

impl By {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Name => "name",
            Self::Order => "order",
            Self::Operation => "operation",
            Self::Replaced => "replaced",
            Self::Alone => "",
        }
    }
}

/// Functions of both sides that belong together, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub base: Vec<usize>,
    pub new: Vec<usize>,
    pub by: By,
}

/// Matches all functions. Each is in exactly one match.
pub fn matched(base: &[Function], new: &[Function]) -> Vec<Match> {
    let mut pairs = Pairs { of_base: vec![None; base.len()], of_new: vec![None; new.len()] };
    // Several functions may have the same code: those that kept their names, and their shapes, belong together.
    pairs.equal(base, new, By::Code, |function| {
        Some((function.hash.clone()?, function.name.clone(), function.shape()))
    });
    pairs.equal(base, new, By::Code, |function| {
        Some((function.hash.clone()?, function.name.clone()))
    });
    pairs.equal(base, new, By::Code, |function| function.hash.clone());
    pairs.equal(base, new, By::Name, |function| Some((function.name.clone(), function.shape())));
    pairs.equal(base, new, By::Name, |function| Some(function.name.clone()));
    for by in [By::Order, By::Operation] {
        pairs.aligned(base, new, by, |function| keyed(function, by));
    }
    pairs.matches()
}

/// Returns what functions that match for a reason have in common: the content hash, the name without ordinal, or the
/// operation and shape.
pub(super) fn keyed(function: &Function, by: By) -> Option<String> {
    let name = || Name::read(&function.name);
    match by {
        By::Code => function.hash.clone(),
        By::Name => Some(function.name.clone()),
        By::Order => Some(match name() {
            Some(name) => format!("{} {}", name.of, rest(&function.name, name.ordinal)),
            None => function.name.clone(),
        }),
        By::Operation => {
            let name = name()?;
            Some(format!("{} {}", name.kind?, name.shape?))
        }
        By::Replaced | By::Alone => None,
    }
}

/// Returns what stands after the ordinal.
fn rest(name: &str, ordinal: u64) -> String {
    let marks = [format!("dispatch_{ordinal}"), format!("encoding_{ordinal}")];
    let found = marks.iter().find_map(|mark| name.rsplit_once(mark.as_str()));
    found.map_or(name, |(_, rest)| rest).to_owned()
}

/// Pairs functions wherever they stand: by code, then by name, then those of equal names without ordinals in order.
pub(super) fn moved(base: &[Function], new: &[Function]) -> Vec<(usize, usize, By)> {
    let mut pairs = Pairs { of_base: vec![None; base.len()], of_new: vec![None; new.len()] };
    for by in [By::Code, By::Name, By::Order] {
        pairs.equal(base, new, by, |function| keyed(function, by));
    }
    let found = pairs.of_base.iter().enumerate();
    found.filter_map(|(nth, pair)| pair.map(|(partner, by)| (nth, partner, by))).collect()
}

/// The pairs so far: for each function the index of its partner and why.
struct Pairs {
    of_base: Vec<Option<(usize, By)>>,
    of_new: Vec<Option<usize>>,
}

impl Pairs {
    fn pair(&mut self, base: usize, new: usize, by: By) {
        if let (Some(of_base), Some(of_new)) =
            (self.of_base.get_mut(base), self.of_new.get_mut(new))
        {
            *of_base = Some((new, by));
            *of_new = Some(base);
        }
    }

    fn is_left(&self, base: usize) -> bool {
        self.of_base.get(base).is_some_and(Option::is_none)
    }

    fn is_left_of_new(&self, new: usize) -> bool {
        self.of_new.get(new).is_some_and(Option::is_none)
    }

    /// Pairs functions with equal keys, in order.
    fn equal<Key: Eq + Hash>(
        &mut self,
        base: &[Function],
        new: &[Function],
        by: By,
        key: impl Fn(&Function) -> Option<Key>,
    ) {
        let mut waiting: HashMap<Key, Vec<usize>> = HashMap::new();
        for (nth, function) in new.iter().enumerate().rev() {
            if let Some(key) = key(function).filter(|_| self.is_left_of_new(nth)) {
                waiting.entry(key).or_default().push(nth);
            }
        }
        for (nth, function) in base.iter().enumerate() {
            if !self.is_left(nth) {
                continue;
            }
            let partner = key(function).and_then(|key| waiting.get_mut(&key)?.pop());
            if let Some(partner) = partner {
                self.pair(nth, partner, by);
            }
        }
    }

    /// Pairs functions with equal keys between the same neighbors, by a longest common subsequence.
    fn aligned<Key: Eq + Hash>(
        &mut self,
        base: &[Function],
        new: &[Function],
        by: By,
        key: impl Fn(&Function) -> Option<Key>,
    ) {
        for (of_base, of_new) in self.gaps() {
            let keys = |functions: &[Function], range: &Range<usize>| -> Vec<Option<Key>> {
                functions.get(range.clone()).unwrap_or_default().iter().map(&key).collect()
            };
            for (left, right) in common(&keys(base, &of_base), &keys(new, &of_new)) {
                self.pair(of_base.start + left, of_new.start + right, by);
            }
        }
    }

    /// Returns the ranges between neighbors that are paired on both sides in the same order, if nothing within is paired. Of
    /// pairs that cross, the one that comes first in the base is a neighbor: where functions moved, there are fewer gaps.
    fn gaps(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let mut gaps = Vec::new();
        let (mut from, mut new_from) = (0, 0);
        let ends =
            self.of_base.iter().enumerate().filter_map(|(nth, pair)| Some((nth, (*pair)?.0)));
        for (nth, partner) in ends.chain([(self.of_base.len(), self.of_new.len())]) {
            // A pair that crosses an earlier one is no neighbor.
            if partner < new_from {
                continue;
            }
            let is_left = (from..nth).all(|base| self.is_left(base))
                && (new_from..partner).all(|new| self.is_left_of_new(new));
            if nth > from && partner > new_from && is_left {
                gaps.push((from..nth, new_from..partner));
            }
            (from, new_from) = (nth + 1, partner + 1);
        }
        gaps
    }

    /// Returns the pairs, the groups between them, and what is alone.
    fn matches(&self) -> Vec<Match> {
        let pairs = self.of_base.iter().enumerate().filter_map(|(base, pair)| {
            let (new, by) = (*pair)?;
            Some(Match { base: vec![base], new: vec![new], by })
        });
        let mut matches: Vec<Match> = pairs.collect();
        let groups: Vec<Match> = self
            .gaps()
            .into_iter()
            .map(|(base, new)| Match { base: base.collect(), new: new.collect(), by: By::Replaced })
            .collect();
        let is_grouped = |base: &usize| groups.iter().any(|group| group.base.contains(base));
        let is_grouped_new = |new: &usize| groups.iter().any(|group| group.new.contains(new));
        let alone = |base, new| Match { base, new, by: By::Alone };
        let of_base = (0..self.of_base.len()).filter(|nth| self.is_left(*nth) && !is_grouped(nth));
        let of_new =
            (0..self.of_new.len()).filter(|nth| self.is_left_of_new(*nth) && !is_grouped_new(nth));
        matches.extend(of_base.map(|nth| alone(vec![nth], Vec::new())));
        matches.extend(of_new.map(|nth| alone(Vec::new(), vec![nth])));
        matches.extend(groups);
        matches
    }
}
