//! What is known of functions besides their names.

use std::collections::HashMap;
use std::path::PathBuf;

use super::cost::is_multiply_add;
use super::facts::Facts;
use super::knob::Knob;
use super::mlir;
use super::name::Name;

/// What a session knows of functions, devices and calls besides its bundles.
#[derive(Debug, Default)]
pub struct ExternalFacts {
    /// The facts of functions by name, from the compiler's dumped sources.
    functions: HashMap<String, Facts>,
    /// The work of the dispatches of `bench` by name.
    dispatches: HashMap<String, Work>,
    /// The knobs of dispatches, from the compiler's dumped configurations.
    pub knobs: Vec<Knob>,
    /// The file of measured peaks.
    pub peaks: Option<PathBuf>,
    /// The device whose peaks apply, if the user says so.
    pub device: Option<String>,
    /// The number of calls in each bundle, if the user says so.
    pub calls: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Work {
    flops: u64,
    bytes: u64,
}

impl ExternalFacts {
    /// Adds the functions of a dumped source. Returns how many there are.
    pub fn add_source(&mut self, text: &str) -> usize {
        let functions = mlir::functions(text);
        let count = functions.len();
        self.functions.extend(functions);
        count
    }

    /// Adds a dispatch of `bench`.
    pub fn add_dispatch(&mut self, name: &str, flops: u64, bytes: u64) {
        self.dispatches.insert(name.to_owned(), Work { flops, bytes });
    }

    /// Returns what is known of the function with this name.
    ///
    /// A dispatch of `bench` is compiled to one function, or to a few around a product or convolution; that one has the
    /// work of the whole operation, as `bench` counts it. Sources precede the name, which tells only of one operation.
    pub fn of(&self, key: &str) -> Facts {
        let name = Name::read(key);
        let source = self.functions.get(key);
        let text = |told: Option<&str>, source: Option<&String>| {
            told.map(str::to_owned).or_else(|| source.cloned())
        };
        let told = name.as_ref();
        let kind = text(told.and_then(|name| name.kind), source.and_then(|it| it.kind.as_ref()));
        let run = told.and_then(|name| self.dispatches.get(name.of));
        let run = run.filter(|_| kind.as_deref().is_some_and(is_multiply_add));
        Facts {
            kind,
            shape: text(told.and_then(|name| name.shape), source.and_then(|it| it.shape.as_ref())),
            dtype: text(told.and_then(|name| name.dtype), source.and_then(|it| it.dtype.as_ref())),
            flops: run.map(|run| run.flops).or_else(|| source?.flops).or_else(|| told?.flops()),
            bytes: run.map(|run| run.bytes).or_else(|| source?.bytes).or_else(|| told?.bytes()),
        }
    }
}
