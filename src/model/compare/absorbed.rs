//! Finds what a function took in when the compiler fused it with its neighbors.
//!
//! A function that takes in an elementwise neighbor often keeps its name, but passes other operands. So a function that is
//! alone joins the next match, or else the one before, if the functions of that match differ in their operands.

use super::matching::{By, Match, matched};
use super::sequence::aligned;
use super::side::{Function, Side};

/// Matches all functions of two sides: by the sequences of their calls if these are known, or else by the order in which they
/// first run.
///
/// Exchanged sides have the same matches: the side whose names come first is always looked at first.
pub(crate) fn matches_of(base: &Side, new: &Side) -> Vec<Match> {
    let named = |side: &Side| -> Vec<(String, Option<String>)> {
        side.functions.iter().map(|it| (it.name.clone(), it.hash.clone())).collect()
    };
    let of = |one: &Side, other: &Side| {
        let matches = if one.sequence.is_empty() || other.sequence.is_empty() {
            matched(&one.functions, &other.functions)
        } else {
            aligned(one, other)
        };
        absorbed(matches, &one.functions, &other.functions)
    };
    if named(base) <= named(new) {
        return of(base, new);
    }
    let exchanged = |it: Match| Match { base: it.new, new: it.base, by: it.by };
    of(new, base).into_iter().map(exchanged).collect()
}

/// Moves functions that are on one side only into the matches that took them in.
pub(crate) fn absorbed(mut matches: Vec<Match>, base: &[Function], new: &[Function]) -> Vec<Match> {
    let is_changed: Vec<bool> = matches.iter().map(|it| is_changed(it, base, new)).collect();
    let takes = |place: &usize| is_changed.get(*place).copied().unwrap_or_default();
    for of in [base_of as Of, new_of] {
        // The matches in the order of their functions on this side.
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (place, it) in matches.iter_mut().enumerate() {
            places.extend(of(it).iter().map(|nth| (*nth, place)));
        }
        places.sort_unstable();
        let places: Vec<usize> = places.into_iter().map(|(_, place)| place).collect();
        let (mut before, mut alone) = (None, Vec::new());
        for place in places.into_iter().map(Some).chain([None]) {
            let is_alone = |nth: &usize| matches.get(*nth).is_some_and(|it| it.by == By::Alone);
            if let Some(place) = place.filter(is_alone) {
                alone.push(place);
                continue;
            }
            if let Some(neighbor) = place.filter(takes).or_else(|| before.filter(takes)) {
                alone.drain(..).for_each(|left| join(&mut matches, of, left, neighbor));
            }
            alone.clear();
            before = place;
        }
    }
    matches.retain(|it| !it.base.is_empty() || !it.new.is_empty());
    matches
}

/// Moves the functions of one match to another.
fn join(matches: &mut [Match], of: Of, from: usize, to: usize) {
    let moved = matches.get_mut(from).map(|it| std::mem::take(of(it))).unwrap_or_default();
    if let Some(taker) = matches.get_mut(to) {
        taker.by = By::Replaced;
        of(taker).extend(moved);
        of(taker).sort_unstable();
    }
}

/// The functions of one side of a match.
type Of = fn(&mut Match) -> &mut Vec<usize>;

fn base_of(it: &mut Match) -> &mut Vec<usize> {
    &mut it.base
}

fn new_of(it: &mut Match) -> &mut Vec<usize> {
    &mut it.new
}

/// Whether a match is of one function on each side, with different operands.
fn is_changed(it: &Match, base: &[Function], new: &[Function]) -> bool {
    let ([base_nth], [new_nth]) = (it.base.as_slice(), it.new.as_slice()) else { return false };
    let operands = |side: &[Function], nth: usize| side.get(nth).and_then(|it| it.operands);
    match (operands(base, *base_nth), operands(new, *new_nth)) {
        (Some(base), Some(new)) => it.by != By::Code && base != new,
        _ => false,
    }
}
