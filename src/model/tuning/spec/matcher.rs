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

impl Spec {
    /// Returns what its matchers match and set: matcher, operation, shapes, types, pipeline, knob, value and conditions. A
    /// matcher has a row per knob that it sets, or one without if it sets none.
    pub fn rows(&self) -> Vec<[String; 8]> {
        self.entries.iter().flat_map(Entry::rows).collect()
    }
}

impl Entry {
    fn rows(&self) -> Vec<[String; 8]> {
        let (operation, shapes, types) = self.pattern.told();
        let pipeline = self.configuration.pipeline().unwrap_or_default().to_owned();
        let conditions = self.pattern.conditions().join("; ");
        let row = |(knob, value): (String, String)| {
            [&self.matcher, &operation, &shapes, &types, &pipeline, &knob, &value, &conditions]
                .map(String::clone)
        };
        self.configuration.rows().into_iter().map(row).collect()
    }
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
