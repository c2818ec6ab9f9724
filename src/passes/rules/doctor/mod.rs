//! The findings of `doctor`: rules with condition, severity, message, evidence and advice.
//!
//! To add a rule, add a [`Rule`] to the file of its subject.

mod clocks;
mod contradictions;
mod ends;
mod extent;
mod file;
mod records;
mod rule;
mod runs;
mod usage;

pub use rule::Facts;

use base::words::literal;

use crate::fold::Columns;
use rule::{Case, Rule};

/// A rule and the case to which it applies.
pub struct Finding {
    /// The label of the bundle.
    bundle: String,
    rule: &'static Rule,
    found: Case,
}

/// The rules about runs, files, records, clocks and the extent of a bundle.
const RULES: [&[Rule]; 5] =
    [runs::RULES, file::RULES, records::RULES, clocks::RULES, extent::RULES];

/// Applies all rules but those of [`contradictions`], [`usage`] and [`ends`]. To a stand-in, which has no records, applies only the
/// rules about runs.
pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    applied(if facts.bundle.stand_in.is_some() { &RULES[..1] } else { &RULES[..] }, facts)
}

/// Applies the rules about contradictions.
pub fn contradictions(facts: &Facts<'_>) -> Vec<Finding> {
    applied(&[contradictions::RULES], facts)
}

/// Applies the rules about how time is used.
pub fn usage(facts: &Facts<'_>) -> Vec<Finding> {
    applied(&[usage::RULES], facts)
}

/// Applies the rules about families that end early.
pub fn ends(facts: &Facts<'_>) -> Vec<Finding> {
    applied(&[ends::RULES], facts)
}

fn applied(rules: &[&'static [Rule]], facts: &Facts<'_>) -> Vec<Finding> {
    let found =
        |rule: &'static Rule| (rule.find)(facts).into_iter().map(move |found| (rule, found));
    let found = rules.iter().copied().flatten().flat_map(found);
    let bundle = &facts.bundle.label;
    found.map(|(rule, found)| Finding { bundle: bundle.clone(), rule, found }).collect()
}

/// The columns of findings.
pub fn columns() -> Columns<Finding> {
    Columns::<Finding>::new()
        .text("severity", |row| row.found.severity.name())
        .text("finding", |row| row.name())
        .number("count", |row| row.found.count)
        .composed("what", |row| Some(row.what()))
        .composed("evidence", Finding::evidence)
        .optional_text("advice", |row| {
            Some(row.rule.advice).filter(|advice| !row.found.is_harmless && !advice.is_empty())
        })
}

impl Finding {
    fn name(&self) -> &'static str {
        self.found.kind.unwrap_or(self.rule.name)
    }

    /// Returns the message.
    pub fn what(&self) -> String {
        self.filled(self.rule.what)
    }

    /// Returns the query for the rows that show it, of this bundle; `None` if there are none. Runs of a capture set may have no bundle.
    fn evidence(&self) -> Option<String> {
        let rows = Some(self.filled(self.rule.evidence)).filter(|rows| !rows.is_empty())?;
        let (relation, condition) = rows.split_once(" WHERE ").unwrap_or((&rows, ""));
        let and = match condition {
            "" => String::new(),
            several if several.contains(" OR ") => format!(" AND ({several})"),
            one => format!(" AND {one}"),
        };
        Some(match relation {
            "runs" => format!("SELECT * FROM {rows}"),
            _ => format!("SELECT * FROM {relation} WHERE bundle = {}{and}", literal(&self.bundle)),
        })
    }

    /// Replaces the placeholders in a text of the rule, in one pass, so that braces in inserted values are kept.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        for part in text.split('{') {
            match part.split_once('}') {
                Some(("finding", rest)) => filled.extend([self.name(), rest]),
                Some((place, rest)) => filled.extend([&*self.found.at(place), rest]),
                None => filled.push_str(part),
            }
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use read::bundle::Severity;

    use super::*;

    #[test]
    fn every_place_is_known_and_what_is_found_is_left_as_it_is() {
        let known = [
            "finding", "count", "total", "session", "device", "table", "family", "untimed",
            "first", "detail",
        ];
        let rules = RULES.into_iter().chain([contradictions::RULES, usage::RULES, ends::RULES]);
        for rule in rules.flatten() {
            for text in [rule.what, rule.evidence] {
                for part in text.split('{').skip(1) {
                    let place = part.split_once('}').map(|(place, _)| place);
                    assert!(place.is_some_and(|place| known.contains(&place)), "{text}");
                }
            }
        }
        let rule = file::RULES.last().unwrap();
        let kind = Some("of_a_newer_version");
        let found = Case { kind, count: 2, ..Case::told(Severity::Info, "{count} of }{") };
        let finding = Finding { bundle: "it's".into(), rule, found };
        assert_eq!(finding.filled(rule.what), "{count} of }{; the first of 2");
        assert_eq!(
            finding.evidence().unwrap(),
            "SELECT * FROM problems WHERE bundle = 'it''s' AND kind = 'of_a_newer_version'"
        );
    }
}
