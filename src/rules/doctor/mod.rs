//! What `doctor` finds: each rule with its condition, severity, words, evidence and advice.
//!
//! To add a rule, add a [`Rule`] beside its neighbours in the file of its subject.

mod extent;
mod file;
mod records;
mod runs;

use std::collections::BTreeMap;

use crate::bundle::{Bundle, Severity};
use crate::fold::{ByTable, Clock, Columns, Group, Missing};
use crate::rules::answers::Judged;
use crate::rules::modes::Recorded;

/// One kind of finding.
pub struct Rule {
    /// A short name to filter by.
    pub name: &'static str,
    /// What it applies to in a capture; nothing where it does not apply.
    pub find: fn(&Facts<'_>) -> Vec<Found>,
    /// What is so, with places for what was found: `{count}`, `{total}`, `{table}`, `{session}`, `{device}`, `{detail}`
    /// in words, and `{first}`, which says that it is one of several.
    pub what: &'static str,
    /// The rows that show it, as a query that begins `SELECT * FROM` goes on; empty where there is nothing more to see.
    pub evidence: &'static str,
    /// What to do; empty where there is nothing to do.
    pub advice: &'static str,
}

/// What is known of a capture.
pub struct Facts<'a> {
    pub bundle: &'a Bundle,
    /// Counts of records by what they refer to.
    pub groups: &'a [Group],
    /// Counts of chunks by table.
    pub chunks: &'a ByTable,
    /// What records refer to and no record describes.
    pub missing: &'a [Missing],
    /// Clocks by device.
    pub clocks: &'a BTreeMap<u64, Clock>,
    pub modes: &'a [Recorded],
    pub answers: &'a [Judged<'a>],
}

/// What a rule applies to.
#[derive(Debug)]
pub struct Found {
    pub severity: Severity,
    /// The kind of a problem that has no rule of its own.
    pub kind: Option<&'static str>,
    pub count: u64,
    pub total: Option<u64>,
    pub table: Option<&'static str>,
    pub session: Option<u64>,
    pub device: Option<u64>,
    pub detail: String,
    /// Nothing needs to be done about it.
    pub is_harmless: bool,
}

/// A rule and what it applies to.
pub struct Finding {
    rule: &'static Rule,
    found: Found,
}

/// All rules.
const RULES: [&[Rule]; 4] = [runs::RULES, file::RULES, records::RULES, extent::RULES];

/// Applies all rules. Of a bundle that only stands in for a lost one, only its runs are known.
pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let rules = if facts.bundle.stand_in.is_some() { &RULES[..1] } else { &RULES[..] };
    let found =
        |rule: &'static Rule| (rule.find)(facts).into_iter().map(move |found| (rule, found));
    let found = rules.iter().copied().flatten().flat_map(found);
    found.map(|(rule, found)| Finding { rule, found }).collect()
}

/// The rows of `capture_findings`.
pub fn columns() -> Columns<Finding> {
    Columns::<Finding>::new()
        .text("severity", |row| row.found.severity.name())
        .text("finding", |row| row.name())
        .number("count", |row| row.found.count)
        .composed("what", |row| Some(row.filled(row.rule.what)))
        .composed("evidence", |row| {
            let rows = row.filled(row.rule.evidence);
            (!rows.is_empty()).then(|| format!("SELECT * FROM {rows}"))
        })
        .optional_text("advice", |row| {
            Some(row.rule.advice).filter(|advice| !row.found.is_harmless && !advice.is_empty())
        })
}

impl Found {
    /// Something found once.
    pub fn new(severity: Severity) -> Self {
        Self {
            severity,
            kind: None,
            count: 1,
            total: None,
            table: None,
            session: None,
            device: None,
            detail: String::new(),
            is_harmless: false,
        }
    }

    /// The same in words.
    pub fn told(severity: Severity, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..Self::new(severity) }
    }

    fn at(&self, place: &str) -> String {
        let number = |number: Option<u64>| number.map_or("none".to_owned(), |it| it.to_string());
        match place {
            "count" => self.count.to_string(),
            "total" => number(self.total),
            "session" => number(self.session),
            "device" => number(self.device),
            "table" => self.table.unwrap_or("records of an unknown kind").to_owned(),
            "family" => match self.table {
                Some(table) => format!("family = '{table}'"),
                None => "family IS NULL".to_owned(),
            },
            "untimed" => match self.table {
                Some("dispatch_events" | "queue_device_events") => {
                    "start_tick = 0 OR end_tick < start_tick".to_owned()
                }
                _ => "start_host_time_ns < 0 OR end_host_time_ns < start_host_time_ns".to_owned(),
            },
            "first" if self.count > 1 => format!("; the first of {}", self.count),
            "first" => String::new(),
            _ => self.detail.clone(),
        }
    }
}

impl Finding {
    fn name(&self) -> &'static str {
        self.found.kind.unwrap_or(self.rule.name)
    }

    /// A text of the rule with what was found in its places. What was found may have braces of its own, so it is not
    /// looked through.
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
    use super::*;

    #[test]
    fn every_place_is_known_and_what_is_found_is_left_as_it_is() {
        let known = [
            "finding", "count", "total", "session", "device", "table", "family", "untimed",
            "first", "detail",
        ];
        for rule in RULES.iter().copied().flatten() {
            for text in [rule.what, rule.evidence] {
                for part in text.split('{').skip(1) {
                    let place = part.split_once('}').map(|(place, _)| place);
                    assert!(place.is_some_and(|place| known.contains(&place)), "{text}");
                }
            }
        }
        let rule = file::RULES.last().unwrap();
        let kind = Some("of_a_newer_version");
        let found = Found { kind, count: 2, ..Found::told(Severity::Info, "{count} of }{") };
        let finding = Finding { rule, found };
        assert_eq!(finding.filled(rule.what), "{count} of }{; the first of 2");
        assert_eq!(finding.filled(rule.evidence), "problems WHERE kind = 'of_a_newer_version'");
    }
}
