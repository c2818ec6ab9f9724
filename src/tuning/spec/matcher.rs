//! A tuning spec: matchers, each with what it sets, in the order in which they are tried.

use super::pattern::Pattern;
use crate::tuning::configuration::Configuration;

/// A tuning spec.
#[derive(Debug, Clone, Default)]
pub struct Spec {
    /// What its matchers and actions consist of, in order, without the entry point.
    pub sequences: Vec<Sequence>,
    /// The matchers in the order in which they are tried: the first that fits is applied.
    pub entries: Vec<Entry>,
}

/// A named sequence of the transform dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// Without the `@`.
    pub name: String,
    /// All of it, with aliases of attributes written out.
    pub text: String,
}

/// A matcher with its action.
#[derive(Debug, Clone)]
pub struct Entry {
    pub matcher: String,
    pub action: String,
    pub pattern: Pattern,
    pub configuration: Configuration,
}
