//! Finds all solutions: chooses a value for the knob with the fewest, narrows the others, and goes on.

use super::narrow::{Narrowing, State};
use super::range::Range;
use super::system::{Constraints, Id, Node, System};

/// A knob with more values than these is not bounded by what is asserted.
const WIDEST: i64 = 1 << 20;

/// What is asserted leaves more values to a knob than can be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the constraints of `{function}` leave `{knob}` more than a million values")]
pub struct Unbounded {
    pub function: String,
    pub knob: String,
}

/// Values for the knobs, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Solutions {
    /// In ascending order.
    pub all: Vec<Vec<i64>>,
    /// False if there were more than were wanted. Then it is not the first ones that are here.
    pub is_complete: bool,
}

impl Constraints {
    /// Finds the values that fulfill what is asserted, up to a number.
    pub fn solutions(&self, most: usize) -> Result<Solutions, Unbounded> {
        let narrowing = Narrowing::new(&self.system);
        let mut search =
            Search { narrowing, system: &self.system, most, found: Vec::new(), is_full: false };
        let ended = match search.narrowing.start() {
            Ok(state) => search.descend(&state),
            Err(_) => Ok(false),
        };
        ended.map_err(|id| Unbounded { function: self.function.clone(), knob: self.name(id) })?;
        search.found.sort_unstable();
        Ok(Solutions { all: search.found, is_complete: !search.is_full })
    }

    /// True if the values, in the order of the knobs, fulfill what is asserted.
    pub fn has(&self, values: &[i64]) -> bool {
        let narrowing = Narrowing::new(&self.system);
        let Ok(mut state) = narrowing.start() else { return false };
        let knobs = self.system.knobs.iter().zip(values);
        let fits = knobs.map(|(id, value)| state.keep(*id, Range::only(*value)));
        if values.len() != self.knobs.len() || fits.collect::<Result<Vec<()>, _>>().is_err() {
            return false;
        }
        let mut search =
            Search { narrowing, system: &self.system, most: 1, found: Vec::new(), is_full: false };
        search.narrowing.narrow(&mut state).is_ok() && search.descend(&state).unwrap_or(false)
    }

    /// Like [`Self::has`], for constraints without further variables, by computing alone.
    #[cfg(test)]
    pub(super) fn fulfills(&self, values: &[i64]) -> bool {
        holds(&self.system, &|id| {
            let knob = self.system.knobs.iter().position(|it| *it == id);
            knob.and_then(|nth| values.get(nth)).copied().unwrap_or(0)
        })
    }

    fn name(&self, id: Id) -> String {
        let knob = self.system.knobs.iter().position(|it| *it == id);
        let knob = knob.and_then(|nth| self.knobs.get(nth)).map(|knob| knob.name.clone());
        let other = || self.system.others.iter().find(|(it, _)| *it == id);
        knob.or_else(|| other().map(|(_, name)| name.clone())).unwrap_or_default()
    }
}

struct Search<'a> {
    narrowing: Narrowing<'a>,
    system: &'a System,
    most: usize,
    found: Vec<Vec<i64>>,
    /// True if there was one more than `most`.
    is_full: bool,
}

impl Search<'_> {
    /// Finds the solutions within a state. Returns whether there are any, or the variable that has too many values.
    fn descend(&mut self, state: &State) -> Result<bool, Id> {
        let open = |id: &Id| state.get(*id).value().is_none();
        let count = |id: &Id| state.get(*id).count();
        // The other variables only need to have some value, so they come last, and one solution is enough.
        let knob = self.system.knobs.iter().copied().filter(open).min_by_key(count);
        let used = |id: &Id| open(id) && self.narrowing.is_used(*id);
        let others = self.system.others.iter().map(|(id, _)| *id);
        let other = || others.filter(used).min_by_key(count);
        let Some(id) = knob.or_else(other) else {
            if !holds(self.system, &|id| state.get(id).low) {
                return Ok(false);
            }
            if self.found.len() == self.most {
                self.is_full = true;
                return Ok(true);
            }
            let values = self.system.knobs.iter().map(|id| state.get(*id).low);
            self.found.push(values.collect());
            return Ok(true);
        };
        if count(&id) > WIDEST {
            return Err(id);
        }
        let mut has_any = false;
        for value in state.get(id).values() {
            let mut next = state.clone();
            let chosen = next.keep(id, Range::only(value));
            if chosen.and_then(|()| self.narrowing.narrow(&mut next)).is_ok() {
                has_any |= self.descend(&next)?;
            }
            if self.is_full || has_any && knob.is_none() {
                break;
            }
        }
        Ok(has_any)
    }
}

/// Computes everything from the values of the variables, and returns whether what is asserted is true.
fn holds(system: &System, variable: &dyn Fn(Id) -> i64) -> bool {
    let mut values: Vec<i64> = Vec::with_capacity(system.nodes.len());
    for (id, node) in system.nodes.iter().enumerate() {
        let value = match node {
            Node::Variable => Some(variable(id)),
            _ => compute(node, &values),
        };
        let Some(value) = value else { return false };
        values.push(value);
    }
    system.asserted.iter().all(|id| values.get(*id) == Some(&1))
}

/// Computes a node; `None` where it has no value.
fn compute(node: &Node, values: &[i64]) -> Option<i64> {
    let of = |id: &Id| values.get(*id).copied();
    match node {
        Node::Variable => None,
        Node::Constant(value) => Some(*value),
        Node::Add(one, other) => of(one)?.checked_add(of(other)?),
        Node::Subtract(one, other) => of(one)?.checked_sub(of(other)?),
        Node::Multiply(one, other) => of(one)?.checked_mul(of(other)?),
        Node::Divide(one, by) => of(one)?.checked_div_euclid(of(by)?),
        Node::Remainder(one, by) => of(one)?.checked_rem_euclid(of(by)?),
        Node::Equal(one, other) => Some((of(one)? == of(other)?).into()),
        Node::Less(one, other) => Some((of(one)? < of(other)?).into()),
        Node::LessOrEqual(one, other) => Some((of(one)? <= of(other)?).into()),
        Node::And(one, other) => Some(of(one)?.min(of(other)?)),
        Node::Or(one, other) => Some(of(one)?.max(of(other)?)),
        Node::If(condition, one, other) => of(if of(condition)? == 0 { other } else { one }),
        Node::Lookup(key, pairs) => {
            let key = of(key)?;
            pairs.iter().find(|(it, _)| *it == key).map(|(_, value)| *value)
        }
    }
}
