//! What a user asks for, and the operations and configurations that come of it.

mod matching;
mod shapes;
mod sweep;
#[cfg(test)]
mod tests;

pub use sweep::sweep;

use self::matching::Patterns;
use super::operation::Convolution;
use super::{BenchError, Configuration, Epilogue, Kind, Operation, Target, Types};

/// What a user asks for; an empty list leaves the choice to what is predefined.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub kinds: Vec<Kind>,
    pub types: Vec<Types>,
    pub epilogues: Vec<Epilogue>,
    /// Rows, columns and depth of matrix products of all kinds; one that is left out while others are given is 256.
    pub m: Vec<u64>,
    pub n: Vec<u64>,
    pub k: Vec<u64>,
    pub batch_count: Vec<u64>,
    pub split_k_slices: Vec<u64>,
    pub convolution: ConvolutionSweeps,
    /// Adds what the compiler chooses by itself.
    pub default_config: bool,
    /// Patterns over the names of dispatches; one is taken if any of them matches ([`matching`]).
    pub dispatches: Vec<String>,
}

/// Sweeps over the extents of convolutions.
#[derive(Debug, Clone, Default)]
pub struct ConvolutionSweeps {
    pub batch: Vec<u64>,
    pub height: Vec<u64>,
    pub width: Vec<u64>,
    pub channels: Vec<u64>,
    pub filters: Vec<u64>,
    pub filter_height: Vec<u64>,
    pub filter_width: Vec<u64>,
    pub stride: Vec<u64>,
}

/// An operation, and how it is compiled.
#[derive(Debug, Clone)]
pub struct Collection {
    pub operation: Operation,
    pub configurations: Vec<Configuration>,
    /// Those that do not fit it, and why.
    pub skipped: Vec<(Configuration, String)>,
}

/// What a request asks for, on a target. Operations of which no dispatch has a name that is asked for are left out.
pub fn collections(request: &Request, target: &Target) -> Result<Vec<Collection>, BenchError> {
    let patterns = Patterns::new(&request.dispatches)?;
    let mut all: Vec<Collection> = Vec::new();
    for kind in or_all(&request.kinds, &Kind::ALL) {
        for epilogue in or_all(&request.epilogues, &Epilogue::ALL) {
            for types in or_all(&request.types, &Types::ALL) {
                for shape in shapes::shapes(*kind, request) {
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
    /// The name of one of its dispatches, which is that of its function too.
    pub fn dispatch(&self, configuration: &Configuration) -> String {
        dispatch(&self.operation, configuration)
    }
}

impl Request {
    fn has_product(&self) -> bool {
        [&self.m, &self.n, &self.k].into_iter().any(|values| !values.is_empty())
    }
}

/// One extent of a convolution, to be changed.
type Extent = fn(&mut Convolution) -> &mut u64;

impl ConvolutionSweeps {
    fn extents(&self) -> [(&[u64], Extent); 8] {
        [
            (&self.batch, |it| &mut it.batch),
            (&self.height, |it| &mut it.height),
            (&self.width, |it| &mut it.width),
            (&self.channels, |it| &mut it.channels),
            (&self.filters, |it| &mut it.filters),
            (&self.filter_height, |it| &mut it.filter_height),
            (&self.filter_width, |it| &mut it.filter_width),
            (&self.stride, |it| &mut it.stride),
        ]
    }

    fn is_empty(&self) -> bool {
        self.extents().iter().all(|(values, _)| values.is_empty())
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
        if !patterns.matches(&dispatch(&operation, &configuration)) {
            continue;
        }
        match configuration.check(&operation, target) {
            Ok(()) => collection.configurations.push(configuration),
            Err(reason) => collection.skipped.push((configuration, reason)),
        }
    }
    collection
}

fn dispatch(operation: &Operation, configuration: &Configuration) -> String {
    format!("{}_{}", operation.name(), configuration.name())
}

fn or_all<'a, T>(given: &'a [T], all: &'a [T]) -> &'a [T] {
    if given.is_empty() { all } else { given }
}
