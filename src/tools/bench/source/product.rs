//! Writes matrix products.

use super::function::{Function, arithmetic, iterators, maps, tensor_type, types};
use crate::bench::operation::{Kind, Operation, Shape, Tensor};

/// Writes the named operation. The result is `%sums`.
pub fn named(function: &mut Function, operation: &Operation, info: Option<&str>) {
    function.zeros("sums", &operation.result());
    let name =
        if operation.kind() == Kind::BatchMatmul { "linalg.batch_matmul" } else { "linalg.matmul" };
    let [lhs, rhs, result] = types(operation);
    let attributes = info.map_or(String::new(), |it| format!(" {{compilation_info = {it}}}"));
    function.line(&format!(
        "%sums = {name}{attributes}\n    ins(%lhs, %rhs : {lhs}, {rhs})\n    \
         outs(%sums_zeros : {result}) -> {result}"
    ));
}

/// Writes a split-k product: computes each slice of the reduction separately, then adds the slices. It is written
/// explicitly because the compiler's own splitting depends on the shape and on flags for the whole module. The result
/// is `%sums`.
pub(crate) fn in_slices(function: &mut Function, operation: &Operation, info: Option<&str>) {
    let Shape::MatmulSplitk { m, n, k, slices } = operation.shape else { return };
    let depth = k.checked_div(slices).unwrap_or(0);
    let operand = operation.types.operand();
    let [lhs, rhs, result] = types(operation);
    let left = tensor_type(&Tensor::rows([m, slices, depth], operand));
    let right = tensor_type(&Tensor::rows([slices, depth, n], operand));
    function.line(&format!(
        "%left_slices = tensor.expand_shape %lhs [[0], [1, 2]] \
         output_shape [{m}, {slices}, {depth}] : {lhs} into {left}"
    ));
    function.line(&format!(
        "%right_slices = tensor.expand_shape %rhs [[0, 1], [2]] \
         output_shape [{slices}, {depth}, {n}] : {rhs} into {right}"
    ));
    let partial = Tensor::rows([slices, m, n], function.sums);
    function.zeros("partial", &partial);
    let attributes =
        info.map_or(String::new(), |it| format!(" attrs = {{compilation_info = {it}}}"));
    let partial = tensor_type(&partial);
    function.line(&format!(
        "%partial = linalg.generic {{{}, {}}}\n    \
         ins(%left_slices, %right_slices : {left}, {right})\n    \
         outs(%partial_zeros : {partial}){attributes} {{\n{} -> {partial}",
        maps("s, m, n, k", &["m, s, k", "s, k, n", "s, m, n"]),
        iterators(3, 1),
        function.multiply_add(operand)
    ));
    function.zeros("sums", &operation.result());
    let (_, add, _) = arithmetic(function.sums);
    function.line(&format!(
        "%sums = linalg.reduce {{ {add} }}\n    ins(%partial : {partial})\n    \
         outs(%sums_zeros : {result}) dimensions = [0]"
    ));
}
