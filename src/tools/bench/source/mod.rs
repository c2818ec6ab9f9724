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
use crate::bench::operation::Kind;
use crate::bench::request::Collection;
use crate::bench::target::Target;

/// Returns the source of the module of a collection.
pub fn source(collection: &Collection, target: &Target) -> String {
    let head = format!("// {} for {}\n", collection.operation.name(), target.name());
    let functions = collection
        .configurations
        .iter()
        .map(|configuration| format!("\n{}", text(collection, configuration, target)));
    std::iter::once(head).chain(functions).collect()
}

fn text(collection: &Collection, configuration: &Configuration, target: &Target) -> String {
    let operation = &collection.operation;
    let mut function = Function::new(operation);
    let info = configuration.attribute(operation, target);
    let info = info.as_deref();
    match operation.kind() {
        Kind::Matmul | Kind::BatchMatmul => product::named(&mut function, operation, info),
        Kind::MatmulSplitk => product::in_slices(&mut function, operation, info),
        Kind::Conv2d => convolution::text(&mut function, operation, info, target),
    }
    let result = epilogue::text(&mut function, operation);
    function.finish(&collection.dispatch(configuration), operation, result)
}
