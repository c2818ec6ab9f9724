//! Expands requests into operations and configurations.

use super::matching::Patterns;
use super::shapes::shapes;
use super::wanted::Request;
use crate::bench::configuration::Configuration;
use crate::bench::element::Types;
use crate::bench::error::BenchError;
use crate::bench::operation::{Epilogue, Kind, Operation};
use crate::bench::target::Target;

/// An operation with its configurations.
#[derive(Debug, Clone)]
pub struct Collection {
    pub operation: Operation,
    pub configurations: Vec<Configuration>,
    /// Configurations that do not fit the operation, with the reasons.
    pub skipped: Vec<(Configuration, String)>,
}

/// Expands a request for a target. Leaves out operations of which no dispatch matches the patterns.
pub fn collections(request: &Request, target: &Target) -> Result<Vec<Collection>, BenchError> {
    let patterns = Patterns::new(&request.dispatches)?;
    let mut all: Vec<Collection> = Vec::new();
    for kind in or_all(&request.kinds, &Kind::ALL) {
        for epilogue in or_all(&request.epilogues, &Epilogue::ALL) {
            for types in or_all(&request.types, &Types::ALL) {
                for shape in shapes(*kind, request) {
                    let operation = Operation { shape, types: *types, epilogue: *epilogue };
                    all.push(collection(operation, request, &patterns, target));
                }
            }
        }
    }
    all.retain(|it| !it.configurations.is_empty() || !it.skipped.is_empty());
    Ok(all)
}

impl Collection {
    /// Returns the name of a dispatch, which is also the name of its function.
    pub fn dispatch(&self, configuration: &Configuration) -> String {
        format!("{}_{}", self.operation.name(), configuration.name())
    }
}

fn collection(
    operation: Operation,
    request: &Request,
    patterns: &Patterns,
    target: &Target,
) -> Collection {
    let default = request.default_config.then_some(Configuration::DEFAULT);
    let mut collection = Collection { operation, configurations: Vec::new(), skipped: Vec::new() };
    for configuration in Configuration::candidates(&operation, target).into_iter().chain(default) {
        if !patterns.matches(&collection.dispatch(&configuration)) {
            continue;
        }
        match configuration.check(&operation, target) {
            Ok(()) => collection.configurations.push(configuration),
            Err(reason) => collection.skipped.push((configuration, reason)),
        }
    }
    collection
}

fn or_all<'a, T>(given: &'a [T], all: &'a [T]) -> &'a [T] {
    if given.is_empty() { all } else { given }
}
