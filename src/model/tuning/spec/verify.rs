//! Judges which matchers of a spec were applied, from dumps of a model without and with it.

use super::difference::Difference;
use super::matcher::{Entry, Spec};
use crate::tuning::configuration::{Configuration, Dispatch, Operation};

/// What became of a matcher.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// The dispatches that have its values.
    pub applied: Vec<String>,
    /// The dispatches that it matched and whose lowering configuration the compiler dropped later.
    pub lost: Vec<String>,
    /// Where it was not applied, the dispatch that is most like what it matches.
    pub nearest: Option<Nearest>,
}

/// The dispatch that is most like what a matcher matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    pub dispatch: String,
    pub differences: Vec<Difference>,
    /// The matcher that was applied to it instead.
    pub taken_by: Option<String>,
}

/// Returns a verdict for each matcher, in order.
pub fn verify(spec: &Spec, before: &[Dispatch], after: &[Dispatch]) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::default(); spec.entries.len()];
    for dispatch in after {
        let same = |it: &&Dispatch| it.name == dispatch.name && it.backend() == dispatch.backend();
        let found = of_dispatch(spec, before.iter().find(same), dispatch);
        if let Some((nth, fate)) = found
            && let Some(verdict) = verdicts.get_mut(nth)
        {
            match fate {
                Fate::Applied => verdict.applied.push(dispatch.name.clone()),
                Fate::Lost => verdict.lost.push(dispatch.name.clone()),
            }
        }
    }
    let found = verdicts.clone();
    for (nth, (entry, verdict)) in spec.entries.iter().zip(&mut verdicts).enumerate() {
        if verdict.applied.is_empty() {
            verdict.nearest = nearest(entry, before).map(|(dispatch, differences)| {
                let earlier = spec.entries.iter().zip(&found).take(nth);
                let takes = |(_, verdict): &(&Entry, &Verdict)| verdict.applied.contains(&dispatch);
                let taken_by = earlier.clone().find(takes).map(|(entry, _)| entry.matcher.clone());
                Nearest { dispatch, differences, taken_by }
            });
        }
    }
    verdicts
}

enum Fate {
    Applied,
    Lost,
}

/// Returns the matcher that was applied to a dispatch, if one was.
fn of_dispatch(spec: &Spec, before: Option<&Dispatch>, after: &Dispatch) -> Option<(usize, Fate)> {
    let root_before = before.and_then(Dispatch::root);
    // The compiler marks the operation for which it chose a configuration itself.
    let is_own = after.operations.iter().any(|operation| operation.is_root);
    let is_own = is_own && root_before.is_some_and(|root| root.is_root);
    if is_own {
        return None;
    }
    let entries = || spec.entries.iter().enumerate();
    let fits =
        |entry: &Entry, operation: &Operation| entry.pattern.differences(operation).is_empty();
    let configured = || after.operations.iter().filter(|operation| operation.lowering.is_some());
    let with_values = || {
        entries().flat_map(|(nth, entry)| {
            let has = |it: &&Operation| has_values(&entry.configuration, &after.configuration(it));
            configured().filter(has).map(move |operation| (nth, entry, operation))
        })
    };
    let applied = with_values().find(|(_, entry, operation)| fits(entry, operation));
    if let Some((nth, ..)) = applied.or_else(|| with_values().next()) {
        return Some((nth, Fate::Applied));
    }
    let is_lost =
        root_before.is_some_and(|root| root.lowering.is_some()) && configured().next().is_none();
    let same = |entry: &Entry| entry.configuration.translation == after.translation;
    let lost = is_lost.then(|| entries().find(|(_, entry)| same(entry))).flatten();
    lost.map(|(nth, _)| (nth, Fate::Lost))
}

/// True if a configuration has all values that are wanted.
fn has_values(wanted: &Configuration, found: &Configuration) -> bool {
    let all = found.values();
    wanted.values().iter().all(|value| all.contains(value))
}

/// Returns the dispatch whose root operation differs least from the pattern of a matcher. `None` for conditions, from which
/// nothing can be told to differ.
fn nearest(entry: &Entry, before: &[Dispatch]) -> Option<(String, Vec<Difference>)> {
    if !entry.pattern.conditions().is_empty() {
        return None;
    }
    let of = |dispatch: &Dispatch| {
        Some((dispatch.name.clone(), entry.pattern.differences(dispatch.root()?)))
    };
    before.iter().filter_map(of).min_by_key(|(_, differences)| {
        let weight = |it: &Difference| if it.what == "operation" { 3 } else { 1 };
        differences.iter().map(weight).sum::<u32>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::attribute::Attribute;
    use crate::tuning::configuration::dispatches;
    use crate::tuning::spec::matcher::Sequence;

    const MARK: &str = ", root_op = #iree_codegen.root_op<set = 0>";

    /// A dump of two products, and how it is with other values.
    fn dump(first: &str, second: &str) -> Vec<Dispatch> {
        let function = |rows: u32, values: &str| {
            let attributes =
                if values.is_empty() { String::new() } else { format!("{{{values}}} ") };
            format!(
                "func.func @matmul_{rows}() attributes {{translation_info = #iree_codegen.translation_info<pipeline = #p<A>>}} {{\n  \
                 %1 = linalg.matmul {attributes}ins(%3, %4 : tensor<{rows}x4xf32>, tensor<4x2xf32>) outs(%6 : tensor<{rows}x2xf32>) -> tensor<{rows}x2xf32>\n}}\n"
            )
        };
        dispatches(&(function(8, first) + &function(16, second))).expect("a dump")
    }

    fn lowering(tile: u32) -> String {
        format!("lowering_config = #c<distribution = [{tile}]>")
    }

    /// A spec with these tiles for products of these numbers of rows.
    fn spec(entries: &[(&str, u32)]) -> Spec {
        let mut spec = Spec::default();
        for (nth, (rows, tile)) in entries.iter().enumerate() {
            let text = format!(
                "%1 = linalg.matmul ins(%3, %4 : tensor<{rows}x4xf32>, tensor<4x2xf32>) outs(%6 : tensor<{rows}x2xf32>) -> tensor<{rows}x2xf32>"
            );
            let operation = Operation::read(&[&text]).expect("an operation");
            let attribute = |text: &str| Some(Attribute::parse(text).expect(text));
            let configuration = Configuration {
                lowering: attribute(&format!("#c<distribution = [{tile}]>")),
                translation: attribute("#iree_codegen.translation_info<pipeline = #p<A>>"),
                decomposition: None,
            };
            let (entry, sequences): (Entry, Vec<Sequence>) =
                Entry::of(&nth.to_string(), &operation, &configuration).expect("a matcher");
            spec.entries.push(entry);
            spec.sequences.extend(sequences);
        }
        spec
    }

    #[test]
    fn values_without_a_mark_were_set_by_the_spec() {
        let own = lowering(1) + MARK;
        let before = dump(&own, &own);
        let verdicts = verify(&spec(&[("8", 4), ("16", 2)]), &before, &dump(&lowering(4), &own));
        assert_eq!(verdicts[0].applied, ["matmul_8"]);
        let nearest = verdicts[1].nearest.as_ref().expect("not applied");
        assert_eq!((nearest.dispatch.as_str(), nearest.differences.len()), ("matmul_16", 0));
        assert_eq!(nearest.taken_by, None);
        // The compiler's own choice may have the values that are wanted.
        let verdicts = verify(&spec(&[("8", 1)]), &before, &before);
        assert!(verdicts[0].applied.is_empty());
    }

    #[test]
    fn what_never_applies_has_a_nearest_dispatch() {
        let own = lowering(1) + MARK;
        let before = dump(&own, &own);
        let after = dump(&lowering(4), &lowering(4));
        let verdicts = verify(&spec(&[("?", 4), ("16", 2), ("32", 8)]), &before, &after);
        assert_eq!(verdicts[0].applied, ["matmul_8", "matmul_16"]);
        let taken = verdicts[1].nearest.as_ref().expect("not applied");
        assert_eq!(taken.taken_by.as_deref(), Some("match_0"));
        let other = verdicts[2].nearest.as_ref().expect("not applied");
        let differences: Vec<&str> = other.differences.iter().map(|it| it.what).collect();
        assert_eq!(differences, ["shape", "shape"]);
        assert_eq!(other.differences[0].found, "tensor<8x4xf32>");
    }

    #[test]
    fn lost_configurations_are_told() {
        let own = lowering(1) + MARK;
        let verdicts = verify(&spec(&[("8", 4)]), &dump(&own, &own), &dump("", &own));
        assert_eq!(
            (verdicts[0].applied.len(), verdicts[0].lost.as_slice()),
            (0, &["matmul_8".to_owned()][..])
        );
    }
}
