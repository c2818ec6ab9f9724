//! Matches functions by the order of the dispatches of a call.
//!
//! Repeated layers are told apart by where they stand, not by the numbers in their names: these change when a dispatch is added
//! in front. The sequences of both sides are aligned as `diff` aligns lines, with a longest common subsequence: first by content
//! hash, then what is left between these by name without ordinal, and then by operation and shape.
//!
//! Functions that stand against each other at most of their places match: one to one, or as a group where a compiler merged
//! equal layers. What is left on both sides between two matches was replaced.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::closest::{closest, exchange};
use super::common::common;
use super::matching::{By, Match, keyed, moved};
use super::side::{Function, Side};

/// Two places of the sequences that stand against each other.
#[derive(Debug, Clone, Copy)]
struct Place {
    base: usize,
    new: usize,
    by: By,
}

/// Matches the functions of two sides whose sequences are known. Each is in exactly one match.
pub(super) fn aligned(base: &Side, new: &Side) -> Vec<Match> {
    let sequences = [whole(base), whole(new)];
    let places = places(&sequences, [&base.functions, &new.functions]);
    let mut groups = Groups::new(base.functions.len(), new.functions.len());
    let mut kept = votes(&places, &sequences);
    exchange_alike(&mut kept, base, new);
    for ((one, other), _) in &kept {
        groups.join(*one, *other);
    }
    // Those that moved are in no alignment: they are known by their code and their names.
    let (of_base, of_new) = (groups.left(&sequences[0], true), groups.left(&sequences[1], false));
    let [left_base, left_new] = [(&of_base, base), (&of_new, new)].map(|(left, side)| {
        left.iter().filter_map(|nth| side.functions.get(*nth).cloned()).collect::<Vec<_>>()
    });
    let mut reasons: BTreeMap<(usize, usize), By> = kept.into_iter().collect();
    for it in moved(&left_base, &left_new) {
        let pair = (of_base.get(it.0).copied(), of_new.get(it.1).copied());
        if let (Some(one), Some(other)) = pair {
            groups.join(one, other);
            reasons.insert((one, other), it.2);
        }
    }
    // A function may be replaced at several places.
    let left_base: BTreeSet<usize> = groups.left(&sequences[0], true).into_iter().collect();
    let left_new: BTreeSet<usize> = groups.left(&sequences[1], false).into_iter().collect();
    for (of_base, of_new) in gaps(&places, [sequences[0].len(), sequences[1].len()]) {
        let one = left_of(&sequences[0], of_base, &left_base);
        let other = left_of(&sequences[1], of_new, &left_new);
        if let (Some(first), Some(second)) = (one.first(), other.first()) {
            for nth in &other {
                groups.join(*first, *nth);
            }
            for nth in &one {
                groups.join(*nth, *second);
            }
        }
    }
    groups.matches(base, new, &reasons)
}

/// Returns the functions of a part of a sequence that are left.
fn left_of(sequence: &[usize], part: Range<usize>, left: &BTreeSet<usize>) -> Vec<usize> {
    let all = sequence.get(part).unwrap_or_default();
    all.iter().copied().filter(|nth| left.contains(nth)).collect()
}

/// Returns the sequence of a side, with functions that do not occur in it at the end.
fn whole(side: &Side) -> Vec<usize> {
    let known: BTreeSet<usize> = side.sequence.iter().copied().collect();
    let mut names = BTreeSet::new();
    let firsts = side.functions.iter().enumerate().filter(|(_, it)| names.insert(&it.name));
    let others = firsts.map(|(nth, _)| nth).filter(|nth| !known.contains(nth));
    side.sequence.iter().copied().chain(others).collect()
}

/// Aligns two sequences of functions.
fn places(sequences: &[Vec<usize>; 2], functions: [&[Function]; 2]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for by in [By::Code, By::Order, By::Operation] {
        let keys: [Vec<Option<String>>; 2] = [0, 1].map(|side| {
            let of_side = functions.get(side).copied().unwrap_or_default();
            let sequence = sequences.get(side).map(Vec::as_slice).unwrap_or_default();
            sequence.iter().map(|nth| keyed(of_side.get(*nth)?, by)).collect()
        });
        let mut found = Vec::new();
        for (of_base, of_new) in gaps(&places, [keys[0].len(), keys[1].len()]) {
            let (base, new) = (keys[0].get(of_base.clone()), keys[1].get(of_new.clone()));
            let (base, new) = (base.unwrap_or_default(), new.unwrap_or_default());
            let of = |side: usize, nth: usize| {
                let function = sequences.get(side)?.get(nth)?;
                functions.get(side)?.get(*function)
            };
            let cost = |one: usize, other: usize| {
                distance(of(0, of_base.start + one), of(1, of_new.start + other))
            };
            let pairs = closest(base, new, cost).unwrap_or_else(|| common(base, new));
            for (one, other) in pairs {
                found.push(Place { base: of_base.start + one, new: of_new.start + other, by });
            }
        }
        places.extend(found);
        places.sort_unstable_by_key(|place| place.base);
    }
    places
}

/// Returns how far the times of a call of two functions are apart: the logarithm of their ratio.
fn distance(one: Option<&Function>, other: Option<&Function>) -> f64 {
    let time = |function: Option<&Function>| function.map_or(f64::NAN, |it| it.ns / it.calls);
    let distance = (time(one) / time(other)).ln().abs();
    if distance.is_finite() { distance } else { 0.0 }
}

/// Exchanges the partners of functions that only their order tells apart, where that leaves less that has changed.
fn exchange_alike(kept: &mut [((usize, usize), By)], base: &Side, new: &Side) {
    let mut counts: [HashMap<usize, usize>; 2] = Default::default();
    for ((one, other), _) in kept.iter() {
        *counts[0].entry(*one).or_default() += 1;
        *counts[1].entry(*other).or_default() += 1;
    }
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, ((one, other), by)) in kept.iter().enumerate() {
        let is_single = counts[0].get(one) == Some(&1) && counts[1].get(other) == Some(&1);
        let [one, other] = [base.functions.get(*one), new.functions.get(*other)];
        let keys = [one, other].map(|function| function.and_then(|it| keyed(it, By::Order)));
        if let [Some(key), Some(other)] = keys
            && is_single
            && *by == By::Order
            && key == other
        {
            alike.entry(key).or_default().push(place);
        }
    }
    for places in alike.into_values() {
        let mut pairs: Vec<(usize, usize)> =
            places.iter().filter_map(|place| Some(kept.get(*place)?.0)).collect();
        exchange(&mut pairs, |one, other| {
            distance(base.functions.get(one), new.functions.get(other))
        });
        for (place, pair) in places.into_iter().zip(pairs) {
            if let Some(kept) = kept.get_mut(place) {
                kept.0 = pair;
            }
        }
    }
}

/// Returns the ranges between places that stand against each other, which is at least on one side not empty.
fn gaps(places: &[Place], [base, new]: [usize; 2]) -> Vec<(Range<usize>, Range<usize>)> {
    let ends = places.iter().map(|place| (place.base, place.new)).chain([(base, new)]);
    let mut from = (0, 0);
    let gap = |(base, new): (usize, usize)| {
        let gap = (from.0..base, from.1..new);
        from = (base + 1, new + 1);
        gap
    };
    ends.map(gap).filter(|(base, new)| !base.is_empty() || !new.is_empty()).collect()
}

/// Returns the functions that stand against each other at most places of one of them, and why at most of these.
fn votes(places: &[Place], sequences: &[Vec<usize>; 2]) -> Vec<((usize, usize), By)> {
    let count = |sequence: &[usize]| -> HashMap<usize, usize> {
        let mut counts = HashMap::new();
        for nth in sequence {
            *counts.entry(*nth).or_default() += 1;
        }
        counts
    };
    let counts = sequences.each_ref().map(|it| count(it));
    let mut found: BTreeMap<(usize, usize), BTreeMap<By, usize>> = BTreeMap::new();
    for place in places {
        let pair = (sequences[0].get(place.base), sequences[1].get(place.new));
        if let (Some(one), Some(other)) = pair {
            *found.entry((*one, *other)).or_default().entry(place.by).or_default() += 1;
        }
    }
    let kept = found.into_iter().filter_map(|((one, other), by)| {
        let all: usize = by.values().sum();
        let of = [counts[0].get(&one), counts[1].get(&other)];
        let is_most = of.into_iter().flatten().any(|count| 2 * all >= *count);
        let most = by.into_iter().max_by_key(|(_, count)| *count)?;
        is_most.then_some(((one, other), most.0))
    });
    kept.collect()
}

/// Which functions belong together: each points to another of its group, or to itself (a union-find). Those of the new side
/// follow those of the base.
struct Groups {
    parents: Vec<usize>,
    /// The number of functions of the group of each that points to itself.
    sizes: Vec<usize>,
    base: usize,
}

impl Groups {
    fn new(base: usize, new: usize) -> Self {
        Self { parents: (0..base + new).collect(), sizes: vec![1; base + new], base }
    }

    fn root(&self, mut nth: usize) -> usize {
        while let Some(parent) = self.parents.get(nth).copied().filter(|parent| *parent != nth) {
            nth = parent;
        }
        nth
    }

    /// Puts the groups of a function of the base and one of the new side together.
    fn join(&mut self, base: usize, new: usize) {
        let (one, other) = (self.root(base), self.root(self.base + new));
        if one == other {
            return;
        }
        let size = |nth: usize| self.sizes.get(nth).copied().unwrap_or_default();
        let all = size(one) + size(other);
        // The smaller group follows the larger one, so that ways to the roots stay short.
        let (root, child) = if size(one) < size(other) { (other, one) } else { (one, other) };
        if let (Some(parent), Some(size)) = (self.parents.get_mut(child), self.sizes.get_mut(root))
        {
            (*parent, *size) = (root, all);
        }
    }

    fn is_alone(&self, nth: usize, is_base: bool) -> bool {
        let nth = if is_base { nth } else { self.base + nth };
        self.sizes.get(self.root(nth)) == Some(&1)
    }

    /// Returns the functions of a sequence that are alone, in its order.
    fn left(&self, sequence: &[usize], is_base: bool) -> Vec<usize> {
        let mut known = BTreeSet::new();
        let firsts = sequence.iter().copied().filter(|nth| known.insert(*nth));
        firsts.filter(|nth| self.is_alone(*nth, is_base)).collect()
    }

    /// Returns the groups as matches. Functions of one name with several shapes are paired by shape.
    fn matches(
        &self,
        base: &Side,
        new: &Side,
        reasons: &BTreeMap<(usize, usize), By>,
    ) -> Vec<Match> {
        let named = [by_name(base), by_name(new)];
        let mut groups: BTreeMap<usize, [Vec<usize>; 2]> = BTreeMap::new();
        for ((place, names), start) in named.iter().enumerate().zip([0, self.base]) {
            for nth in names.values().filter_map(|all| all.first()) {
                let group = groups.entry(self.root(start + nth)).or_default();
                if let Some(side) = group.get_mut(place) {
                    side.push(*nth);
                }
            }
        }
        let mut matches = Vec::new();
        for [mut of_base, mut of_new] in groups.into_values() {
            of_base.sort_unstable();
            of_new.sort_unstable();
            let shapes = of_names(&of_base, base, &named[0]);
            let others = of_names(&of_new, new, &named[1]);
            match (of_base.as_slice(), of_new.as_slice()) {
                ([one], [other]) => {
                    let by = reasons.get(&(*one, *other)).copied().unwrap_or(By::Replaced);
                    let is_named = base.functions.get(*one).map(|it| &it.name)
                        == new.functions.get(*other).map(|it| &it.name);
                    let by = if is_named && by == By::Order { By::Name } else { by };
                    matches.extend(by_shape((&shapes, base), (&others, new), by));
                }
                (_, []) | ([], _) => {
                    matches.extend(shapes.into_iter().map(|nth| alone(vec![nth], Vec::new())));
                    matches.extend(others.into_iter().map(|nth| alone(Vec::new(), vec![nth])));
                }
                _ => matches.push(Match { base: shapes, new: others, by: By::Replaced }),
            }
        }
        matches
    }
}

const fn alone(base: Vec<usize>, new: Vec<usize>) -> Match {
    Match { base, new, by: By::Alone }
}

/// Returns the functions of each name: one, or one for each of its shapes.
fn by_name(side: &Side) -> BTreeMap<&str, Vec<usize>> {
    let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (nth, function) in side.functions.iter().enumerate() {
        names.entry(&function.name).or_default().push(nth);
    }
    names
}

/// Returns all functions with the names of some.
fn of_names(some: &[usize], side: &Side, names: &BTreeMap<&str, Vec<usize>>) -> Vec<usize> {
    let all = some.iter().filter_map(|nth| names.get(&*side.functions.get(*nth)?.name));
    all.flatten().copied().collect()
}

/// Pairs functions of one name with equal shapes, then the others in order.
fn by_shape((base, one): (&[usize], &Side), (new, other): (&[usize], &Side), by: By) -> Vec<Match> {
    let shape = |side: &Side, nth: usize| side.functions.get(nth).and_then(Function::shape);
    let mut left: Vec<usize> = new.to_vec();
    let mut matches = Vec::new();
    let mut rest = Vec::new();
    for nth in base {
        let equal = left.iter().position(|it| shape(other, *it) == shape(one, *nth));
        match equal {
            Some(place) => {
                matches.push(Match { base: vec![*nth], new: vec![left.remove(place)], by });
            }
            None => rest.push(*nth),
        }
    }
    let mut left = left.into_iter();
    for nth in rest {
        match left.next() {
            Some(partner) => matches.push(Match { base: vec![nth], new: vec![partner], by }),
            None => matches.push(alone(vec![nth], Vec::new())),
        }
    }
    matches.extend(left.map(|nth| alone(Vec::new(), vec![nth])));
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side whose call runs these functions in order, without hashes unless a name has one behind `#`.
    fn side(names: &[&str]) -> Side {
        let mut side = Side::default();
        for name in names {
            let (name, hash) =
                name.split_once('#').map_or((*name, None), |(name, hash)| (name, Some(hash)));
            let known = side.functions.iter().position(|it| it.name == name);
            side.sequence.push(known.unwrap_or_else(|| {
                let hash = hash.map(str::to_owned);
                side.functions.push(Function {
                    name: name.to_owned(),
                    hash,
                    ..Function::default()
                });
                side.functions.len() - 1
            }));
        }
        side
    }

    /// Returns the matches by name, without those of equal names.
    fn matched(base: &[&str], new: &[&str]) -> Vec<(By, String, String)> {
        let (base, new) = (side(base), side(new));
        let names = |side: &Side, all: &[usize]| -> String {
            let names: Vec<String> = all
                .iter()
                .map(|nth| side.functions[*nth].name.replace("main_dispatch_", ""))
                .collect();
            names.join(" + ")
        };
        let matches = aligned(&base, &new).into_iter();
        let mut found: Vec<_> =
            matches.map(|it| (it.by, names(&base, &it.base), names(&new, &it.new))).collect();
        found.sort_by(|one, other| (&one.1, &one.2).cmp(&(&other.1, &other.2)));
        found
    }

    fn layers(first: usize, count: usize, softmax: usize) -> Vec<String> {
        let layer = |nth: usize| {
            let ordinal = first + 2 * nth;
            [
                format!("main_dispatch_{ordinal}_matmul_like_32x128x128_f32"),
                format!("main_dispatch_{softmax}_softmax_32x128xf32"),
            ]
        };
        (0..count).flat_map(layer).collect()
    }

    fn texts(all: &[String]) -> Vec<&str> {
        all.iter().map(String::as_str).collect()
    }

    fn both(by: By, base: &str, new: &str) -> (By, String, String) {
        (by, base.to_owned(), new.to_owned())
    }

    #[test]
    fn one_dispatch_in_front_moves_no_layer() {
        // Layers that differ have functions of their own, and share the softmax.
        let base = layers(0, 12, 1);
        let mut new = layers(1, 12, 0);
        new.insert(0, "main_dispatch_0_softmax_32x128xf32".to_owned());
        let found = matched(&texts(&base), &texts(&new));
        assert_eq!(found.len(), 13);
        for nth in 0..12 {
            let [one, other] =
                [2 * nth, 2 * nth + 1].map(|it| format!("{it}_matmul_like_32x128x128_f32"));
            assert!(found.contains(&both(By::Order, &one, &other)), "{found:?}");
        }
        let softmax = both(By::Order, "1_softmax_32x128xf32", "0_softmax_32x128xf32");
        assert!(found.contains(&softmax), "{found:?}");
    }

    #[test]
    fn codes_tell_which_layer_is_left_out() {
        let base =
            ["main_dispatch_0_mm_f32#a", "main_dispatch_1_mm_f32#b", "main_dispatch_2_mm_f32#c"];
        let new = ["main_dispatch_0_mm_f32#a", "main_dispatch_1_mm_f32#c"];
        let found = matched(&base, &new);
        let wanted = [
            both(By::Code, "0_mm_f32", "0_mm_f32"),
            both(By::Alone, "1_mm_f32", ""),
            both(By::Code, "2_mm_f32", "1_mm_f32"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn layers_that_were_merged_are_a_group() {
        let base =
            ["main_dispatch_0_mm_4_f32", "main_dispatch_1_mm_4_f32", "main_dispatch_2_add_4_f32"];
        let new =
            ["main_dispatch_0_mm_4_f32", "main_dispatch_0_mm_4_f32", "main_dispatch_1_add_4_f32"];
        let found = matched(&base, &new);
        let wanted = [
            both(By::Replaced, "0_mm_4_f32 + 1_mm_4_f32", "0_mm_4_f32"),
            both(By::Order, "2_add_4_f32", "1_add_4_f32"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn exchanged_layers_keep_their_partners() {
        let base =
            ["main_dispatch_0_mm_f32#a", "main_dispatch_1_mm_f32#b", "main_dispatch_2_mm_f32#c"];
        let new =
            ["main_dispatch_0_mm_f32#b", "main_dispatch_1_mm_f32#a", "main_dispatch_2_mm_f32#c"];
        let found = matched(&base, &new);
        let wanted = [
            both(By::Code, "0_mm_f32", "1_mm_f32"),
            both(By::Code, "1_mm_f32", "0_mm_f32"),
            both(By::Code, "2_mm_f32", "2_mm_f32"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_stands_between_the_same_neighbors_was_replaced() {
        let base =
            ["x_dispatch_0_mm_4_f32", "x_dispatch_1_add_4_f32", "x_dispatch_2_softmax_4_f32"];
        let new = ["x_dispatch_0_mm_4_f32", "x_dispatch_1_pack_f32", "x_dispatch_2_softmax_4_f32"];
        let found = matched(&base, &new);
        assert!(found.contains(&both(
            By::Replaced,
            "x_dispatch_1_add_4_f32",
            "x_dispatch_1_pack_f32"
        )));
    }

    #[test]
    fn sequences_of_many_dispatches_are_aligned() {
        // Fifty thousand dispatches, of which every hundredth was left out.
        let base = layers(0, 25_000, 1);
        let new: Vec<String> =
            (0..).zip(&base).filter(|(nth, _)| nth % 100 != 50).map(|(_, it)| it.clone()).collect();
        let found = matched(&texts(&base), &texts(&new));
        assert!(found.iter().filter(|it| it.0 == By::Name).count() > 1000, "{}", found.len());
    }
}
