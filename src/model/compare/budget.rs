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
use std::str::FromStr;

use base::Pattern;
use serde::{Deserialize, Deserializer};

use super::comparison::Comparison;
use super::judge::{Judged, Verdict};
use super::rule::{is_slower, share};

/// The name of the limits of the total.
pub(crate) const TOTAL: &str = "total";

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

/// Why a text is no budget.
#[derive(Debug, thiserror::Error)]
pub enum BudgetError {
    /// It is no TOML, or has unknown keys. The message has the line, the column and the text of the place.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// It limits nothing.
    #[error("it has no limits; docs/compare.md shows some")]
    Empty,
    /// A table has no limit.
    #[error("{0} has no limit: write slower or time_ns")]
    NoLimit(String),
}

impl FromStr for Budget {
    type Err = BudgetError;

    /// Parses the text of a file.
    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let budget: Self = toml::from_str(text)?;
        let total = budget.total.iter().map(|limits| (TOTAL, limits));
        let functions = budget.functions.iter().map(|(name, limits)| (name.as_str(), limits));
        let mut all = total.chain(functions).peekable();
        if all.peek().is_none() {
            return Err(BudgetError::Empty);
        }
        match all.find(|(_, limits)| limits.is_empty()) {
            Some((name, _)) => Err(BudgetError::NoLimit(name.to_owned())),
            None => Ok(budget),
        }
    }
}

impl Budget {
    /// Whether it limits by how much the total may be slower.
    pub(crate) fn limits_change_of_total(&self) -> bool {
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
    pub fn unused(&self, all: &[Comparison]) -> Option<&str> {
        let mut names = self.functions.keys();
        let is_used = |name: &str| {
            let mut functions = all.iter().flat_map(Comparison::functions);
            functions.any(|function| is_meant(name, function))
        };
        names.find(|name| !is_used(name)).map(String::as_str)
    }

    /// Returns the name of a limit that the total, or a function, exceeds, and the time in nanoseconds if that is what it
    /// limits.
    pub fn exceeded(&self, is_total: bool, row: &Judged) -> Option<(&str, Option<i64>)> {
        let total = self.total.iter().filter(|_| is_total).map(|limits| (TOTAL, limits));
        let functions = self.functions.iter().filter(|(name, _)| !is_total && is_meant(name, row));
        let functions = functions.map(|(name, limits)| (name.as_str(), limits));
        let mut limits = total.chain(functions);
        limits.find_map(|(name, limits)| Some((name, limits.exceeded(row)?)))
    }
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

    /// Whether a function exceeds the limit of its change (`None`) or of its time.
    #[expect(clippy::option_option, reason = "the outer one says whether a limit is exceeded")]
    fn exceeded(&self, judged: &Judged) -> Option<Option<i64>> {
        if self.slower.is_some_and(|share| is_slower(judged, share)) {
            return Some(None);
        }
        self.time_ns.filter(|limit| judged.new_ns > *limit).map(Some)
    }
}

fn percent<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let text = String::deserialize(value)?;
    share(&text).map(Some).map_err(serde::de::Error::custom)
}
