//! Finds what a function took in when the compiler fused it with its neighbors.
//!
//! A function that takes in an elementwise neighbor often keeps its name, but passes other operands. So a function that is
//! alone joins the next match, or else the one before, if the functions of that match differ in their operands.

use super::matching::{By, Match};
use super::side::Function;

/// Moves functions that are on one side only into the matches that took them in.
pub fn absorbed(mut matches: Vec<Match>, base: &[Function], new: &[Function]) -> Vec<Match> {
    let is_changed: Vec<bool> = matches.iter().map(|it| is_changed(it, base, new)).collect();
    for (of, count) in [(base_of as Of, base.len()), (new_of as Of, new.len())] {
        let mut alone = Vec::new();
        for nth in 0..=count {
            let place = matches.iter_mut().position(|it| of(it).contains(&nth));
            let is_alone = |place: usize| matches.get(place).is_some_and(|it| it.by == By::Alone);
            if let Some(place) = place.filter(|place| is_alone(*place)) {
                alone.push((nth, place));
                continue;
            }
            let first = alone.first().map_or(nth, |(first, _)| *first);
            let before = first.checked_sub(1);
            let before =
                before.and_then(|nth| matches.iter_mut().position(|it| of(it).contains(&nth)));
            let is_taking = |place: &usize| is_changed.get(*place).copied().unwrap_or_default();
            let Some(taker) = place.filter(is_taking).or(before.filter(is_taking)) else {
                alone.clear();
                continue;
            };
            for (nth, place) in alone.drain(..) {
                matches.get_mut(place).map(of).into_iter().for_each(Vec::clear);
                if let Some(taker) = matches.get_mut(taker) {
                    taker.by = By::Replaced;
                    of(taker).push(nth);
                    of(taker).sort_unstable();
                }
            }
        }
    }
    matches.retain(|it| !it.base.is_empty() || !it.new.is_empty());
    matches
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
