//! Rules about the extent of a bundle: what was recorded, what was not and why, and which questions it answers. All
//! findings are informational.

use std::collections::BTreeMap;

use read::bundle::Severity;

use super::rule::{Case, Facts, Rule};
use crate::rules::modes::{Recorded, State};

pub const RULES: &[Rule] = &[
    Rule {
        name: "recorded",
        find: |facts| {
            let recorded = facts.modes.iter().filter(|mode| mode.row_count > 0);
            let modes = recorded.map(|it| format!("{} ({})", it.mode.name, it.row_count));
            listed(modes, true).into_iter().collect()
        },
        what: "recorded: {detail}",
        evidence: "recorded_modes",
        advice: "",
    },
    Rule {
        name: "not_recorded",
        find: not_recorded,
        what: "{detail}",
        evidence: "recorded_modes",
        advice: "run `gaps` for the commands that capture it",
    },
    Rule {
        name: "answers",
        find: |facts| listed(answers(facts).into_iter(), true).into_iter().collect(),
        what: "answers: {detail}",
        evidence: "",
        advice: "",
    },
];

/// Groups the missing modes by reason. Modes that the driver does not support, and those of which there is nothing to record, get
/// no advice.
fn not_recorded(facts: &Facts<'_>) -> Vec<Case> {
    let mut reasons: BTreeMap<&str, Vec<&Recorded>> = BTreeMap::new();
    for mode in facts.modes.iter().filter(|mode| mode.row_count == 0) {
        let why = match &mode.reason {
            Some(reason) if mode.state != State::Absent => reason,
            _ => "not recorded",
        };
        reasons.entry(why).or_default().push(mode);
    }
    let found = |(why, modes): (&str, Vec<&Recorded>)| {
        let is_refused = modes.iter().all(|it| it.state == State::Unsupported || it.has_none);
        let names = modes.iter().map(|it| it.mode.name.to_owned());
        let found = listed(names, is_refused)?;
        Some(Case { detail: format!("{why}: {}", found.detail), ..found })
    };
    reasons.into_iter().filter_map(found).collect()
}

/// Returns the questions that can be answered at least in part.
fn answers(facts: &Facts<'_>) -> Vec<String> {
    let questions = facts.answers.chunk_by(|one, next| one.question.name == next.question.name);
    let answered = questions.filter_map(|ways| {
        let begun = ways.iter().find(|way| way.is_begun())?;
        let is_whole = ways.iter().any(|way| way.is_enough() && way.reasons().is_none());
        let partly = if is_whole { "" } else { " (partly)" };
        Some(format!("{}{partly}", begun.question.name))
    });
    answered.collect()
}

/// Creates a case that lists and counts the items; `None` if there are none.
fn listed(items: impl Iterator<Item = String>, is_harmless: bool) -> Option<Case> {
    let items: Vec<String> = items.collect();
    let count = items.len() as u64;
    let found = || Case { count, is_harmless, ..Case::told(Severity::Info, items.join(", ")) };
    (count > 0).then(found)
}
