//! Builds the text of an MLIR function.

use crate::bench::element::Element;
use crate::bench::operation::{Operation, Tensor};

/// A function under construction.
pub struct Function {
    body: String,
    /// The type of the accumulator.
    pub sums: Element,
}

impl Function {
    /// Creates a function that defines `%zero`.
    pub fn new(operation: &Operation) -> Self {
        let sums = operation.types.result();
        let zero = if sums.is_float() { "0.0" } else { "0" };
        let body = format!("  %zero = arith.constant {zero} : {}\n", sums.name());
        Self { body, sums }
    }

    /// Appends a line.
    pub fn line(&mut self, text: &str) {
        self.body.push_str("  ");
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// Appends a tensor of zeros called `%NAME_zeros`.
    pub fn zeros(&mut self, name: &str, tensor: &Tensor) {
        let (kind, element) = (tensor_type(tensor), self.sums.name());
        self.line(&format!("%{name}_empty = tensor.empty() : {kind}"));
        self.line(&format!(
            "%{name}_zeros = linalg.fill ins(%zero : {element}) outs(%{name}_empty : {kind}) -> {kind}"
        ));
    }

    /// Returns the region of a generic operation that adds the product of two operands to an accumulator.
    pub(crate) fn multiply_add(&self, operands: Element) -> String {
        let sums = self.sums.name();
        let (multiply, add, extend) = arithmetic(self.sums);
        let operands = operands.name();
        let (cast, left, right) = if operands == sums {
            (String::new(), "%left", "%right")
        } else {
            let cast = |name: &str| {
                format!("    %{name}_wide = {extend} %{name} : {operands} to {sums}\n")
            };
            (cast("left") + &cast("right"), "%left_wide", "%right_wide")
        };
        format!(
            "  ^bb0(%left: {operands}, %right: {operands}, %sum: {sums}):\n{cast}    \
             %product = {multiply} {left}, {right} : {sums}\n    \
             %next = {add} %sum, %product : {sums}\n    \
             linalg.yield %next : {sums}\n  }}"
        )
    }

    /// Returns the complete function.
    pub fn finish(self, name: &str, operation: &Operation, result: &str) -> String {
        let inputs = operation.inputs();
        let arguments: Vec<String> = ["%lhs", "%rhs", "%extra"]
            .iter()
            .zip(&inputs)
            .map(|(name, tensor)| format!("{name}: {}", tensor_type(tensor)))
            .collect();
        let kind = tensor_type(&operation.result());
        format!(
            "func.func @{name}({}) -> {kind} {{\n{}  return {result} : {kind}\n}}\n",
            arguments.join(", "),
            self.body
        )
    }
}

/// Returns the MLIR type of a tensor.
pub(crate) fn tensor_type(tensor: &Tensor) -> String {
    format!("tensor<{}>", tensor.spec())
}

/// Returns the MLIR types of the left operand, the right operand and the result.
pub fn types(operation: &Operation) -> [String; 3] {
    operation.tensors().map(|tensor| tensor_type(&tensor))
}

/// Returns the operations that multiply, add and widen elements.
pub const fn arithmetic(element: Element) -> (&'static str, &'static str, &'static str) {
    if element.is_float() {
        ("arith.mulf", "arith.addf", "arith.extf")
    } else {
        ("arith.muli", "arith.addi", "arith.extsi")
    }
}

/// Returns the indexing maps of a generic operation over the given loops.
pub fn maps(loops: &str, results: &[&str]) -> String {
    let maps: Vec<String> =
        results.iter().map(|it| format!("affine_map<({loops}) -> ({it})>")).collect();
    format!("indexing_maps = [{}]", maps.join(", "))
}

/// Returns the iterator types of a generic operation: parallel loops first, then reductions.
pub fn iterators(parallel: usize, reduction: usize) -> String {
    let kinds: Vec<&str> = std::iter::repeat_n("\"parallel\"", parallel)
        .chain(std::iter::repeat_n("\"reduction\"", reduction))
        .collect();
    format!("iterator_types = [{}]", kinds.join(", "))
}
