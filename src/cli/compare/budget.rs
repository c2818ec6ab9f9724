//! Budgets: the limits of a TOML file, for the total and for functions by name.
//!
//! ```toml
//! [total]
//! slower = "1%"
//! [functions."*_matmul_*"]
//! slower = "3%"
//! time_ns = 120_000
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Deserializer};

use super::compared::Compared;
use super::text::{float, shown_change, shown_name};
use crate::cli::error::CliError;
use crate::cli::values::share;
use crate::compare::{Judged, Verdict};
use crate::fold::Pattern;
use crate::report::text::duration;

/// The limits of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    total: Option<Limits>,
    /// By pattern of the name. A function keeps the limits of all patterns that match it.
    #[serde(default)]
    functions: BTreeMap<String, Limits>,
}

/// What a function may take.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    /// The share by which it may be slower than the baseline.
    #[serde(default, deserialize_with = "percent")]
    slower: Option<f64>,
    /// The time that it may take in an iteration.
    time_ns: Option<i64>,
}

impl Budget {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        let wrong = |what: String| CliError::Usage(format!("--budget {}: {what}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        // The message of the parser has the line, the column and the text of the place.
        let budget: Self = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let total = budget.total.iter().map(|limits| ("total", limits));
        let functions = budget.functions.iter().map(|(name, limits)| (name.as_str(), limits));
        let mut all = total.chain(functions).peekable();
        if all.peek().is_none() {
            return Err(wrong("it has no limits; docs/compare.md shows some".to_owned()));
        }
        if let Some((name, _)) = all.find(|(_, limits)| limits.is_empty()) {
            return Err(wrong(format!("{name} has no limit: write slower or time_ns")));
        }
        Ok(budget)
    }

    /// Whether it limits by how much the total may be slower.
    pub fn limits_change_of_total(&self) -> bool {
        self.total.as_ref().is_some_and(|limits| limits.slower.is_some())
    }

    /// Returns a pattern whose functions may be slower by a share only, but none of them is comparable, and why.
    pub fn unjudged<'a>(&'a self, functions: &'a [Judged]) -> Option<(&'a str, &'a str)> {
        let mut changes = self.functions.iter().filter(|(_, limits)| limits.slower.is_some());
        changes.find_map(|(name, _)| {
            let meant = || functions.iter().filter(|it| is_meant(name, it));
            let first = meant().next()?.reason.as_deref()?;
            let is_none = meant().all(|it| it.verdict == Verdict::NotComparable);
            is_none.then_some((name.as_str(), first))
        })
    }

    /// Returns a pattern that matches no function of any comparison: a limit that would never fail.
    pub fn unused(&self, all: &[Compared<'_>]) -> Option<&str> {
        let mut names = self.functions.keys();
        let is_used = |name: &str| {
            let mut functions = all.iter().flat_map(|it| &it.found.functions);
            functions.any(|function| is_meant(name, function))
        };
        names.find(|name| !is_used(name)).map(String::as_str)
    }

    /// Returns how the total, or a function, exceeds a limit, if it does.
    pub fn exceeded(&self, is_total: bool, row: &Judged) -> Option<String> {
        if is_total {
            return self.total.as_ref()?.exceeded("total", row);
        }
        let mut limits = self.functions.iter().filter(|(name, _)| is_meant(name, row));
        limits.find_map(|(name, limits)| limits.exceeded(name, row))
    }
}

/// Whether a function is slower by more than a share.
pub fn is_slower(judged: &Judged, share: f64) -> bool {
    let ratio = judged.interval.map_or(1.0, |it| it.ratio);
    judged.verdict == Verdict::Slower && ratio > 1.0 + share
}

/// Whether a pattern matches a function, or one of a group.
fn is_meant(pattern: &str, function: &Judged) -> bool {
    let pattern = Pattern::new(pattern);
    !function.new.is_empty() && function.new.split(" + ").any(|name| pattern.matches(name))
}

impl Limits {
    const fn is_empty(&self) -> bool {
        self.slower.is_none() && self.time_ns.is_none()
    }

    fn exceeded(&self, name: &str, judged: &Judged) -> Option<String> {
        if self.slower.is_some_and(|share| is_slower(judged, share)) {
            let by = shown_change(judged);
            return Some(format!("{name}: {} changed by {by}", shown_name(judged)));
        }
        let time = self.time_ns.filter(|limit| judged.new_ns > *limit)?;
        let [is, limit] = [judged.new_ns, time].map(|ns| duration(float(ns)));
        Some(format!("{name}: {} takes {is}, more than {limit}", shown_name(judged)))
    }
}

fn percent<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let text = String::deserialize(value)?;
    share(&text).map(Some).map_err(serde::de::Error::custom)
}
