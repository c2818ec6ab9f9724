//! How far a bundle goes: what was recorded, what was not and why, and which questions that answers.

use std::collections::BTreeMap;

use schemas::findings::Found;

use crate::fold::health::findings::Finding;
use crate::fold::health::modes::{Recorded, State};
use crate::fold::health::ways::Judged;

/// All findings about it, none of which is a complaint.
pub fn findings(modes: &[Recorded], ways: &[Judged<'_>]) -> Vec<Finding> {
    let (recorded, others): (Vec<_>, Vec<_>) = modes.iter().partition(|mode| mode.row_count > 0);
    let mut found = Vec::new();
    if !recorded.is_empty() {
        let modes = recorded.iter().map(|it| format!("{} ({})", it.mode.name, it.row_count));
        found.push(Finding::told("recorded", listed(modes), true));
    }
    found.extend(not_recorded(&others));
    found.extend(answers(ways));
    found
}

/// Modes that are missing for the same reason, together. There is no advice for what the driver does not record.
fn not_recorded(modes: &[&Recorded]) -> Vec<Finding> {
    let mut reasons: BTreeMap<&str, Vec<&Recorded>> = BTreeMap::new();
    for mode in modes {
        let why = match &mode.reason {
            Some(reason) if mode.state != State::Absent => reason,
            _ => "not recorded",
        };
        reasons.entry(why).or_default().push(mode);
    }
    let finding = |(why, modes): (&str, Vec<&Recorded>)| {
        let names = listed(modes.iter().map(|it| it.mode.name.to_owned()));
        let found = Found { detail: format!("{why}: {}", names.detail), ..names };
        let is_refused = modes.iter().all(|it| it.state == State::Unsupported);
        Finding::told("not_recorded", found, is_refused)
    };
    reasons.into_iter().map(finding).collect()
}

/// The questions of which something is there. Ways stand together that answer the same question.
fn answers(ways: &[Judged<'_>]) -> Option<Finding> {
    let questions = ways.chunk_by(|one, next| one.question.name == next.question.name);
    let answered = questions.filter_map(|ways| {
        let begun = ways.iter().find(|way| way.is_begun())?;
        let is_whole = ways.iter().any(|way| way.is_enough() && way.reasons().is_none());
        let partly = if is_whole { "" } else { " (partly)" };
        Some(format!("{}{partly}", begun.question.name))
    });
    let found = listed(answered);
    (found.count > 0).then(|| Finding::told("answers", found, true))
}

/// What is listed, and how much it is.
fn listed(items: impl Iterator<Item = String>) -> Found {
    let items: Vec<String> = items.collect();
    Found { count: items.len() as u64, detail: items.join(", "), ..Found::default() }
}
