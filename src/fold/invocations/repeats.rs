//! Finds what repeats in a sequence: the calls of a program, among the submissions that they make.
//!
//! Two readings are tried. The first takes runs with an exact period (the failure function of Knuth, Morris and Pratt,
//! SIAM J. Comput. 6(2), 1977). The second allows loops with any number of turns: equal neighbours become one element,
//! and elements that always occur together become a unit, until nothing changes (pairing as in Re-Pair: Larsson and
//! Moffat, Proc. IEEE 88(11), 2000, but only of pairs that never occur apart). The shortest description counts: the
//! items of each kind of call, and one reference per call. Time: linear in the length of the sequence, times at most
//! [`ROUNDS`].

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Limit on the rounds of either reading, so that a sequence without repetition is given up early.
const ROUNDS: usize = 64;

/// The part of the sequence, from the first call on, that calls must cover.
const COVERAGE: f64 = 0.9;

/// A stretch of the sequence that occurs several times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    pub range: Range<usize>,
    /// Equal for repeats of the same content, from 0.
    pub kind: usize,
    /// Number of different items; a loop counts once.
    size: usize,
}

/// How the repeats of a sequence were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// With an exact period.
    Period,
    /// With loops of varying length.
    Loops,
}

/// The repeats of a sequence, in order, without overlaps.
#[derive(Debug)]
pub struct Repeats {
    pub repeats: Vec<Repeat>,
    pub method: Method,
}

/// Finds the repeats of a sequence; `None` if they do not cover it.
pub fn repeats(sequence: &[usize]) -> Option<Repeats> {
    let elements = elements(sequence);
    let units: Vec<usize> = elements.iter().map(|element| element.unit).collect();
    let of_elements = |repeat: Repeat| {
        let within = elements.get(repeat.range).unwrap_or_default();
        let (first, last) = (within.first()?, within.last()?);
        // See `paired`.
        let loops = within.iter().filter(|element| element.turns.len() > 1).count();
        let size = within.iter().map(|element| element.size).sum();
        let range = first.range.start..last.range.end;
        (loops < 2).then_some(Repeat { range, size, ..repeat })
    };
    [
        (Method::Period, periodic(sequence)),
        (Method::Loops, periodic(&units).into_iter().filter_map(of_elements).collect()),
        (Method::Loops, turns(&elements)),
    ]
    .into_iter()
    .filter(|(_, repeats)| covers(repeats, sequence.len()))
    .min_by_key(|(_, repeats)| description(repeats, sequence.len()))
    .map(|(method, repeats)| Repeats { repeats, method })
}

/// Returns the length of a description: the items of each kind of call, a reference per call, and two for each item
/// that is in no call.
fn description(repeats: &[Repeat], length: usize) -> usize {
    let sizes: HashMap<usize, usize> =
        repeats.iter().map(|repeat| (repeat.kind, repeat.size)).collect();
    let covered: usize = repeats.iter().map(|repeat| repeat.range.len()).sum();
    sizes.values().sum::<usize>() + repeats.len() + 2 * (length - covered)
}

/// Longest body of a loop that [`outline`] looks for.
const BODY: usize = 32;

/// Returns a sequence with one turn of each loop: of what is repeated at once, only the first remains.
pub fn outline(sequence: &[usize]) -> Vec<usize> {
    let mut outline: Vec<usize> = Vec::with_capacity(sequence.len());
    for item in sequence {
        outline.push(*item);
        for body in 1..=BODY.min(outline.len() / 2) {
            let (before, last) = outline.split_at(outline.len() - body);
            if before.ends_with(last) {
                outline.truncate(outline.len() - body);
                break;
            }
        }
    }
    outline
}

/// Whether repeats cover enough of a sequence from the first repeat on.
fn covers(repeats: &[Repeat], length: usize) -> bool {
    let Some(first) = repeats.first() else { return false };
    let covered: usize = repeats.iter().map(|repeat| repeat.range.len()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = covered as f64 / (length - first.range.start) as f64;
    share >= COVERAGE
}

/// Reads a sequence from its end in runs that repeat with a period. What is in no run belongs to no repeat.
fn periodic(sequence: &[usize]) -> Vec<Repeat> {
    let mut kinds: HashMap<&[usize], usize> = HashMap::new();
    let mut repeats = Vec::new();
    let mut end = sequence.len();
    for _ in 0..ROUNDS {
        let rest = sequence.get(..end).unwrap_or_default();
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
            let count = kinds.len();
            let content = sequence.get(range.clone()).unwrap_or_default();
            let kind = *kinds.entry(content).or_insert(count);
            repeats.push(Repeat { range, kind, size: period });
        }
        end = start;
    }
    repeats.reverse();
    repeats
}

/// Returns length and period of the longest suffix that is at least two periods long.
fn longest_run(sequence: &[usize]) -> Option<(usize, usize)> {
    let reversed: Vec<usize> = sequence.iter().rev().copied().collect();
    let item = |nth: usize| reversed.get(nth);
    // For each prefix, the length of its longest proper prefix that is also its suffix.
    let mut borders = vec![0];
    let mut best = None;
    for nth in 1..reversed.len() {
        let mut border: usize = borders.last().copied().unwrap_or(0);
        while border > 0 && item(nth) != item(border) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        border += usize::from(item(nth) == item(border));
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
    unit: usize,
    range: Range<usize>,
    /// Number of items; a loop counts once.
    size: usize,
    /// The turns, if it is a loop.
    turns: Vec<Range<usize>>,
}

/// Reads a sequence as units and loops over units.
fn elements(sequence: &[usize]) -> Vec<Element> {
    let item = |(nth, unit): (usize, &usize)| Element {
        unit: *unit,
        range: nth..nth + 1,
        size: 1,
        turns: std::iter::once(nth..nth + 1).collect(),
    };
    let mut elements = looped(sequence.iter().enumerate().map(item).collect());
    let mut units = sequence.iter().max().map_or(0, |greatest| greatest + 1);
    for _ in 0..ROUNDS {
        let before = elements.len();
        elements = looped(paired(elements, &mut units));
        if elements.len() == before {
            break;
        }
    }
    elements
}

/// Merges equal neighbours.
fn looped(elements: Vec<Element>) -> Vec<Element> {
    let mut merged: Vec<Element> = Vec::with_capacity(elements.len());
    for element in elements {
        match merged.last_mut().filter(|last| last.unit == element.unit) {
            Some(last) => {
                last.range.end = element.range.end;
                last.turns.extend(element.turns);
            }
            None => merged.push(element),
        }
    }
    merged
}

/// Merges chains of elements that always occur together, at least twice. Two loops are no pair: they are rather two
/// kinds of calls in any order.
fn paired(elements: Vec<Element>, units: &mut usize) -> Vec<Element> {
    let next = companions(elements.iter().map(|element| element.unit));
    let before = companions(elements.iter().rev().map(|element| element.unit));
    let loops: HashSet<usize> = elements
        .iter()
        .filter(|element| element.turns.len() > 1)
        .map(|element| element.unit)
        .collect();
    let follows = |left: usize, right: usize| {
        !(loops.contains(&left) && loops.contains(&right))
            && next.get(&left) == Some(&Some(right))
            && before.get(&right) == Some(&Some(left))
    };
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for element in &elements {
        *counts.entry(element.unit).or_default() += 1;
    }
    let mut names: HashMap<usize, usize> = HashMap::new();
    let mut merged: Vec<Element> = Vec::with_capacity(elements.len());
    let mut previous = None;
    for element in elements {
        let unit = element.unit;
        let is_chained = counts.get(&unit).is_some_and(|count| *count > 1)
            && previous.is_some_and(|previous| follows(previous, unit));
        match merged.last_mut().filter(|_| is_chained) {
            Some(last) => {
                if previous == Some(last.unit) {
                    // The chain is named after its first unit.
                    last.unit = *names.entry(last.unit).or_insert_with(|| {
                        *units += 1;
                        *units - 1
                    });
                }
                last.range.end = element.range.end;
                last.size += element.size;
                last.turns = vec![last.range.clone()];
            }
            None => merged.push(element),
        }
        previous = Some(unit);
    }
    merged
}

/// Returns for each unit the one that follows it everywhere; `None` if several do, or it is the last element.
fn companions(units: impl Iterator<Item = usize>) -> HashMap<usize, Option<usize>> {
    let mut companions: HashMap<usize, Option<usize>> = HashMap::new();
    let mut previous: Option<usize> = None;
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

/// Returns the turns of all units that occur at least twice.
fn turns(elements: &[Element]) -> Vec<Repeat> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for element in elements {
        *counts.entry(element.unit).or_default() += element.turns.len();
    }
    let mut kinds: HashMap<usize, usize> = HashMap::new();
    let mut repeats = Vec::new();
    for element in elements.iter().filter(|element| counts.get(&element.unit) > Some(&1)) {
        let count = kinds.len();
        let kind = *kinds.entry(element.unit).or_insert(count);
        let turn = |range: &Range<usize>| Repeat { range: range.clone(), kind, size: element.size };
        repeats.extend(element.turns.iter().map(turn));
    }
    repeats
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads letters; returns each repeat in brackets, and `-` if nothing repeats.
    fn read(text: &str) -> String {
        let letters: Vec<usize> = text.bytes().map(usize::from).collect();
        let Some(found) = repeats(&letters) else { return "-".into() };
        let mut read = String::new();
        let mut at = 0;
        for repeat in &found.repeats {
            read.push_str(&text[at..repeat.range.start]);
            read.push_str(&format!("[{}]", &text[repeat.range.clone()]));
            at = repeat.range.end;
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
    fn an_outline_has_one_turn_of_each_loop() {
        for (text, expected) in
            [("", ""), ("ABBBC", "ABC"), ("ABCBCBCD", "ABCD"), ("AABAAB", "AB"), ("ABAC", "ABAC")]
        {
            let letters: Vec<usize> = text.bytes().map(usize::from).collect();
            let outline =
                outline(&letters).into_iter().map(|it| char::from(u8::try_from(it).unwrap()));
            assert_eq!(outline.collect::<String>(), expected, "{text}");
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
            usize::try_from(state >> 40).unwrap()
        };
        let noise: Vec<usize> = (0..200_000).map(|_| random()).collect();
        assert!(repeats(&noise).is_none());
        let calls: Vec<usize> = (0..200_000).map(|nth| nth % 7).collect();
        assert_eq!(repeats(&calls).unwrap().repeats.len(), 200_000 / 7);
    }
}
