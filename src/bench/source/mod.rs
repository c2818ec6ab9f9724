//! Generates MLIR: a module with one function per configuration of an operation.
//!
//! Functions are written so that their configuration survives compilation. For example, the compiler folds a batch of 1
//! and drops the configuration of the convolution with it, so that convolution is written without a batch loop.

mod convolution;
mod epilogue;
mod function;
mod product;

use self::function::Function;
use crate::bench::configuration::Configuration;
use crate::bench::operation::{Kind, Operation};
use crate::bench::request::Collection;
use crate::bench::target::Target;

/// Returns the source of the module of a collection.
pub fn source(collection: &Collection, target: &Target) -> String {
    let operation = &collection.operation;
    let head = format!("// {} for {}\n", operation.name(), target.name());
    let functions = collection.configurations.iter().map(|configuration| {
        let name = collection.dispatch(configuration);
        format!("\n{}", text(&name, operation, configuration, target))
    });
    std::iter::once(head).chain(functions).collect()
}

fn text(
    name: &str,
    operation: &Operation,
    configuration: &Configuration,
    target: &Target,
) -> String {
    let mut function = Function::new(operation);
    let info = configuration.attribute(operation, target);
    let sums = match operation.kind() {
        Kind::Matmul | Kind::BatchMatmul => {
            product::named(&mut function, operation, info.as_deref())
        }
        Kind::MatmulSplitk => product::in_slices(&mut function, operation, info.as_deref()),
        Kind::Conv2d => convolution::text(&mut function, operation, info.as_deref(), target),
    };
    let result = epilogue::text(&mut function, operation, sums);
    function.finish(name, operation, result)
}
