//! Finds what repeats in a sequence: the calls of a program, among the submissions that they make.
//!
//! Two readings are tried. The first takes runs with an exact period (the failure function of Knuth, Morris and Pratt,
//! SIAM J. Comput. 6(2), 1977). The second allows loops with any number of turns: equal neighbours become one element,
//! and elements that always occur together become a unit, until nothing changes (pairing as in Re-Pair: Larsson and
//! Moffat, Proc. IEEE 88(11), 2000, but only of pairs that never occur apart). The shortest description counts: the
//! items of each kind of call, and one reference per call. Time: linear in the length of the sequence, times at most
//! [`ROUNDS`].

use std::collections::HashSet;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::step::{Map, narrow};

/// Limit on the rounds of either reading, so that a sequence without repetition is given up early.
const ROUNDS: usize = 64;

/// The part of the sequence, from the first call on, that calls must cover.
const COVERAGE: f64 = 0.9;

/// A stretch of the sequence that occurs several times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    pub range: Range<u32>,
    /// Equal for repeats of the same content.
    kind: u32,
    /// Number of different items; a loop counts once.
    size: u32,
}

/// How the repeats of a sequence were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatKind {
    /// With an exact period.
    Period,
    /// With loops of varying length.
    Loops,
}

/// The repeats of a sequence, in order, without overlaps.
#[derive(Debug)]
pub struct Repeats {
    pub repeats: Vec<Repeat>,
    pub found: RepeatKind,
}

/// Finds the repeats of a sequence; `None` if they do not cover it.
pub fn repeats(sequence: &[u32]) -> Option<Repeats> {
    let elements = Elements::of(sequence);
    let units: Vec<u32> = elements.all.iter().map(|element| element.unit).collect();
    let of_elements = |repeat: Repeat| {
        let within = slice(&elements.all, &repeat.range);
        let (first, last) = (within.first()?, within.last()?);
        // See `paired`.
        let loops = within.iter().filter(|element| element.turns > 1).count();
        let size = within.iter().map(|element| element.size).sum();
        let range = first.range.start..last.range.end;
        (loops < 2).then_some(Repeat { range, size, ..repeat })
    };
    let length = sequence.len();
    [
        (RepeatKind::Period, periodic(sequence)),
        (RepeatKind::Loops, periodic(&units).into_iter().filter_map(of_elements).collect()),
        (RepeatKind::Loops, elements.turns()),
    ]
    .into_iter()
    .filter(|(_, repeats)| covers(repeats, length))
    .min_by_key(|(_, repeats)| description(repeats, length))
    .map(|(found, repeats)| Repeats { repeats, found })
}

/// Returns the length of a description: the items of each kind of call, a reference per call, and two for each item
/// that is in no call.
fn description(repeats: &[Repeat], length: usize) -> usize {
    let sizes: Map<u32, u32> = repeats.iter().map(|repeat| (repeat.kind, repeat.size)).collect();
    let sizes: usize = sizes.values().map(|size| *size as usize).sum();
    sizes + repeats.len() + 2 * (length - covered(repeats))
}

/// Returns the number of items in repeats.
fn covered(repeats: &[Repeat]) -> usize {
    repeats.iter().map(|repeat| repeat.range.len()).sum()
}

/// Whether repeats cover enough of a sequence from the first repeat on.
fn covers(repeats: &[Repeat], length: usize) -> bool {
    let Some(first) = repeats.first() else { return false };
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = covered(repeats) as f64 / (length - first.range.start as usize) as f64;
    share >= COVERAGE
}

/// Reads a sequence from its end in runs that repeat with a period. What is in no run belongs to no repeat.
fn periodic(sequence: &[u32]) -> Vec<Repeat> {
    let mut kinds: Map<&[u32], u32> = Map::default();
    let mut repeats = Vec::new();
    let mut end = narrow(sequence.len());
    for _ in 0..ROUNDS {
        let rest = slice(sequence, &(0..end));
        if rest.is_empty() {
            break;
        }
        let Some((length, period)) = longest_run(rest) else {
            end -= 1;
            continue;
        };
        let start = end - length;
        // A run that is the whole rest starts with a call, so that a call that was cut off is at the end. Otherwise
        // calls of something else precede it, and the run ends with a call.
        let first = if start == 0 { 0 } else { start + length % period };
        let calls = (0..length / period).map(|nth| first + nth * period);
        for from in calls.rev() {
            let range = from..from + period;
            let count = narrow(kinds.len());
            let kind = *kinds.entry(slice(sequence, &range)).or_insert(count);
            repeats.push(Repeat { range, kind, size: period });
        }
        end = start;
    }
    repeats.reverse();
    repeats
}

/// Returns length and period of the longest suffix that is at least two periods long.
fn longest_run(sequence: &[u32]) -> Option<(u32, u32)> {
    let reversed: Vec<u32> = sequence.iter().rev().copied().collect();
    let item = |nth: u32| reversed.get(nth as usize);
    // For each prefix, the length of its longest proper prefix that is also its suffix.
    let mut borders = Vec::with_capacity(reversed.len());
    borders.push(0);
    let mut best = None;
    for nth in 1..narrow(reversed.len()) {
        let mut border: u32 = borders.last().copied().unwrap_or(0);
        while border > 0 && item(nth) != item(border) {
            border = borders.get(border as usize - 1).copied().unwrap_or(0);
        }
        border += u32::from(item(nth) == item(border));
        borders.push(border);
        let (length, period) = (nth + 1, nth + 1 - border);
        if period * 2 <= length {
            best = Some((length, period));
        }
    }
    best
}

/// A unit of the sequence: an item, a loop over a unit, or several units that always occur together.
#[derive(Debug, Clone)]
struct Element {
    unit: u32,
    range: Range<u32>,
    /// Number of items; a loop counts once.
    size: u32,
    /// Number of turns, if it is a loop; else 1.
    turns: u32,
}

/// A sequence as units and loops over units.
struct Elements {
    all: Vec<Element>,
    /// For each item, whether a turn of an element begins with it.
    is_turn: Vec<bool>,
    /// Number of units.
    units: u32,
}

impl Elements {
    fn of(sequence: &[u32]) -> Self {
        let item = |(nth, unit): (u32, &u32)| Element {
            unit: *unit,
            range: nth..nth + 1,
            size: 1,
            turns: 1,
        };
        let mut elements = Self {
            all: (0..).zip(sequence).map(item).collect(),
            is_turn: vec![true; sequence.len()],
            units: sequence.iter().max().map_or(0, |greatest| greatest + 1),
        };
        elements.merge_equal();
        for _ in 0..ROUNDS {
            let before = elements.all.len();
            elements.merge_pairs();
            elements.merge_equal();
            if elements.all.len() == before {
                break;
            }
        }
        elements
    }

    /// Merges equal neighbours to loops.
    fn merge_equal(&mut self) {
        self.all.dedup_by(|next, last| {
            let is_same = next.unit == last.unit;
            if is_same {
                last.range.end = next.range.end;
                last.turns += next.turns;
            }
            is_same
        });
    }

    /// Merges chains of elements that always occur together, at least twice. Two loops are no pair: they are rather two
    /// kinds of calls in any order.
    fn merge_pairs(&mut self) {
        let next = companions(self.all.iter().map(|element| element.unit));
        let before = companions(self.all.iter().rev().map(|element| element.unit));
        let loops = self.all.iter().filter(|element| element.turns > 1);
        let loops: HashSet<u32, FixedState> = loops.map(|element| element.unit).collect();
        let follows = |left: u32, right: u32| {
            !(loops.contains(&left) && loops.contains(&right))
                && next.get(&left) == Some(&Some(right))
                && before.get(&right) == Some(&Some(left))
        };
        let mut counts: Map<u32, u32> = Map::default();
        for element in &self.all {
            *counts.entry(element.unit).or_default() += 1;
        }
        let mut names: Map<u32, u32> = Map::default();
        let (units, is_turn) = (&mut self.units, &mut self.is_turn);
        let mut previous = None;
        self.all.dedup_by(|element, last| {
            let before = previous.replace(element.unit).unwrap_or(last.unit);
            let is_chained = counts.get(&element.unit) > Some(&1) && follows(before, element.unit);
            if is_chained {
                if before == last.unit {
                    // The chain is named after its first unit.
                    last.unit = *names.entry(last.unit).or_insert_with(|| {
                        *units += 1;
                        *units - 1
                    });
                }
                last.range.end = element.range.end;
                last.size += element.size;
                last.turns = 1;
                let within = last.range.start as usize + 1..last.range.end as usize;
                is_turn.get_mut(within).unwrap_or_default().fill(false);
            }
            is_chained
        });
    }

    /// Returns the turns of all units that occur at least twice.
    fn turns(&self) -> Vec<Repeat> {
        let mut counts: Map<u32, u32> = Map::default();
        for element in &self.all {
            *counts.entry(element.unit).or_default() += element.turns;
        }
        let mut repeats: Vec<Repeat> = Vec::new();
        for Element { unit, range, size, .. } in &self.all {
            if counts.get(unit) > Some(&1) {
                let turns = range.clone().zip(slice(&self.is_turn, range));
                for (start, _) in turns.filter(|(_, is_turn)| **is_turn) {
                    if let Some(last) = repeats.last_mut().filter(|_| start > range.start) {
                        last.range.end = start;
                    }
                    repeats.push(Repeat { range: start..range.end, kind: *unit, size: *size });
                }
            }
        }
        repeats
    }
}

/// Returns for each unit the one that follows it everywhere; `None` if several do, or it is the last element.
fn companions(units: impl Iterator<Item = u32>) -> Map<u32, Option<u32>> {
    let mut companions: Map<u32, Option<u32>> = Map::default();
    let mut previous: Option<u32> = None;
    for unit in units {
        if let Some(previous) = previous {
            let known = companions.entry(previous).or_insert(Some(unit));
            *known = known.filter(|known| *known == unit);
        }
        previous = Some(unit);
    }
    if let Some(last) = previous {
        companions.insert(last, None);
    }
    companions
}

fn slice<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    all.get(range.start as usize..range.end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads letters; returns each repeat in brackets, and `-` if nothing repeats.
    fn read(text: &str) -> String {
        let letters: Vec<u32> = text.bytes().map(u32::from).collect();
        let Some(found) = repeats(&letters) else { return "-".into() };
        let mut read = String::new();
        let mut at = 0;
        for repeat in &found.repeats {
            let range = repeat.range.start as usize..repeat.range.end as usize;
            read.push_str(&text[at..range.start]);
            read.push_str(&format!("[{}]", &text[range.clone()]));
            at = range.end;
        }
        read + &text[at..]
    }

    #[test]
    fn calls_of_one_or_several_submissions_repeat() {
        for (text, expected) in [
            ("AAAA", "[A][A][A][A]"),
            ("ABCABCABC", "[ABC][ABC][ABC]"),
            // A function that is called twice per call.
            ("ABCADABCADABCAD", "[ABCAD][ABCAD][ABCAD]"),
            // The program was killed.
            ("ABCABCABCA", "[ABC][ABC][ABC]A"),
            // Initialization comes first.
            ("IJKABABAB", "IJK[AB][AB][AB]"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn loops_may_have_any_number_of_turns() {
        for (text, expected) in [
            ("ABBCABBCABBC", "[ABBC][ABBC][ABBC]"),
            ("ABCABBBCABBC", "[ABC][ABBBC][ABBC]"),
            ("ABCBCDABCDABCBCBCD", "[ABCBCD][ABCD][ABCBCBCD]"),
            ("BCBCDBCDBCBCBCD", "[BCBCD][BCD][BCBCBCD]"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn entry_points_are_called_in_any_order() {
        for (text, expected) in [
            ("ABABABCDCD", "[AB][AB][AB][CD][CD]"),
            ("AAABBB", "[A][A][A][B][B][B]"),
            ("ABCDABABCDCDABCD", "[AB][CD][AB][AB][CD][CD][AB][CD]"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_does_not_repeat_has_no_calls() {
        for text in ["", "A", "ABCD", "ABBBCDE", "ABCADEFAG"] {
            assert_eq!(read(text), "-", "{text}");
        }
    }

    #[test]
    fn long_sequences_take_linear_time() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            u32::try_from(state >> 40).unwrap()
        };
        let noise: Vec<u32> = (0..200_000).map(|_| random()).collect();
        assert!(repeats(&noise).is_none());
        let calls: Vec<u32> = (0..200_000).map(|nth| nth % 7).collect();
        assert_eq!(repeats(&calls).unwrap().repeats.len(), 200_000 / 7);
    }
}
