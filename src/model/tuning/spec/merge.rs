//! Joins several specs into one.

use std::collections::{BTreeMap, BTreeSet};

use super::matcher::{Entry, Sequence, Spec};
use super::source::SYMBOL;
use crate::operation::mlir::{names, replaced};

/// Several specs as one. Matchers are tried in the order of the specs.
#[derive(Debug, Clone, Default)]
pub struct Merged {
    pub spec: Spec,
    /// Matchers that no longer apply, as an earlier one takes all that they match, and sets something else.
    pub conflicts: Vec<Conflict>,
    /// Matchers that were left out, as an earlier one does the same: their spec and name.
    pub repeated: Vec<(usize, String)>,
}

/// A matcher that an earlier one hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The number of the spec and the matcher that is tried first.
    pub first: (usize, String),
    /// The number of the spec and the matcher that is hidden.
    pub hidden: (usize, String),
    /// Whether both match the same. Otherwise, the first matches more.
    pub is_same: bool,
    /// The knobs that differ, with the value of the first and of the hidden one.
    pub knobs: Vec<(String, String, String)>,
}

/// Joins specs. Matchers of the later ones that an earlier one hides are left out.
pub fn merge(specs: &[Spec]) -> Merged {
    let mut merged = Merged::default();
    // The spec and the name in it of each matcher so far.
    let mut sources: Vec<(usize, String)> = Vec::new();
    for (nth, spec) in specs.iter().enumerate() {
        let names = add_sequences(&mut merged.spec.sequences, &spec.sequences);
        let renamed = |name: &String| names.get(name).unwrap_or(name).clone();
        for entry in &spec.entries {
            let source = (nth, entry.matcher.clone());
            let earlier = merged.spec.entries.iter().zip(&sources);
            let hides = |(first, of): &(&Entry, &(usize, String))| {
                of.0 != nth && first.pattern.covers(&entry.pattern)
            };
            if let Some((first, of)) = earlier.clone().find(hides) {
                let knobs = differing(first, entry);
                let is_same = entry.pattern.covers(&first.pattern);
                if knobs.is_empty() {
                    merged.repeated.push(source);
                } else {
                    let conflict = Conflict { first: of.clone(), hidden: source, is_same, knobs };
                    merged.conflicts.push(conflict);
                }
                continue;
            }
            sources.push(source);
            merged.spec.entries.push(Entry {
                matcher: renamed(&entry.matcher),
                action: renamed(&entry.action),
                ..entry.clone()
            });
        }
    }
    drop_unused(&mut merged.spec);
    merged
}

/// Adds sequences, with new names where others have theirs. Returns the names that changed.
fn add_sequences(all: &mut Vec<Sequence>, more: &[Sequence]) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for sequence in more {
        let is_other = |it: &Sequence| it.name == sequence.name && it.text != sequence.text;
        if !all.iter().any(is_other) {
            continue;
        }
        let taken = |name: &String| all.iter().chain(more).any(|it| it.name == *name);
        let new =
            (2..=u32::MAX).map(|nth| format!("{}_{nth}", sequence.name)).find(|it| !taken(it));
        names.insert(sequence.name.clone(), new.unwrap_or_default());
    }
    for sequence in more {
        let name = names.get(&sequence.name).unwrap_or(&sequence.name).clone();
        let new = |name: &str| names.get(name).map(|new| format!("@{new}"));
        let text = replaced(&sequence.text, '@', SYMBOL, new);
        if !all.iter().any(|it| it.name == name) {
            all.push(Sequence { name, text });
        }
    }
    names
}

/// Returns the knobs in which two matchers differ, with both values.
pub(crate) fn differing(one: &Entry, other: &Entry) -> Vec<(String, String, String)> {
    let values = |entry: &Entry| -> BTreeMap<String, String> {
        entry.configuration.values().into_iter().collect()
    };
    let (one, other) = (values(one), values(other));
    let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let value = |of: &BTreeMap<String, String>, name| of.get(name).cloned().unwrap_or_default();
    let pairs =
        names.into_iter().map(|name| (name.clone(), value(&one, name), value(&other, name)));
    pairs.filter(|(_, one, other)| one != other).collect()
}

/// Removes the sequences that no matcher needs any more.
fn drop_unused(spec: &mut Spec) {
    let all = std::mem::take(&mut spec.sequences);
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> =
        spec.entries.iter().flat_map(|it| [it.matcher.as_str(), &it.action]).collect();
    while let Some(name) = open.pop() {
        if needed.insert(name)
            && let Some(sequence) = all.iter().find(|sequence| sequence.name == name)
        {
            open.extend(names(&sequence.text, '@', SYMBOL).map(|(name, _)| name));
        }
    }
    let is_needed = |sequence: &&Sequence| needed.contains(sequence.name.as_str());
    spec.sequences = all.iter().filter(is_needed).cloned().collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::spec::write;

    fn spec(entries: &[(&str, &str, u32)]) -> Spec {
        let mut text = String::new();
        let mut pairs = Vec::new();
        for (name, rows, tile) in entries {
            text.push_str(&format!(
                "transform.named_sequence @{name}(%op: !transform.any_op) -> (!transform.any_op, !transform.any_param) {{\n\
                 %i, %o = transform.iree.match.cast_compatible_dag_from_root %op {{\n^bb0(%a: tensor<{rows}xf32>):\n\
                 %r = linalg.exp ins(%a : tensor<{rows}xf32>) outs(%a : tensor<{rows}xf32>) -> tensor<{rows}xf32>\n}} : x\n\
                 %c = transform.param.constant #iree_codegen.compilation_info<lowering_config = #l<tile = [{tile}]>, translation_info = <pipeline = A>> -> !transform.any_param\n}}\n"
            ));
            pairs.push(format!("@{name} -> @apply"));
        }
        text.push_str("transform.named_sequence @apply(%op: !transform.any_op) {\n}\n");
        text.push_str(&format!(
            "transform.named_sequence @__kernel_config(%v: !transform.any_op) {{\ntransform.foreach_match in %v {} : (!transform.any_op) -> x\n}}\n",
            pairs.join(", ")
        ));
        Spec::read(&text).expect(&text)
    }

    #[test]
    fn matchers_keep_their_order_and_get_names() {
        let merged =
            merge(&[spec(&[("match", "4", 1)]), spec(&[("match", "8", 2), ("other", "?", 3)])]);
        assert!(merged.conflicts.is_empty() && merged.repeated.is_empty(), "{merged:?}");
        let names: Vec<&str> = merged.spec.entries.iter().map(|it| it.matcher.as_str()).collect();
        assert_eq!(names, ["match", "match_2", "other"]);
        let read = Spec::read(&write(&merged.spec, "")).expect("a spec");
        assert_eq!(read.sequences.len(), 4, "{:?}", read.sequences);
        let tiles: Vec<String> =
            read.entries.iter().map(|it| it.configuration.knobs()[0].1.clone()).collect();
        assert_eq!(tiles, ["[1]", "[2]", "[3]"]);
    }

    #[test]
    fn hidden_matchers_are_conflicts() {
        let merged = merge(&[
            spec(&[("match", "?", 1)]),
            spec(&[("a", "8", 2), ("b", "4", 1), ("c", "?", 5)]),
        ]);
        assert_eq!(merged.repeated, [(1, "b".to_owned())]);
        let told: Vec<(&str, bool)> =
            merged.conflicts.iter().map(|it| (it.hidden.1.as_str(), it.is_same)).collect();
        assert_eq!(told, [("a", false), ("c", true)]);
        let knob = ("tile".to_owned(), "[1]".to_owned(), "[2]".to_owned());
        assert_eq!(merged.conflicts[0].knobs, [knob]);
        assert_eq!(merged.spec.entries.len(), 1);
        assert_eq!(merged.spec.sequences.len(), 2);
    }
}
