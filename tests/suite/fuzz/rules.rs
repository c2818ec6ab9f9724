//! The differences from `iree-profile` that are right, each with its reason. docs/differences.md explains them to users.

use super::bundles::Answer;
use crate::support::ask::root;
use crate::support::parts::{Parts, number};

/// A difference that is right.
#[derive(Debug)]
pub struct Rule {
    /// The name, which docs/differences.md lists with the reason.
    pub name: &'static str,
    pub holds: fn(&Answer) -> bool,
}

pub const RULES: &[Rule] = &[
    // It is read up to its last whole record.
    Rule {
        name: "the capture did not finish",
        holds: |answer| {
            let said = &answer.ours.err;
            let is_cut = said.contains("did not finish") || said.contains("the file is truncated");
            is_cut && !answer.theirs.is_fine()
        },
    },
    // Only iree-profile of April and May 2026 reads them.
    Rule {
        name: "`executable-exports` of older builds",
        holds: |answer| {
            let content_type = b"application/vnd.iree.hal.profile.executable-exports";
            answer.bytes.windows(content_type.len()).any(|window| window == content_type)
        },
    },
    // The format lets later versions append fields to records. The reference takes them for names, values or records.
    Rule {
        name: "longer records of a later version",
        holds: |answer| {
            let refused = answer.theirs.why();
            let is_name = refused.contains("inconsistent with record length");
            let is_fixed = answer.command.starts_with("statistics") && has_longer_records(answer);
            answer.ours.is_fine() && (is_name || is_fixed)
        },
    },
    // `statistics` of the reference does not look at the lengths of records.
    Rule {
        name: "`statistics` of records with wrong lengths",
        holds: |answer| {
            let is_refused = !answer.ours.is_fine() && answer.ours.err.contains("record_length");
            answer.command.starts_with("statistics") && is_refused
        },
    },
    // Ours adds up the durations for the summary, which then lacks the groups.
    Rule {
        name: "`--dispatch_events`, where the sum of a group overflows 64 bits",
        holds: |answer| {
            let is_listed = answer.command.contains("--dispatch_events");
            is_listed && answer.ours.err.contains("overflows 64 bits")
        },
    },
    // `summary` and `explain` of both refuse it, the other commands of both do not.
    Rule {
        name: "`export` of an empty chunk of traces",
        holds: |answer| {
            let refused = answer.theirs.why();
            let is_empty = refused.ends_with("executable-traces' has a truncated typed record");
            answer.command.starts_with("export") && is_empty
        },
    },
];

/// True if any event, which has no names or values behind it, is longer than its layout.
fn has_longer_records(answer: &Answer) -> bool {
    let parts = Parts::of(&answer.bytes);
    parts.chunks.iter().any(|part| {
        let is_fixed = part.family().ends_with("-events") || part.family() == "clock-correlations";
        let size = part.layout().map_or(0, |layout| layout.size) as u64;
        is_fixed && part.records.iter().any(|record| number(&record[..4]) > size)
    })
}

/// Checks that docs/differences.md has a line for each rule.
pub fn documented() {
    let page = std::fs::read_to_string(root().join("docs/differences.md")).unwrap();
    for rule in RULES {
        assert!(page.contains(&format!("| {} |", rule.name)), "docs/differences.md: {}", rule.name);
    }
}

/// Returns the rule that explains a difference.
pub fn explains(answer: &Answer) -> Option<&'static Rule> {
    RULES.iter().find(|rule| (rule.holds)(answer))
}
