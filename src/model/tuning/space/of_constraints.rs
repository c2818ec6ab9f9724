//! The space that the compiler states, of all pipelines.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::limits::MOST;
use super::points::Space;
use crate::tuning::configuration::Configuration;
use crate::tuning::constraints::{Choice, Constraints, Unbounded};

/// More solutions than these are not looked for.
const SOLUTIONS: usize = 10 * MOST;

impl Space {
    /// Returns the solutions of all constraints. The first knob says which of them, the others are the knobs of all, and
    /// 0 where one has not got it.
    pub fn of_constraints(all: &[Constraints], own: &Configuration) -> Result<Self, Unbounded> {
        let mut names: Vec<String> = vec!["pipeline".to_owned()];
        for knob in all.iter().flat_map(|it| &it.knobs) {
            if !names.contains(&knob.name) {
                names.push(knob.name.clone());
            }
        }
        // The values of some constraints at the places of all knobs.
        let placed = |nth: usize, constraints: &Constraints, values: &[i64]| -> Vec<i64> {
            let place = |name: &String| {
                let knob = constraints.knobs.iter().position(|knob| knob.name == *name);
                knob.and_then(|knob| values.get(knob)).copied().unwrap_or(0)
            };
            let first = i64::try_from(nth).unwrap_or(0);
            std::iter::once(first).chain(names.iter().skip(1).map(place)).collect()
        };
        let mut values = BTreeSet::new();
        let mut own_values = None;
        for (nth, constraints) in all.iter().enumerate() {
            let solutions = constraints.solutions(SOLUTIONS)?.all;
            values.extend(solutions.iter().map(|it| placed(nth, constraints, it)));
            if constraints.pipeline.keyword() == own.pipeline()
                && let Some(read) = constraints.read(own)
            {
                let is_solution = solutions.binary_search(&read).is_ok();
                let place = placed(nth, constraints, &read);
                if is_solution || own_values.is_none() {
                    own_values = Some(place);
                }
            }
        }
        let none = || std::iter::once(-1).chain(names.iter().skip(1).map(|_| 0)).collect();
        let own_values: Vec<i64> = own_values.unwrap_or_else(none);
        let (all, names_of_all, choice) = (all.to_vec(), names.clone(), own.clone());
        let make = move |values: &[i64]| {
            let nth = values.first().and_then(|nth| usize::try_from(*nth).ok());
            let Some(constraints) = nth.and_then(|nth| all.get(nth)) else {
                return choice.clone();
            };
            let value = |knob: &Choice| {
                let place = names_of_all.iter().position(|name| *name == knob.name);
                place.and_then(|place| values.get(place)).copied().unwrap_or(0)
            };
            let solution: Vec<i64> = constraints.knobs.iter().map(value).collect();
            constraints.configuration(&solution, &choice)
        };
        Ok(Self::new(names, values, &own_values, own.clone(), Arc::new(make)))
    }
}
