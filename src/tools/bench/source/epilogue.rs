//! Writes the fused epilogue.

use super::function::{Function, arithmetic, iterators, maps, tensor_type};
use crate::bench::operation::{Epilogue, Operation};

/// Writes the epilogue of `%sums`, if the operation has one. Returns the name of the result.
pub fn text(function: &mut Function, operation: &Operation) -> &'static str {
    let Some(extra) = operation.extra() else { return "%sums" };
    let result = operation.result();
    let rank = result.shape.len();
    let loops: Vec<String> = (0..rank).map(|index| format!("d{index}")).collect();
    let all = loops.join(", ");
    let last = loops.last().map_or("", String::as_str);
    let read = if operation.epilogue == Epilogue::BiasRelu { last } else { &all };
    let (result, extra) = (tensor_type(&result), tensor_type(&extra));
    let element = function.sums.name();
    let (_, add, _) = arithmetic(function.sums);
    let larger = if function.sums.is_float() { "arith.maximumf" } else { "arith.maxsi" };
    let (relu, yielded) = match operation.epilogue {
        Epilogue::BiasRelu => {
            (format!("    %positive = {larger} %added, %zero : {element}\n"), "%positive")
        }
        Epilogue::None | Epilogue::ElementwiseAdd => (String::new(), "%added"),
    };
    function.line(&format!("%fused_empty = tensor.empty() : {result}"));
    function.line(&format!(
        "%fused = linalg.generic {{{}, {}}}\n    ins(%sums, %extra : {result}, {extra})\n    \
         outs(%fused_empty : {result}) {{\n  \
         ^bb0(%sum: {element}, %other: {element}, %unused: {element}):\n    \
         %added = {add} %sum, %other : {element}\n{relu}    \
         linalg.yield {yielded} : {element}\n  }} -> {result}",
        maps(&all, &[&all, read, &all]),
        iterators(rank, 0)
    ));
    "%fused"
}
