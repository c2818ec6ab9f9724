//! What a user asks for, and the operations and configurations that come of it.

use regex::Regex;

use super::operation::Shape;
use super::{BenchError, Configuration, Epilogue, Kind, Operation, Target, Types};

/// What a user asks for; an empty list leaves the choice to what is predefined.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub kinds: Vec<Kind>,
    pub types: Vec<Types>,
    pub epilogues: Vec<Epilogue>,
    pub m: Vec<u64>,
    pub n: Vec<u64>,
    pub k: Vec<u64>,
    /// Adds what the compiler chooses by itself.
    pub default_config: bool,
    /// Regular expressions; a dispatch is taken if one of them matches its name.
    pub dispatches: Vec<String>,
}

/// An operation, and how it is compiled.
#[derive(Debug, Clone)]
pub struct Collection {
    pub operation: Operation,
    pub configurations: Vec<Configuration>,
    /// Those that do not fit it, and why.
    pub skipped: Vec<(Configuration, String)>,
}

impl Collection {
    /// The name of one of its dispatches.
    pub fn dispatch(&self, configuration: &Configuration) -> String {
        format!("{}_{}", self.operation.name(), configuration.name())
    }
}

/// The values of a sweep: `256`, `128,256`, `64:1024:128` (which ends before 1024) or several of them with commas.
pub fn sweep(given: &str) -> Result<Vec<u64>, BenchError> {
    let mut values = Vec::new();
    for part in given.split(',') {
        let number = |text: &str| {
            text.trim().parse::<u64>().map_err(|error| BenchError::Sweep {
                given: given.to_owned(),
                reason: format!("{text:?} is no number ({error})"),
            })
        };
        values.push(number(part)?);
    }
    Ok(values)
}

/// What a request asks for, on a target.
pub fn collections(request: &Request, target: &Target) -> Result<Vec<Collection>, BenchError> {
    let patterns =
        request.dispatches.iter().map(|it| pattern(it)).collect::<Result<Vec<_>, _>>()?;
    let or = |given: &[u64]| if given.is_empty() { vec![256] } else { given.to_vec() };
    let mut all = Vec::new();
    for m in or(&request.m) {
        for n in or(&request.n) {
            for k in or(&request.k) {
                let shape = Shape::Matmul { m, n, k };
                let operation = Operation { shape, types: Types::F32, epilogue: Epilogue::None };
                all.push(collection(operation, request, &patterns, target));
            }
        }
    }
    all.retain(|collection| {
        !collection.configurations.is_empty() || !collection.skipped.is_empty()
    });
    Ok(all)
}

fn pattern(given: &str) -> Result<Regex, BenchError> {
    Regex::new(given).map_err(|source| BenchError::Pattern {
        pattern: given.to_owned(),
        source: Box::new(source),
    })
}

fn collection(
    operation: Operation,
    request: &Request,
    patterns: &[Regex],
    target: &Target,
) -> Collection {
    let default = request.default_config.then_some(Configuration::DEFAULT);
    let mut collection = Collection { operation, configurations: Vec::new(), skipped: Vec::new() };
    for configuration in Configuration::candidates(&operation, target).into_iter().chain(default) {
        let name = collection.dispatch(&configuration);
        if !patterns.is_empty() && !patterns.iter().any(|pattern| pattern.is_match(&name)) {
            continue;
        }
        match configuration.check(&operation, target) {
            Ok(()) => collection.configurations.push(configuration),
            Err(reason) => collection.skipped.push((configuration, reason)),
        }
    }
    collection
}
