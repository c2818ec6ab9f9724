//! Puts values into the configuration of constraints.

use super::parse::knob;
use super::system::Constraints;
use crate::tuning::attribute::{Attribute, Entry};
use crate::tuning::configuration::Configuration;

/// Parts that belong to the function; all others belong to the operation.
const SIZES: [&str; 2] = ["workgroup_size", "subgroup_size"];
const OPTIONS: &str = "gpu_pipeline_options";
const DECOMPOSITION: &str = "decomposition_config";

impl Constraints {
    /// Returns the knobs with the values of a solution.
    pub fn values(&self, solution: &[i64]) -> Vec<(String, Attribute)> {
        let knobs = self.knobs.iter().zip(solution);
        let values = knobs.map(|(knob, value)| {
            let option = usize::try_from(*value).ok().and_then(|nth| knob.options.get(nth));
            (knob.name.clone(), option.cloned().unwrap_or(Attribute::Integer(*value)))
        });
        values.collect()
    }

    /// Returns the values that the knobs have in a configuration; `None` if it has not got all.
    pub fn read(&self, configuration: &Configuration) -> Option<Vec<i64>> {
        let knobs = self.knobs.iter().map(|knob| {
            let value = configuration.get(&path_of(&self.template, &knob.name)?)?;
            if knob.options.is_empty() {
                return value.integer();
            }
            let same = |option: &Attribute| option.to_string() == value.to_string();
            i64::try_from(knob.options.iter().position(same)?).ok()
        });
        knobs.collect()
    }

    /// Returns the configuration of a solution. What `chosen`, the compiler's own choice, has besides stays.
    pub fn configuration(&self, solution: &[i64], chosen: &Configuration) -> Configuration {
        let values = self.values(solution);
        let filled = filled(&self.template, &values);
        let Attribute::Dictionary(parts) = filled else { return chosen.clone() };
        let mut lowering = Vec::new();
        let mut translation = vec![Entry::new("pipeline", self.pipeline.clone())];
        let mut options = kept(chosen);
        let mut decomposition = chosen.decomposition.clone();
        for part in parts {
            match part.key.as_str() {
                DECOMPOSITION => decomposition = Some(part.value),
                OPTIONS => {
                    options.retain(|entry| entry.key != OPTIONS);
                    let value = match part.value {
                        Attribute::Dictionary(parts) => {
                            Attribute::dialect("iree_gpu.pipeline_options", parts)
                        }
                        other => other,
                    };
                    options.insert(0, Entry::new(OPTIONS, value));
                }
                key if SIZES.contains(&key) => {}
                _ => lowering.push(part),
            }
        }
        let filled = filled_sizes(&self.template, &values);
        translation.extend(filled.into_iter().map(|part| Entry { comma: false, ..part }));
        if !options.is_empty() {
            translation.push(Entry::new("", Attribute::Dictionary(options)));
        }
        let lowering = Entry::new("", Attribute::Dictionary(lowering));
        Configuration {
            lowering: Some(Attribute::dialect("iree_gpu.lowering_config", vec![lowering])),
            translation: Some(Attribute::dialect("iree_codegen.translation_info", translation)),
            decomposition,
        }
    }
}

/// Returns the sizes of workgroups and subgroups, in the order in which they are written.
fn filled_sizes(template: &Attribute, values: &[(String, Attribute)]) -> Vec<Entry> {
    let sizes =
        SIZES.iter().filter_map(|key| Some(Entry::new(*key, filled(template.get(key)?, values))));
    sizes.collect()
}

/// Returns the dictionary of a translation.
fn kept(chosen: &Configuration) -> Vec<Entry> {
    let Some(Attribute::Dialect { body: Some(body), .. }) = &chosen.translation else {
        return Vec::new();
    };
    let dictionaries = body.iter().find_map(|entry| match &entry.value {
        Attribute::Dictionary(entries) if entry.key.is_empty() => Some(entries.clone()),
        _ => None,
    });
    dictionaries.unwrap_or_default()
}

/// Returns an attribute with values in place of its knobs.
fn filled(attribute: &Attribute, values: &[(String, Attribute)]) -> Attribute {
    if let Some((name, _)) = knob(attribute) {
        let value = values.iter().find(|(known, _)| known == name);
        return value.map_or_else(|| attribute.clone(), |(_, value)| value.clone());
    }
    let all = |entries: &[Entry]| {
        let filled = entries
            .iter()
            .map(|entry| Entry { value: filled(&entry.value, values), ..entry.clone() });
        filled.collect::<Vec<Entry>>()
    };
    match attribute {
        Attribute::Array(parts) => {
            Attribute::Array(parts.iter().map(|part| filled(part, values)).collect())
        }
        Attribute::Dictionary(entries) => Attribute::Dictionary(all(entries)),
        Attribute::Dialect { name, body: Some(body) } => {
            Attribute::dialect(name.clone(), all(body))
        }
        other => other.clone(),
    }
}

/// Returns the path of a knob in an attribute.
fn path_of(attribute: &Attribute, name: &str) -> Option<String> {
    if knob(attribute).is_some_and(|(known, _)| known == name) {
        return Some(String::new());
    }
    match attribute {
        Attribute::Array(parts) => parts
            .iter()
            .enumerate()
            .find_map(|(nth, part)| path_of(part, name).map(|path| format!("[{nth}]{path}"))),
        Attribute::Dictionary(entries) | Attribute::Dialect { body: Some(entries), .. } => {
            entries.iter().find_map(|entry| {
                let path = path_of(&entry.value, name)?;
                let dot = if path.is_empty() || path.starts_with('[') || entry.key.is_empty() {
                    ""
                } else {
                    "."
                };
                Some(format!("{}{dot}{path}", entry.key))
            })
        }
        _ => None,
    }
}
