//! Writes convolutions of NHWC images with HWCF filters.

use super::function::{Function, iterators, maps, tensor_type, types};
use crate::bench::operation::{Layout, Operation, Shape, Tensor};
use crate::bench::target::{Backend, Target};

/// Writes the named operation, or a generic one without batch if the compiler would drop the configuration with the
/// batch loop. The result is `%sums`.
pub fn text(function: &mut Function, operation: &Operation, info: Option<&str>, target: &Target) {
    let Shape::Conv2d(convolution) = operation.shape else { return };
    let stride = convolution.stride;
    match info {
        Some(info) if convolution.batch == 1 && target.backend() != Backend::LlvmCpu => {
            without_batch(function, operation, stride, info);
        }
        _ => named(function, operation, stride, info),
    }
}

fn named(function: &mut Function, operation: &Operation, stride: u64, info: Option<&str>) {
    function.zeros("sums", &operation.result());
    let [lhs, rhs, result] = types(operation);
    let info = info.map_or(String::new(), |it| format!("compilation_info = {it}, "));
    function.line(&format!(
        "%sums = linalg.conv_2d_nhwc_hwcf {{{info}dilations = dense<1> : tensor<2xi64>, \
         strides = dense<{stride}> : tensor<2xi64>}}\n    \
         ins(%lhs, %rhs : {lhs}, {rhs})\n    outs(%sums_zeros : {result}) -> {result}"
    ));
}

fn without_batch(function: &mut Function, operation: &Operation, stride: u64, info: &str) {
    let one = |tensor: Tensor| {
        Tensor::new(tensor.shape.into_iter().skip(1), tensor.element, Layout::Nhwc)
    };
    let [images, _, pixels] = operation.tensors();
    let extents: Vec<String> = pixels.shape.iter().map(u64::to_string).collect();
    let (image, sums) = (tensor_type(&one(images)), one(pixels));
    let [lhs, rhs, result] = types(operation);
    function.line(&format!(
        "%image = tensor.collapse_shape %lhs [[0, 1], [2], [3]] : {lhs} into {image}"
    ));
    function.zeros("pixels", &sums);
    let sums = tensor_type(&sums);
    let from = format!("h * {stride} + i, w * {stride} + j, c");
    function.line(&format!(
        "%pixels = linalg.generic {{{}, {}}}\n    ins(%image, %rhs : {image}, {rhs})\n    \
         outs(%pixels_zeros : {sums}) attrs = {{compilation_info = {info}}} {{\n{} -> {sums}",
        maps("h, w, f, i, j, c", &[&from, "i, j, c, f", "h, w, f"]),
        iterators(3, 3),
        function.multiply_add(operation.types.operand())
    ));
    function.line(&format!(
        "%sums = tensor.expand_shape %pixels [[0, 1], [2], [3]] output_shape [{}] : {sums} into {result}",
        extents.join(", ")
    ));
}
