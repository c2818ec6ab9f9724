//! Writes convolutions of NHWC images with HWCF filters.

use super::function::{Function, iterators, maps, tensor_type};
use crate::bench::operation::{Convolution, Layout, Shape};
use crate::bench::operation::{Operation, Tensor};
use crate::bench::target::Backend;
use crate::bench::target::Target;

/// Writes the named operation, or a generic one without batch if the compiler would drop the configuration with the
/// batch loop. Returns the name of the result.
pub fn text(
    function: &mut Function,
    operation: &Operation,
    info: Option<&str>,
    target: &Target,
) -> &'static str {
    let Shape::Conv2d(convolution) = operation.shape else { return "%sums" };
    match info {
        Some(info) if convolution.batch == 1 && target.backend() != Backend::LlvmCpu => {
            without_batch(function, operation, convolution, info)
        }
        _ => named(function, operation, convolution, info),
    }
}

fn named(
    function: &mut Function,
    operation: &Operation,
    convolution: Convolution,
    info: Option<&str>,
) -> &'static str {
    let result = operation.result();
    function.zeros("sums", &result);
    let [lhs, rhs, result] = [operation.lhs(), operation.rhs(), result].map(|it| tensor_type(&it));
    let info = info.map_or(String::new(), |it| format!("compilation_info = {it}, "));
    function.line(&format!(
        "%sums = linalg.conv_2d_nhwc_hwcf {{{info}dilations = dense<1> : tensor<2xi64>, \
         strides = dense<{}> : tensor<2xi64>}}\n    \
         ins(%lhs, %rhs : {lhs}, {rhs})\n    outs(%sums_zeros : {result}) -> {result}",
        convolution.stride
    ));
    "%sums"
}

fn without_batch(
    function: &mut Function,
    operation: &Operation,
    convolution: Convolution,
    info: &str,
) -> &'static str {
    let one = |tensor: Tensor| {
        Tensor::new(tensor.shape.into_iter().skip(1), tensor.element, Layout::Nhwc)
    };
    let (image, sums) = (one(operation.lhs()), one(operation.result()));
    let [lhs, rhs, result, image] =
        [operation.lhs(), operation.rhs(), operation.result(), image].map(|it| tensor_type(&it));
    function.line(&format!(
        "%image = tensor.collapse_shape %lhs [[0, 1], [2], [3]] : {lhs} into {image}"
    ));
    function.zeros("pixels", &sums);
    let extents: Vec<String> = operation.result().shape.iter().map(u64::to_string).collect();
    let (sums, stride) = (tensor_type(&sums), convolution.stride);
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
    "%sums"
}
