//! Compares two specs: which matchers were added and removed, and which values changed.

use super::matcher::{Entry, Spec};
use super::merge::differing;

/// A difference between two specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added {
        matcher: String,
    },
    Removed {
        matcher: String,
    },
    /// Another value; empty where there is none.
    Value {
        matcher: String,
        knob: String,
        before: String,
        after: String,
    },
    /// It is tried in another order, which matters where several match.
    Moved {
        matcher: String,
        before: usize,
        after: usize,
    },
}

impl Change {
    /// Returns the kind of the change, its matcher and knob, and what was before and is after; empty where there is none.
    pub fn texts(&self) -> [String; 5] {
        let empty = String::new;
        match self.clone() {
            Self::Added { matcher } => ["added".to_owned(), matcher, empty(), empty(), empty()],
            Self::Removed { matcher } => ["removed".to_owned(), matcher, empty(), empty(), empty()],
            Self::Value { matcher, knob, before, after } => {
                ["changed".to_owned(), matcher, knob, before, after]
            }
            Self::Moved { matcher, before, after } => {
                let [before, after] = [before, after].map(|place| place.to_string());
                ["moved".to_owned(), matcher, "place".to_owned(), before, after]
            }
        }
    }
}

/// Returns the changes from one spec to another. Matchers are the same if they match the same.
pub fn diff(before: &Spec, after: &Spec) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (nth, entry) in before.entries.iter().enumerate() {
        let is_free = |(place, _): &(usize, &Entry)| pairs.iter().all(|(_, taken)| taken != place);
        let free = || after.entries.iter().enumerate().filter(is_free);
        let same = free().find(|(_, other)| other.pattern.is_same(&entry.pattern));
        match same {
            Some((place, _)) => pairs.push((nth, place)),
            None => changes.push(Change::Removed { matcher: entry.matcher.clone() }),
        }
    }
    for (nth, entry) in after.entries.iter().enumerate() {
        let Some(pair) = pairs.iter().position(|(_, place)| *place == nth) else {
            changes.push(Change::Added { matcher: entry.matcher.clone() });
            continue;
        };
        let Some((of_before, _)) = pairs.get(pair).copied() else { continue };
        let Some(earlier) = before.entries.get(of_before) else { continue };
        let matcher = || entry.matcher.clone();
        changes.extend(differing(earlier, entry).into_iter().map(|(knob, before, after)| {
            Change::Value { matcher: matcher(), knob, before, after }
        }));
        // Its place among those that are in both.
        let rank = pairs.iter().filter(|(_, place)| *place < nth).count();
        if rank != pair {
            changes.push(Change::Moved { matcher: matcher(), before: pair + 1, after: rank + 1 });
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::attribute::Attribute;
    use crate::tuning::configuration::Configuration;
    use crate::tuning::spec::Pattern;

    fn spec(entries: &[(&str, &str)]) -> Spec {
        let entry = |(name, tile): &(&str, &str)| Entry {
            matcher: format!("match_{name}"),
            action: "apply".to_owned(),
            pattern: Pattern::Conditions(vec![(*name).to_owned()]),
            configuration: Configuration {
                lowering: Attribute::parse(&format!("#l<tile = [{tile}]>")).ok(),
                ..Configuration::default()
            },
        };
        Spec { sequences: Vec::new(), entries: entries.iter().map(entry).collect() }
    }

    #[test]
    fn changes_are_told_by_matcher() {
        let (one, other) = (
            spec(&[("a", "1"), ("b", "2"), ("c", "3")]),
            spec(&[("c", "3"), ("b", "4"), ("d", "5")]),
        );
        let matcher = |name: &str| format!("match_{name}");
        assert_eq!(
            diff(&one, &other),
            [
                Change::Removed { matcher: matcher("a") },
                Change::Moved { matcher: matcher("c"), before: 2, after: 1 },
                Change::Value {
                    matcher: matcher("b"),
                    knob: "tile".to_owned(),
                    before: "[2]".to_owned(),
                    after: "[4]".to_owned()
                },
                Change::Moved { matcher: matcher("b"), before: 1, after: 2 },
                Change::Added { matcher: matcher("d") },
            ]
        );
        assert!(diff(&one, &one).is_empty());
    }
}
