//! The space that a user gives: values for some knobs, in all combinations.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::limits::MOST;
use super::points::Space;
use crate::tuning::attribute::Attribute;
use crate::tuning::configuration::Configuration;

/// A knob and the values to try.
pub type Values = (String, Vec<Attribute>);

impl Space {
    /// Returns all combinations of values. The numbers of a point say which value each knob has; 0 is the compiler's own.
    /// Fails if a knob cannot have a value, or there are too many combinations.
    pub fn of_values(given: &[Values], own: &Configuration) -> Result<Self, String> {
        let mut choices: Vec<Values> = Vec::new();
        for (knob, values) in given {
            let known = own.get(knob);
            let mut all: Vec<Attribute> = known.cloned().into_iter().collect();
            for value in values {
                let mut tried = own.clone();
                tried.set(knob, value.clone()).map_err(|error| error.to_string())?;
                if !all.contains(value) {
                    all.push(value.clone());
                }
            }
            choices.push((knob.clone(), all));
        }
        // A knob that the compiler leaves out has no own value: its place is 0 as well, and its values begin at 1.
        let first = |knob: &str| i64::from(own.get(knob).is_none());
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for (knob, values) in &choices {
            let count = i64::try_from(values.len()).unwrap_or(i64::MAX) + first(knob);
            if points.len().saturating_mul(values.len() + 1) > MOST {
                return Err(format!("there are more than {MOST} combinations of values"));
            }
            points = points
                .iter()
                .flat_map(|begun| {
                    (0..count).map(move |value| begun.iter().copied().chain([value]).collect())
                })
                .collect();
        }
        let names: Vec<String> = choices.iter().map(|(knob, _)| knob.clone()).collect();
        let own_point = vec![0; names.len()];
        let choice = own.clone();
        let make = move |point: &[i64]| {
            let mut made = choice.clone();
            for ((knob, values), value) in choices.iter().zip(point) {
                let place = usize::try_from(value - i64::from(choice.get(knob).is_none()));
                if let Some(value) = place.ok().and_then(|it| values.get(it)) {
                    // It was tried above.
                    let _ = made.set(knob, value.clone());
                }
            }
            made
        };
        let values: BTreeSet<Vec<i64>> = points.into_iter().collect();
        Ok(Self::new(names, values, &own_point, own.clone(), Arc::new(make)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Attribute {
        Attribute::parse(text).expect(text)
    }

    #[test]
    fn values_are_combined_with_the_own_choice() {
        let own = Configuration {
            lowering: Some(read("#iree_cpu.lowering_config<distribution = [8, 64, 0]>")),
            translation: Some(read(
                "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<A>>",
            )),
            decomposition: None,
        };
        let given = [
            ("distribution[1]".to_owned(), vec![read("64"), read("32")]),
            ("cache_parallel".to_owned(), vec![read("[8, 8, 0]")]),
        ];
        let space = Space::of_values(&given, &own).expect("a space");
        assert_eq!(space.points.len(), 4);
        assert_eq!(space.configuration(space.own), own);
        let all: BTreeSet<String> = (0..4)
            .map(|nth| {
                let values = space.configuration(nth).knobs();
                values.iter().map(|(knob, value)| format!("{knob}={value};")).collect()
            })
            .collect();
        let wanted = [
            "distribution=[8, 32, 0];",
            "distribution=[8, 32, 0];cache_parallel=[8, 8, 0];",
            "distribution=[8, 64, 0];",
            "distribution=[8, 64, 0];cache_parallel=[8, 8, 0];",
        ];
        assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), wanted);
        let wrong = [("distribution[7]".to_owned(), vec![read("1")])];
        assert!(Space::of_values(&wrong, &own).is_err());
        let many: Vec<Values> = (0..3)
            .map(|nth| {
                (format!("distribution[{nth}]"), (1..100).map(|it| read(&it.to_string())).collect())
            })
            .collect();
        assert!(Space::of_values(&many, &own).is_err_and(|it| it.contains("more than")));
    }
}
