//! Whether both sides did the same work, by what tells it: numbers of workgroups, sizes of results, and inputs.
//!
//! Another number of workgroups of one function means other shapes, or that another build divides the same shape into other
//! tiles. Equal code leaves shapes only; a name without a dynamic extent, or equal inputs of the commands, leave tiles only.
//! Otherwise, the work is not known to be alike. Results of equal sizes do not tell: they may not depend on the shape.

use std::collections::{BTreeMap, BTreeSet};

use super::absorbed::matches_of;
use super::matching::By;
use super::measured::{Run, Runs};
use super::pair::Pair;
use super::side::Side;
use crate::operation::Name;

/// Means over calls of several shapes differ by less than this if the shapes are mixed alike.
const OTHER_MIX: f64 = 0.01;

/// What is known of the inputs of two sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Inputs {
    Same,
    #[default]
    Unknown,
    /// Their results have other sizes: how.
    Other(String),
}

impl Inputs {
    /// Compares the commands of the runs and the sizes of their results.
    pub fn of(base: &Runs, new: &Runs) -> Self {
        let both = |of: fn(&Run) -> Option<&str>| common(base, of).zip(common(new, of));
        match (both(|run| run.inputs.as_deref()), both(|run| run.results.as_deref())) {
            (Some((base, new)), _) if base == new => Self::Same,
            (_, Some((base, new))) if base != new => {
                Self::Other(format!("results of {new} bytes instead of {base}"))
            }
            _ => Self::Unknown,
        }
    }
}

/// Returns what all runs of a side have in common.
fn common(side: &Runs, of: fn(&Run) -> Option<&str>) -> Option<&str> {
    let all: Option<BTreeSet<&str>> = side.runs.iter().map(of).collect();
    all.filter(|all| all.len() == 1)?.pop_first()
}

/// Returns how the work of two sides differs, for measures whose rows are no functions; `None` if it does not, or nothing
/// tells.
pub fn unlike(base: &Runs, new: &Runs) -> Option<String> {
    let inputs = Inputs::of(base, new);
    let [base, new] =
        [base, new].map(|side| Side::of(side.dispatched(), true).in_order(side.sequence()));
    let matches = matches_of(&base, &new);
    let pairs: Vec<(By, Pair)> =
        matches.iter().map(|it| (it.by, Pair::of(it, &base, &new))).collect();
    apart(&pairs, &inputs).or_else(|| unlike_of(&pairs, [&base, &new], &inputs))
}

/// Returns that nothing tells that two sides are builds of one program: they have no function in common, and their commands
/// are not known to pass equal inputs to equal functions.
pub fn apart(pairs: &[(By, Pair)], inputs: &Inputs) -> Option<String> {
    let is_common = |(by, pair): &(By, Pair)| match by {
        By::Alone => false,
        By::Replaced => pair.has_common,
        _ => true,
    };
    let are_apart = !pairs.is_empty() && !pairs.iter().any(is_common) && *inputs != Inputs::Same;
    are_apart.then(|| {
        "they have no function in common, by code, name, or operation and shape, nor the same inputs"
            .to_owned()
    })
}

/// Returns how the work of all functions differs.
pub(crate) fn unlike_of(
    pairs: &[(By, Pair)],
    sides: [&Side; 2],
    inputs: &Inputs,
) -> Option<String> {
    let single =
        |(by, pair): &(By, Pair)| Some(format!("{}: {}", pair.new, pair.other_work(*by, inputs)?));
    pairs.iter().find_map(single).or_else(|| other_mix(sides, inputs))
}

/// Returns how the shapes of a function that has several are mixed otherwise.
fn other_mix(sides: [&Side; 2], inputs: &Inputs) -> Option<String> {
    let [base, new] = sides.map(by_name);
    let differs = |(name, base): (&&str, &Mix)| {
        let new = new.get(name).filter(|new| base.is_split || new.is_split)?;
        // With the same inputs, other numbers of workgroups are other tiles.
        let may_differ = *inputs == Inputs::Same && base.shapes != new.shapes;
        let [of_base, of_new] = [base, new].map(|mix| mix.workgroups / mix.calls);
        (!may_differ && (of_base / of_new).ln().abs() > OTHER_MIX).then(|| {
            let (of_base, of_new) = (shown(of_base), counted(of_new));
            format!("{name}: its shapes are mixed otherwise, {of_new} a call instead of {of_base}")
        })
    };
    base.iter().find_map(differs)
}

/// The calls of a function with all its shapes.
#[derive(Default)]
struct Mix {
    is_split: bool,
    calls: f64,
    workgroups: f64,
    shapes: BTreeSet<u64>,
}

fn by_name(side: &Side) -> BTreeMap<&str, Mix> {
    let mut mixes: BTreeMap<&str, Mix> = BTreeMap::new();
    for function in &side.functions {
        let Some(workgroups) = function.workgroups else { continue };
        let mix = mixes.entry(&function.name).or_default();
        mix.is_split |= function.is_split;
        mix.calls += function.calls;
        mix.workgroups += function.calls * workgroups;
        mix.shapes.insert(workgroups.to_bits());
    }
    mixes
}

impl Pair {
    /// Returns how two functions that match divide another work.
    pub(crate) fn other_work(&self, by: By, inputs: &Inputs) -> Option<String> {
        if matches!(by, By::Alone | By::Replaced) {
            return None;
        }
        let is_static = [&self.base, &self.new].into_iter().all(|name| has_static_shape(name));
        if let [Some(base), Some(new)] = self.workgroups
            && (base / new - 1.0).abs() > 1e-6
        {
            let is_other = by == By::Code || !is_static && *inputs != Inputs::Same;
            let what = if by == By::Code { "other shapes" } else { "other shapes or tiles" };
            let (base, new) = (shown(base), counted(new));
            return is_other.then(|| format!("{what}: {new} instead of {base}"));
        }
        match inputs {
            Inputs::Other(how) if !is_static && !self.is_split => {
                Some(format!("other shapes: {how}"))
            }
            _ => None,
        }
    }
}

/// Whether a name tells all extents of the operation.
fn has_static_shape(name: &str) -> bool {
    Name::read(name).is_some_and(|name| name.extents().is_some())
}

/// Formats a mean number of workgroups, with the noun.
pub fn counted(workgroups: f64) -> String {
    let text = shown(workgroups);
    format!("{text} workgroup{}", if text == "1" { "" } else { "s" })
}

/// Formats a mean number of workgroups.
fn shown(workgroups: f64) -> String {
    let text = format!("{workgroups:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}
