//! Operations in MLIR: one function for each configuration.

use super::{Collection, Configuration, Operation, Target};

/// The module of a collection.
pub fn source(collection: &Collection, _target: &Target) -> String {
    let functions = collection.configurations.iter().map(|it| function(&collection.operation, it));
    functions.collect::<Vec<_>>().join("\n")
}

fn function(operation: &Operation, configuration: &Configuration) -> String {
    let name = format!("{}_{}", operation.name(), configuration.name());
    let [lhs, rhs, result] =
        [operation.lhs(), operation.rhs(), operation.result()].map(|it| it.spec());
    let element = operation.types.result().name();
    let attribute = configuration
        .attribute()
        .map_or(String::new(), |it| format!(" {{compilation_info = {it}}}"));
    format!(
        "func.func @{name}(%lhs: tensor<{lhs}>, %rhs: tensor<{rhs}>) -> tensor<{result}> {{\n  \
           %zero = arith.constant 0.0 : {element}\n  \
           %empty = tensor.empty() : tensor<{result}>\n  \
           %start = linalg.fill ins(%zero : {element}) outs(%empty : tensor<{result}>) -> tensor<{result}>\n  \
           %result = linalg.matmul{attribute}\n    \
             ins(%lhs, %rhs : tensor<{lhs}>, tensor<{rhs}>)\n    \
             outs(%start : tensor<{result}>) -> tensor<{result}>\n  \
           return %result : tensor<{result}>\n}}\n"
    )
}
