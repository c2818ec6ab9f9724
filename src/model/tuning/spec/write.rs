//! Writes tuning specs: matchers made from operations of dumps, and whole modules.

use std::collections::BTreeSet;

use super::matcher::{Entry, Sequence, Spec};
use super::operands::{Operands, conditions};
use super::pattern::Pattern;
use crate::operation::mlir::replaced;
use crate::tuning::configuration::{Configuration, Operation};

/// Why no matcher can be written for an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    #[error("{0} has no operands in ins and outs, from which a matcher could be made")]
    NoOperands(String),
    #[error("nothing configures it: a lowering_config or a translation_info is missing")]
    NoConfiguration,
}

impl Entry {
    /// Makes a matcher of this name for the operations that are like this one, and its sequences.
    pub fn of(
        name: &str,
        operation: &Operation,
        configuration: &Configuration,
    ) -> Result<(Self, Vec<Sequence>), Unwritable> {
        if operation.operands().next().is_none() {
            return Err(Unwritable::NoOperands(operation.name.clone()));
        }
        let (Some(lowering), Some(translation)) =
            (&configuration.lowering, &configuration.translation)
        else {
            return Err(Unwritable::NoConfiguration);
        };
        let (pattern, condition) = if operation.captures {
            (Pattern::Operands(Operands::of(operation)), conditions(operation))
        } else {
            (Pattern::Operation(Box::new(operation.clone())), equal(operation))
        };
        let matcher = format!("match_{}", plain(name));
        let mut results = vec!["!transform.any_op", "!transform.any_param"];
        let mut values = vec!["%op", "%config"];
        let mut constants = format!(
            "    %config = transform.param.constant #iree_codegen.compilation_info<lowering_config = {lowering}, \
             translation_info = {translation}> -> !transform.any_param\n"
        );
        if let Some(decomposition) = &configuration.decomposition {
            results.push("!transform.any_param");
            values.push("%decomposition_config");
            constants.push_str(&format!(
                "    %decomposition_config = transform.param.constant {decomposition} -> !transform.any_param\n"
            ));
        }
        let (results, values) = (results.join(", "), values.join(", "));
        let text = format!(
            "transform.named_sequence @{matcher}(%op: !transform.any_op {{transform.readonly}}) -> ({results}) {{\n\
             {condition}{constants}    transform.yield {values} : {results}\n  }}"
        );
        let action = action(configuration.decomposition.is_some());
        let entry = Self {
            matcher: matcher.clone(),
            action: action.name.clone(),
            pattern,
            configuration: configuration.clone(),
        };
        Ok((entry, vec![action, Sequence { name: matcher, text }]))
    }
}

/// The sequence that sets what a matcher yields.
fn action(has_decomposition: bool) -> Sequence {
    let (name, parameter, annotation) = if has_decomposition {
        (
            "apply_attention_op_config",
            ", %decomposition_config: !transform.any_param {transform.readonly}",
            "    transform.annotate %op \"decomposition_config\" = %decomposition_config : !transform.any_op, !transform.any_param\n",
        )
    } else {
        ("apply_op_config", "", "")
    };
    let text = format!(
        "transform.named_sequence @{name}(%op: !transform.any_op {{transform.readonly}}, \
         %config: !transform.any_param {{transform.readonly}}{parameter}) {{\n    \
         transform.annotate %op \"compilation_info\" = %config : !transform.any_op, !transform.any_param\n\
         {annotation}    transform.yield\n  }}"
    );
    Sequence { name: name.to_owned(), text }
}

/// The condition that an operation is equal to this one.
fn equal(operation: &Operation) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut arguments: Vec<String> = Vec::new();
    for operand in operation.operands() {
        if !names.contains(&operand.name.as_str()) {
            arguments.push(format!("%operand{}: {}", names.len(), operand.type_text));
            names.push(&operand.name);
        }
    }
    let text = replaced(&operation.text, '%', "_#$.-", |name| {
        let is_it = |known: &&str| known.strip_prefix('%') == Some(name);
        names.iter().position(is_it).map(|nth| format!("%operand{nth}"))
    });
    let body: String = text.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "    %inputs, %outputs = transform.iree.match.cast_compatible_dag_from_root %op {{\n    \
         ^bb0({}):\n{body}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)\n",
        arguments.join(", ")
    )
}

/// Returns a name with only letters, digits and underscores.
fn plain(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

/// Returns the text of a spec. Each line of the comment stands at its start.
pub fn write(spec: &Spec, comment: &str) -> String {
    let mut text: String = comment.lines().map(|line| format!("// {line}\n")).collect();
    text.push_str(
        "module @tuning_spec attributes {transform.with_named_sequence, \
         iree_codegen.tuning_spec_with_default_entrypoint} {\n",
    );
    let mut written = BTreeSet::new();
    for Sequence { name, text: own } in &spec.sequences {
        if written.insert(name) {
            text.push_str(&format!("  {own}\n"));
        }
    }
    let pairs = spec.entries.iter().map(|it| format!("      @{} -> @{}", it.matcher, it.action));
    text.push_str(&format!(
        "  transform.named_sequence @__kernel_config(%variant_op: !transform.any_op {{transform.consumed}}) -> \
         !transform.any_op attributes {{iree_codegen.tuning_spec_entrypoint}} {{\n    \
         %result = transform.foreach_match in %variant_op\n{}\n      \
         : (!transform.any_op) -> !transform.any_op\n    \
         transform.yield %result : !transform.any_op\n  }}\n}}\n",
        pairs.collect::<Vec<_>>().join(",\n")
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::attribute::Attribute;

    const MATMUL: &str = "%12:3 = linalg.matmul ins(%3, %3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%11#2 : tensor<4x4xf32>) -> tensor<4x4xf32>";
    const CAPTURING: &str = "%1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {\n^bb0(%in: f32, %out: f32):\n  %2 = arith.addf %in, %cst : f32\n  linalg.yield %2 : f32\n} -> tensor<4xf32>";

    fn spec(text: &str) -> (Spec, String) {
        let operation = Operation::read(&text.lines().collect::<Vec<_>>()).expect(text);
        let attribute = |text: &str| Some(Attribute::parse(text).expect(text));
        let configuration = Configuration {
            lowering: attribute("#iree_cpu.lowering_config<distribution = [2]>"),
            translation: attribute(
                "#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<A>>",
            ),
            decomposition: None,
        };
        let (entry, sequences) = Entry::of("a$b", &operation, &configuration).expect("a matcher");
        let spec = Spec { sequences, entries: vec![entry] };
        let text = write(&spec, "one\ntwo");
        (spec, text)
    }

    #[test]
    fn what_is_written_is_read_alike() {
        for operation in [MATMUL, CAPTURING] {
            let (spec, text) = spec(operation);
            assert!(text.starts_with("// one\n// two\nmodule @tuning_spec"), "{text}");
            let read = Spec::read(&text).expect(&text);
            assert_eq!(read.entries.len(), 1);
            assert_eq!(read.sequences, spec.sequences);
            assert!(
                read.entries[0].pattern.is_same(&spec.entries[0].pattern),
                "{:?}",
                read.entries
            );
            assert_eq!(read.entries[0].configuration, spec.entries[0].configuration);
            assert_eq!(read.entries[0].matcher, "match_a_b");
        }
    }

    #[test]
    fn operands_are_arguments_of_the_pattern() {
        let (_, text) = spec(MATMUL);
        assert!(
            text.contains("^bb0(%operand0: tensor<4x4xf32>, %operand1: tensor<4x4xf32>):"),
            "{text}"
        );
        assert!(text.contains("ins(%operand0, %operand0 : tensor"), "{text}");
        let (_, text) = spec(CAPTURING);
        assert!(text.contains("match.operation_name %op [\"linalg.generic\"]"), "{text}");
        assert!(text.contains("%inputs = transform.match.structured.num_inputs "), "{text}");
    }
}
