//! An operation of a dispatch: what it computes on which operands, and its loops.

use std::collections::{BTreeSet, HashMap};

use super::head::Head;
use crate::operation::mlir::{Map, Tensor, extents, inside, joined, maps, names, operation, parts};
use crate::operation::named;
use crate::tuning::attribute::Attribute;

/// An operand by its name in the dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// With its `%`.
    pub name: String,
    /// The type as it is written.
    pub(crate) type_text: String,
}

impl Operand {
    /// Returns the tensor or scalar; `None` for a type that is not understood.
    pub fn tensor(&self) -> Option<Tensor<'_>> {
        Tensor::read(&self.type_text)
    }
}

/// A loop of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    pub is_reduction: bool,
    /// `None` if it is dynamic.
    pub extent: Option<u64>,
}

/// An operation, without what configures it.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The name with its dialect: `linalg.matmul`.
    pub name: String,
    /// Its lines, without what configures it.
    pub text: String,
    pub lowering: Option<Attribute>,
    pub decomposition: Option<Attribute>,
    /// Whether it is marked as the root operation.
    pub is_root: bool,
    pub inputs: Vec<Operand>,
    pub outputs: Vec<Operand>,
    /// The loops, outermost first; empty if they are not known.
    pub loops: Vec<Loop>,
    /// Whether the body takes values from outside, besides the operands.
    pub captures: bool,
}

impl Operation {
    /// Reads the operation that the first of the lines begins; `None` if it is none with operands in `ins` and `outs`.
    pub fn read(lines: &[&str]) -> Option<Self> {
        let (first, body) = lines.split_first()?;
        let head = Head::read(first.trim());
        let name = operation(&head.text)?.to_owned();
        let (inputs, outputs) = (list(&head.text, "ins(")?, list(&head.text, "outs(")?);
        let operands: Vec<&Operand> = inputs.iter().chain(&outputs).collect();
        let loops = loops(&name, &head.text, &operands, outputs.len()).unwrap_or_default();
        let depth = first.len() - first.trim_start().len();
        let unindented = |line: &&str| line.get(depth..).unwrap_or(line.trim_start()).to_owned();
        let text = std::iter::once(head.text.clone()).chain(body.iter().map(unindented));
        let text = text.collect::<Vec<_>>().join("\n");
        let captures = captures(&text, &operands);
        let Head { lowering, decomposition, is_root, .. } = head;
        Some(Self {
            name,
            text,
            lowering,
            decomposition,
            is_root,
            inputs,
            outputs,
            loops,
            captures,
        })
    }

    /// Iterates over inputs and outputs.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.inputs.iter().chain(&self.outputs)
    }

    /// Returns the shapes of the operands: `256x512, 512x128 -> 256x128`.
    pub fn shapes(&self) -> String {
        let shape = |operand: &Operand| {
            let of = |tensor: Tensor<'_>| {
                if tensor.shape.is_empty() {
                    return "scalar".to_owned();
                }
                let extents = tensor.shape.iter();
                let extents = extents.map(|it| it.map_or("?".to_owned(), |it| it.to_string()));
                extents.collect::<Vec<_>>().join("x")
            };
            operand.tensor().map_or_else(|| operand.type_text.clone(), of)
        };
        let of = |all: &[Operand]| all.iter().map(shape).collect::<Vec<_>>().join(", ");
        format!("{} -> {}", of(&self.inputs), of(&self.outputs))
    }

    /// Returns the element types of the operands, one if all are the same: `f16xf16xf32`.
    pub fn types(&self) -> String {
        let operands = self.operands();
        joined(operands.map(|it| it.tensor().map_or(it.type_text.as_str(), |it| it.element)))
    }
}

/// Reads the operands of `ins(` or `outs(`. `None` if the list is not understood; empty if there is none.
fn list(head: &str, opening: &str) -> Option<Vec<Operand>> {
    let Some(inside) = inside(head, opening) else { return Some(Vec::new()) };
    let (names, types) = inside.split_once(" : ")?;
    let (names, types) = (parts(names), parts(types));
    let operand = |(name, type_text): (&str, &str)| Operand {
        name: name.to_owned(),
        type_text: type_text.to_owned(),
    };
    (names.len() == types.len()).then(|| names.into_iter().zip(types).map(operand).collect())
}

/// Returns the loops of an operation. Where they are not told apart, a loop that no dimension of an output follows is a
/// reduction.
fn loops(name: &str, head: &str, operands: &[&Operand], outputs: usize) -> Option<Vec<Loop>> {
    let written = maps(head, &HashMap::new());
    let maps = written.or_else(|| {
        let (maps, count) = named::maps(name.strip_prefix("linalg.")?)?;
        let map =
            |of: &&[usize]| Map { loops: count, results: of.iter().copied().map(Some).collect() };
        Some(maps.iter().map(map).collect())
    })?;
    let tensors: Vec<Tensor<'_>> =
        operands.iter().map(|operand| operand.tensor()).collect::<Option<_>>()?;
    let parallel: BTreeSet<usize> = if let Some(kinds) = iterators(head) {
        (0..).zip(kinds).filter(|(_, it)| *it == "\"parallel\"").map(|it| it.0).collect()
    } else {
        let of_outputs = maps.iter().rev().take(outputs);
        of_outputs.flat_map(|map| map.results.iter().copied().flatten()).collect()
    };
    let extents = extents(&maps, &tensors)?;
    let of = |(nth, extent)| Loop { is_reduction: !parallel.contains(&nth), extent };
    Some(extents.into_iter().enumerate().map(of).collect())
}

fn iterators(head: &str) -> Option<Vec<&str>> {
    inside(head, "iterator_types = [").map(parts)
}

/// Whether a text uses values that it neither defines nor has as operands.
fn captures(text: &str, operands: &[&Operand]) -> bool {
    let mut known: BTreeSet<&str> =
        operands.iter().flat_map(|operand| values(&operand.name)).collect();
    for line in text.lines().map(str::trim) {
        let used = match line.split_once(" = ") {
            Some((results, rest)) if results.starts_with('%') => {
                known.extend(values(results));
                rest
            }
            _ if line.starts_with("^bb") => {
                known.extend(values(line));
                continue;
            }
            _ => line,
        };
        if values(used).any(|value| !known.contains(value)) {
            return true;
        }
    }
    false
}

/// Iterates over the names of values in a text.
fn values(text: &str) -> impl Iterator<Item = &str> {
    names(text, '%', "_$.-").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Operation {
        Operation::read(&text.lines().collect::<Vec<_>>()).expect(text)
    }

    #[test]
    fn named_operations_have_loops() {
        let matmul = read(
            "        %7 = linalg.matmul {lowering_config = #a<b = [1]>, root_op = #r} ins(%3, %4 : tensor<?x512xf16>, tensor<512x128xf16>) outs(%6 : tensor<?x128xf32>) -> tensor<?x128xf32>",
        );
        let reductions: Vec<bool> = matmul.loops.iter().map(|it| it.is_reduction).collect();
        let extents: Vec<Option<u64>> = matmul.loops.iter().map(|it| it.extent).collect();
        assert_eq!(reductions, [false, false, true]);
        assert_eq!(extents, [None, Some(128), Some(512)]);
        assert_eq!(matmul.shapes(), "?x512, 512x128 -> ?x128");
        assert_eq!(matmul.types(), "f16xf16xf32");
        assert!(matmul.is_root && !matmul.captures);
    }

    #[test]
    fn generic_operations_have_loops_and_may_capture_values() {
        let generic = read(
            "    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 * 2 + d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = [\"parallel\", \"reduction\", \"parallel\"]} ins(%3, %4#1 : tensor<9x8xf32>, tensor<3xf32>) outs(%6 : tensor<4x8xf32>) {\n    ^bb0(%in: f32, %in_0: f32, %out: f32):\n      %8 = arith.mulf %in, %cst : f32\n      %9 = arith.addf %out, %8 : f32\n      linalg.yield %9 : f32\n    } -> tensor<4x8xf32>",
        );
        let loops: Vec<(bool, Option<u64>)> =
            generic.loops.iter().map(|it| (it.is_reduction, it.extent)).collect();
        assert_eq!(loops, [(false, Some(4)), (true, Some(3)), (false, Some(8))]);
        assert!(generic.captures);
        assert!(generic.text.contains("\n^bb0(%in"), "{}", generic.text);
        assert!(generic.text.ends_with("\n} -> tensor<4x8xf32>"), "{}", generic.text);
    }
}
