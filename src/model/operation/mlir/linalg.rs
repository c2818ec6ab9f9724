//! The work of an operation outside of its region.

use std::collections::HashMap;

use super::map;
use super::types::{Tensor, joined, operands};
use crate::operation::cost::{self, SOFTMAX, is_multiply_add};
use crate::operation::element::product;

/// An operation of a function.
pub struct Operation {
    /// The name without its dialect.
    pub kind: String,
    /// The loops, where the maps tell them.
    pub loops: Option<Vec<u64>>,
    /// The element types of the operands; one if all are the same.
    pub dtype: String,
    pub work: Work,
}

/// The arithmetic of an operation.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// A known number of operations.
    Whole(u64),
    /// What its region does, so many times.
    Region(u64),
    Unknown,
}

/// Reads an operation of the dialect `linalg` or `iree_linalg_ext`.
pub fn read(name: &str, line: &str, aliases: &HashMap<&str, &str>) -> Operation {
    let kind = name.rsplit('.').next().unwrap_or(name);
    let inputs = operands(line, "ins(").unwrap_or_default();
    let outputs = operands(line, "outs(").unwrap_or_default();
    let all: Vec<Tensor<'_>> = inputs.iter().chain(&outputs).cloned().collect();
    let maps = map::maps(line, aliases);
    let loops = maps.as_deref().and_then(|maps| map::loops(maps, &all));
    let work = match kind {
        "generic" => loops.clone().and_then(product).map(Work::Region),
        "reduce" => inputs.first().and_then(Tensor::elements).map(Work::Region),
        "map" => outputs.first().and_then(Tensor::elements).map(Work::Region),
        "attention" => attention(maps.as_deref(), &all).map(Work::Whole),
        "softmax" => times(inputs.first(), SOFTMAX),
        "elementwise" => times(outputs.first(), 1),
        _ if loops.is_some() && is_multiply_add(kind) => {
            loops.clone().and_then(product).and_then(|all| all.checked_mul(2)).map(Work::Whole)
        }
        _ if kind.contains("conv") => convolution(kind, &inputs, &outputs).map(Work::Whole),
        _ if is_multiply_add(kind) => contraction(kind, &inputs, &outputs).map(Work::Whole),
        _ if kind.starts_with("pooling") => pooling(&inputs, &outputs).map(Work::Whole),
        _ if cost::is_move(kind) => Some(Work::Whole(0)),
        _ if name.starts_with("linalg.") && is_elementwise(kind) => times(outputs.first(), 1),
        _ => None,
    };
    Operation {
        kind: kind.to_owned(),
        loops,
        dtype: joined(all.iter().map(|tensor| tensor.element)),
        work: work.unwrap_or(Work::Unknown),
    }
}

fn times(tensor: Option<&Tensor<'_>>, each: u64) -> Option<Work> {
    tensor?.elements()?.checked_mul(each).map(Work::Whole)
}

/// The named elementwise operations.
fn is_elementwise(kind: &str) -> bool {
    const KINDS: &[&str] = &[
        "abs",
        "add",
        "ceil",
        "div",
        "div_unsigned",
        "erf",
        "exp",
        "floor",
        "log",
        "max",
        "min",
        "mul",
        "negf",
        "powf",
        "reciprocal",
        "round",
        "rsqrt",
        "sqrt",
        "square",
        "sub",
        "tanh",
    ];
    KINDS.contains(&kind)
}

/// Counts a product whose maps are those of its name: elements of the result times depth. The depth follows from the
/// sizes alone, whatever is transposed: lhs x rhs / result is its square, once per batch.
fn contraction(kind: &str, inputs: &[Tensor<'_>], outputs: &[Tensor<'_>]) -> Option<u64> {
    let [lhs, rhs, ..] = inputs else { return None };
    let result = outputs.first()?;
    let is_batch = kind.contains("batch_") && !kind.contains("batch_reduce");
    let batch = if is_batch { (*result.shape.first()?)? } else { 1 };
    let elements = result.elements()?;
    let operands = u128::from(lhs.elements()?) * u128::from(rhs.elements()?);
    let square = operands.checked_div(u128::from(elements) * u128::from(batch))?;
    let depth = u64::try_from(square.isqrt()).ok()?;
    elements.checked_mul(depth)?.checked_mul(2)
}

/// Counts a convolution: each element of the result adds up products over the channels and the window of the filter,
/// whose layout ends the name (`nhwc_hwcf`).
fn convolution(kind: &str, inputs: &[Tensor<'_>], outputs: &[Tensor<'_>]) -> Option<u64> {
    let [_, filter, ..] = inputs else { return None };
    let layout = kind.trim_end_matches("_q").rsplit('_').next()?;
    let has_layout =
        layout.len() == filter.shape.len() && !layout.starts_with(|c: char| c.is_ascii_digit());
    let is_depthwise = kind.starts_with("depthwise");
    let mut reduced = 1_u64;
    for (nth, extent) in filter.shape.iter().enumerate() {
        let letter = layout.chars().nth(nth).filter(|_| has_layout);
        let is_parallel =
            matches!(letter, Some('f' | 'g' | 'm')) || (is_depthwise && letter == Some('c'));
        if !is_parallel {
            reduced = reduced.checked_mul((*extent)?)?;
        }
    }
    outputs.first()?.elements()?.checked_mul(reduced)?.checked_mul(2)
}

fn pooling(inputs: &[Tensor<'_>], outputs: &[Tensor<'_>]) -> Option<u64> {
    let [_, window, ..] = inputs else { return None };
    outputs.first()?.elements()?.checked_mul(window.elements()?)
}

/// Counts the two products of an attention: queries with keys over their common depth, and scores with values.
fn attention(maps: Option<&[map::Map]>, operands: &[Tensor<'_>]) -> Option<u64> {
    let maps = maps?;
    let extents = map::loops(maps, operands)?;
    let [query, key, value, .., result] = maps else { return None };
    let work = |one: &map::Map, other: &map::Map| {
        let mut loops: Vec<usize> =
            one.results.iter().chain(&other.results).copied().collect::<Option<_>>()?;
        loops.sort_unstable();
        loops.dedup();
        product(
            loops
                .into_iter()
                .map(|place| extents.get(place).copied())
                .collect::<Option<Vec<u64>>>()?,
        )
    };
    work(query, key)?.checked_add(work(result, value)?)?.checked_mul(2)
}
