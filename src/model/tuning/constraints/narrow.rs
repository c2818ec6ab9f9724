//! Narrows the ranges of nodes by each other until nothing changes.
//!
//! This is HC4-revise (Benhamou, Goualard, Granvilliers and Puget, "Revising hull and box consistency", ICLP 1999), extended
//! by divisibility: for each assertion, [`Narrowing::compute`] goes from the variables up and narrows each node by its
//! operands, and [`Narrowing::conclude`] goes back down and narrows the operands by the node. Assertions whose variables
//! changed are taken again, until none is left.
//!
//! Invariant: a rule removes only values that no solution has, so that rules apply in any order, and a node may be part of
//! several assertions. What is left need not be a solution; the search for values decides that. Rules for numbers below zero
//! are left out where tiles, counts and sizes need none.

use std::collections::BTreeSet;

use super::range::{Empty, Range, divide_up, gcd};
use super::system::{Id, Node, System};

/// More steps than real constraints need. It ends ranges that would shrink by one for ever.
const STEPS: usize = 20_000;

/// The ranges of all nodes.
#[derive(Clone)]
pub struct State {
    ranges: Vec<Range>,
    /// Those that changed since they were last looked at.
    changed: Vec<Id>,
}

impl State {
    pub fn get(&self, id: Id) -> Range {
        self.ranges.get(id).copied().unwrap_or(Range::ANY)
    }

    /// Keeps of a node the values that `range` has.
    pub fn keep(&mut self, id: Id, range: Range) -> Result<(), Empty> {
        let old = self.get(id);
        let new = old.and(range)?;
        if new != old
            && let Some(place) = self.ranges.get_mut(id)
        {
            *place = new;
            self.changed.push(id);
        }
        Ok(())
    }
}

/// What is asserted, with the nodes that each assertion is computed from.
pub struct Narrowing<'a> {
    system: &'a System,
    /// The nodes of each assertion, in order.
    cones: Vec<Vec<Id>>,
    /// The assertions that each node is in.
    users: Vec<Vec<usize>>,
}

impl<'a> Narrowing<'a> {
    pub fn new(system: &'a System) -> Self {
        let cones: Vec<Vec<Id>> = system.asserted.iter().map(|id| cone(system, *id)).collect();
        let users = (0..system.nodes.len()).map(|id| {
            let has = |(_, cone): &(usize, &Vec<Id>)| cone.binary_search(&id).is_ok();
            cones.iter().enumerate().filter(has).map(|(nth, _)| nth).collect()
        });
        let users = users.collect();
        Self { system, cones, users }
    }

    /// True if what is asserted depends on a node.
    pub(crate) fn is_used(&self, id: Id) -> bool {
        self.users.get(id).is_some_and(|users| !users.is_empty())
    }

    /// Returns what is known before any value is chosen.
    pub fn start(&self) -> Result<State, Empty> {
        let mut state =
            State { ranges: vec![Range::ANY; self.system.nodes.len()], changed: Vec::new() };
        for id in &self.system.asserted {
            state.keep(*id, Range::only(1))?;
        }
        state.changed = (0..self.system.nodes.len()).collect();
        self.narrow(&mut state)?;
        Ok(state)
    }

    /// Narrows all ranges after some changed.
    pub fn narrow(&self, state: &mut State) -> Result<(), Empty> {
        let mut waiting = BTreeSet::new();
        for _ in 0..STEPS {
            for id in std::mem::take(&mut state.changed) {
                for user in self.users.get(id).into_iter().flatten() {
                    waiting.insert(*user);
                }
            }
            let Some(next) = waiting.pop_first() else { return Ok(()) };
            let cone = self.cones.get(next).map(Vec::as_slice).unwrap_or_default();
            for id in cone {
                self.compute(*id, state)?;
            }
            for id in cone.iter().rev() {
                self.conclude(*id, state)?;
            }
        }
        Ok(())
    }

    /// Narrows a node by those that it is computed from.
    fn compute(&self, id: Id, state: &mut State) -> Result<(), Empty> {
        let Some(node) = self.system.nodes.get(id) else { return Ok(()) };
        let range = match node {
            Node::Variable => return Ok(()),
            Node::Constant(value) => Range::only(*value),
            Node::Add(one, other) => sum(state.get(*one), state.get(*other)),
            Node::Subtract(one, other) => sum(state.get(*one), negated(state.get(*other))),
            Node::Multiply(one, other) => product(state.get(*one), state.get(*other)),
            Node::Divide(of, by) => quotient(state.get(*of), state.get(*by)),
            Node::Remainder(of, by) => remainder(state.get(*of), state.get(*by)),
            Node::Equal(one, other) => {
                let (one, other) = (state.get(*one), state.get(*other));
                match (one.value(), other.value()) {
                    (Some(one), Some(other)) => truth(Some(one == other)),
                    _ if one.and(other).is_err() => truth(Some(false)),
                    _ => truth(None),
                }
            }
            Node::Less(one, other) => less(state.get(*one), state.get(*other), 1),
            Node::LessOrEqual(one, other) => less(state.get(*one), state.get(*other), 0),
            Node::And(one, other) => {
                let (one, other) = (state.get(*one), state.get(*other));
                Range::between(one.low.min(other.low).max(0), one.high.min(other.high).min(1))
            }
            Node::Or(one, other) => {
                let (one, other) = (state.get(*one), state.get(*other));
                Range::between(one.low.max(other.low).max(0), one.high.max(other.high).min(1))
            }
            Node::If(condition, one, other) => match state.get(*condition).value() {
                Some(0) => state.get(*other),
                Some(_) => state.get(*one),
                None => either(state.get(*one), state.get(*other)),
            },
            Node::Lookup(key, pairs) => {
                let key = state.get(*key);
                let found = pairs.iter().filter(|(it, _)| key.has(*it));
                let found = found.map(|(_, value)| Range::only(*value)).reduce(either);
                found.ok_or(Empty)?
            }
        };
        state.keep(id, range)
    }

    /// Narrows what a node is computed from by what is known of the node.
    fn conclude(&self, id: Id, state: &mut State) -> Result<(), Empty> {
        let Some(node) = self.system.nodes.get(id) else { return Ok(()) };
        let result = state.get(id);
        match node {
            Node::Constant(_) | Node::Variable => Ok(()),
            Node::Add(one, other) => {
                state.keep(*one, sum(result, negated(state.get(*other))))?;
                state.keep(*other, sum(result, negated(state.get(*one))))
            }
            Node::Subtract(one, other) => {
                state.keep(*one, sum(result, state.get(*other)))?;
                state.keep(*other, sum(state.get(*one), negated(result)))
            }
            Node::Multiply(one, other) => {
                state.keep(*one, factor(result, state.get(*other)))?;
                state.keep(*other, factor(result, state.get(*one)))
            }
            Node::Divide(of, by) => divided(state, result, *of, *by),
            Node::Remainder(of, by) => reduced(state, result, *of, *by),
            Node::Equal(one, other) => equal(state, result, *one, *other),
            Node::Less(one, other) => ordered(state, result, *one, *other, 1),
            Node::LessOrEqual(one, other) => ordered(state, result, *one, *other, 0),
            Node::And(one, other) => one_decides(state, result, *one, *other, 1),
            Node::Or(one, other) => one_decides(state, result, *one, *other, 0),
            Node::If(condition, one, other) => match state.get(*condition).value() {
                Some(0) => state.keep(*other, result),
                Some(_) => state.keep(*one, result),
                None if state.get(*one).and(result).is_err() => {
                    state.keep(*condition, Range::only(0))
                }
                None if state.get(*other).and(result).is_err() => {
                    state.keep(*condition, Range::only(1))
                }
                None => Ok(()),
            },
            Node::Lookup(key, pairs) => {
                let found = pairs.iter().filter(|(_, value)| result.has(*value));
                let keys = found.map(|(key, _)| Range::only(*key)).reduce(either);
                state.keep(*key, keys.ok_or(Empty)?)
            }
        }
    }
}

/// Returns the nodes that a node is computed from, and itself, in order.
fn cone(system: &System, of: Id) -> Vec<Id> {
    let mut found = vec![of];
    let mut next = 0;
    while let Some(id) = found.get(next) {
        let parts: Vec<Id> = system.nodes.get(*id).into_iter().flat_map(Node::parts).collect();
        for part in parts {
            if !found.contains(&part) {
                found.push(part);
            }
        }
        next += 1;
    }
    found.sort_unstable();
    found
}

fn truth(known: Option<bool>) -> Range {
    known.map_or(Range::between(0, 1), |known| Range::only(known.into()))
}

fn sum(one: Range, other: Range) -> Range {
    let step = gcd(one.multiple(), other.multiple());
    Range { step: step.max(1), ..Range::between(one.low + other.low, one.high + other.high) }
}

fn negated(range: Range) -> Range {
    Range { low: -range.high, high: -range.low, step: range.step, divides: 0 }
}

/// Returns the smallest range with the values of both.
fn either(one: Range, other: Range) -> Range {
    let step = match (one.value(), other.value()) {
        (Some(0), _) => other.multiple(),
        (_, Some(0)) => one.multiple(),
        _ => gcd(one.multiple(), other.multiple()),
    };
    Range { step: step.max(1), ..Range::between(one.low.min(other.low), one.high.max(other.high)) }
}

fn product(one: Range, other: Range) -> Range {
    let products = [
        one.low.saturating_mul(other.low),
        one.low.saturating_mul(other.high),
        one.high.saturating_mul(other.low),
        one.high.saturating_mul(other.high),
    ];
    let low = products.iter().copied().min().unwrap_or(Range::ANY.low);
    let high = products.iter().copied().max().unwrap_or(Range::ANY.high);
    let step = one.multiple().saturating_mul(other.multiple()).min(Range::ANY.high);
    Range { step: step.max(1), ..Range::between(low, high) }
}

/// Returns what a factor may be, from the product and the other factor.
///
/// A factor of a number that divides n divides n, too (`divides`). If the product is a multiple of m and the other factor is
/// `by`, then the factor is a multiple of m / gcd(m, by) (`step`).
fn factor(product: Range, other: Range) -> Range {
    // A divisor of a number above 0 is one, too, and so are its factors.
    let number = match product.value() {
        Some(value) if value != 0 => value.abs(),
        _ => product.divides,
    };
    let (divides, step) = match other.value() {
        Some(by) if by > 0 => (number / by, product.multiple() / gcd(product.multiple(), by)),
        _ => (number, 1),
    };
    if other.low <= 0 {
        return Range { divides: number, ..Range::ANY };
    }
    let low = if product.low >= 0 { other.high } else { other.low };
    let high = if product.high >= 0 { other.low } else { other.high };
    let bounds = Range::between(divide_up(product.low, low), product.high.div_euclid(high));
    Range { step, divides, ..bounds }
}

/// True if both are counts, for which most rules are.
fn are_counts(of: Range, by: Range) -> bool {
    of.low >= 0 && by.low > 0
}

fn quotient(of: Range, by: Range) -> Range {
    match (of.value(), by.value()) {
        (Some(of), Some(by)) if by != 0 => Range::only(of.div_euclid(by)),
        _ if are_counts(of, by) => Range::between(of.low / by.high, of.high / by.low),
        _ => Range::ANY,
    }
}

fn divided(state: &mut State, result: Range, of: Id, by: Id) -> Result<(), Empty> {
    let divisor = not_zero(state, by)?;
    let divided = state.get(of);
    if !are_counts(divided, divisor) || result.high < 0 {
        return Ok(());
    }
    let low = result.low.max(0);
    let high = (result.high + 1).saturating_mul(divisor.high) - 1;
    state.keep(of, Range::between(low.saturating_mul(divisor.low), high))?;
    let most = if low > 0 { divided.high / low } else { divisor.high };
    state.keep(by, Range::between(divided.low / (result.high + 1) + 1, most))
}

/// Takes 0 out of the range of a divisor, if it is its lowest value.
fn not_zero(state: &mut State, by: Id) -> Result<Range, Empty> {
    if state.get(by).low == 0 {
        state.keep(by, Range::between(1, Range::ANY.high))?;
    }
    if state.get(by).value() == Some(0) { Err(Empty) } else { Ok(state.get(by)) }
}

fn remainder(of: Range, by: Range) -> Range {
    if let (Some(of), Some(by)) = (of.value(), by.value())
        && by != 0
    {
        return Range::only(of.rem_euclid(by));
    }
    if !are_counts(of, by) {
        return Range::between(0, Range::ANY.high);
    }
    if of.high < by.low {
        return of;
    }
    if by.value().is_some_and(|by| of.multiple() % by == 0) {
        return Range::only(0);
    }
    Range::between(0, of.high.min(by.high - 1))
}

fn reduced(state: &mut State, result: Range, of: Id, by: Id) -> Result<(), Empty> {
    let divisor = not_zero(state, by)?;
    let divided = state.get(of);
    if result.value() != Some(0) {
        return Ok(());
    }
    if let Some(step) = divisor.value() {
        state.keep(of, Range { step: step.abs(), ..Range::ANY })?;
    } else if divisor.step > 1 {
        state.keep(of, Range { step: divisor.step, ..Range::ANY })?;
    }
    if divided.low > 0 {
        let number = divided.value().unwrap_or(divided.divides);
        let high = divided.high;
        state.keep(by, Range { divides: number, ..Range::between(-high, high) })?;
        if divisor.low > 0 {
            state.keep(of, Range::between(divisor.low, Range::ANY.high))?;
        }
    }
    Ok(())
}

fn equal(state: &mut State, result: Range, one: Id, other: Id) -> Result<(), Empty> {
    match result.value() {
        Some(0) => {
            without(state, one, other)?;
            without(state, other, one)
        }
        Some(_) => {
            state.keep(one, state.get(other))?;
            state.keep(other, state.get(one))
        }
        None => Ok(()),
    }
}

/// Takes the only value of a node from the ends of the range of another.
fn without(state: &mut State, from: Id, only: Id) -> Result<(), Empty> {
    let Some(value) = state.get(only).value() else { return Ok(()) };
    let range = state.get(from);
    if range.low == value {
        return state.keep(from, Range::between(value + 1, Range::ANY.high));
    }
    if range.high == value {
        return state.keep(from, Range::between(Range::ANY.low, value - 1));
    }
    Ok(())
}

/// Returns whether the one is less than the other by at least `gap`.
fn less(one: Range, other: Range, gap: i64) -> Range {
    let never = one.low + gap > other.high;
    let always = one.high + gap <= other.low;
    truth(if always { Some(true) } else { never.then_some(false) })
}

fn ordered(state: &mut State, result: Range, one: Id, other: Id, gap: i64) -> Result<(), Empty> {
    // If it is not so, then the other is less or equal.
    let (low, high, gap) = match result.value() {
        Some(0) => (other, one, 1 - gap),
        Some(_) => (one, other, gap),
        None => return Ok(()),
    };
    state.keep(low, Range::between(Range::ANY.low, state.get(high).high - gap))?;
    state.keep(high, Range::between(state.get(low).low + gap, Range::ANY.high))
}

/// Concludes from `and` (`all` is 1) and `or` (`all` is 0): if the result is `all`, both are; else, if the one is, the
/// other is not.
fn one_decides(
    state: &mut State,
    result: Range,
    one: Id,
    other: Id,
    all: i64,
) -> Result<(), Empty> {
    let Some(result) = result.value() else { return Ok(()) };
    if result == all {
        state.keep(one, Range::only(all))?;
        return state.keep(other, Range::only(all));
    }
    if state.get(one).value() == Some(all) {
        state.keep(other, Range::only(1 - all))?;
    }
    if state.get(other).value() == Some(all) {
        state.keep(one, Range::only(1 - all))?;
    }
    Ok(())
}
