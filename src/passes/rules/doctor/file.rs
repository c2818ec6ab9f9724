//! Rules about the file: problems that the reader found, sessions, and records that the producer lost.

use std::collections::BTreeMap;

use read::bundle::{Problem, Severity};

use super::rule::{Case, Facts, Rule};

/// Template for rules about problems of the reader, which have their own message.
const PROBLEM: Rule = Rule {
    name: "",
    find: |_| Vec::new(),
    what: "{detail}{first}",
    evidence: "problems WHERE kind = '{finding}'",
    advice: "",
};

const NEWER: &str = "a newer version of ireescope may support it";

pub const RULES: &[Rule] = &[
    Rule {
        name: "cut_gzip",
        find: |facts| problems(facts, |kind| kind == "cut_gzip"),
        advice: "copy or compress the file again: its end is missing",
        ..PROBLEM
    },
    Rule {
        name: "cut_record",
        find: |facts| problems(facts, |kind| kind == "cut_record"),
        advice: "capture or copy the file again: its end is missing",
        ..PROBLEM
    },
    Rule {
        name: "damaged_chunk",
        find: |facts| problems(facts, |kind| kind == "damaged_chunk"),
        advice: "copy the file again, or capture again; commands that read this chunk reject the bundle",
        ..PROBLEM
    },
    Rule {
        name: "open_session",
        find: |facts| problems(facts, |kind| kind == "open_session"),
        advice: "the tool did not end its profiling session; capture again and let the tool exit",
        ..PROBLEM
    },
    Rule {
        name: "repeated_session",
        find: |facts| problems(facts, |kind| kind == "repeated_session"),
        advice: "query one session at a time, by the byte offsets of its records",
        ..PROBLEM
    },
    Rule {
        name: "unfinished",
        // A file without records is reported as an empty bundle.
        find: |facts| {
            let has_records = !facts.bundle.directory.entries.is_empty();
            problems(facts, |kind| has_records && kind == "unfinished")
        },
        advice: "the records before are available; let the tool exit by itself, or if it cannot, lose less with --device_profiling_flush_interval_ms=N",
        ..PROBLEM
    },
    Rule {
        name: "unknown_record",
        find: |facts| problems(facts, |kind| kind == "unknown_record"),
        advice: NEWER,
        ..PROBLEM
    },
    Rule {
        name: "empty_bundle",
        find: |facts| {
            let directory = &facts.bundle.directory;
            let total = Some(directory.end);
            let empty = || Case { total, ..Case::new(Severity::Error) };
            directory.entries.is_empty().then(empty).into_iter().collect()
        },
        what: "nothing was recorded: the file has only its header of {total} bytes",
        evidence: "bundles",
        advice: "check the output of the tool: a driver that refuses a mode leaves such a file; capture with fewer modes",
    },
    Rule {
        name: "failed_session",
        find: failed_sessions,
        what: "failed sessions: {detail}",
        evidence: "sessions WHERE status_code <> 0",
        advice: "check the output of the tool; the records before the failure are available",
    },
    Rule {
        name: "unknown_chunk",
        find: |facts| {
            let unknown = facts.chunks.get(&None);
            let found = unknown.map(|it| Case { count: it.count, ..Case::new(Severity::Info) });
            found.into_iter().chain(problems(facts, |kind| kind == "unknown_chunk")).collect()
        },
        what: "chunks of unknown kinds: {count}",
        evidence: "records WHERE record_type = 'chunk' AND family IS NULL",
        advice: NEWER,
    },
    Rule {
        name: "lost_records",
        find: |facts| {
            let lossy = facts.chunks.iter().filter(|(_, chunks)| chunks.is_lossy());
            let found = lossy.map(|(&table, chunks)| Case {
                count: chunks.dropped(),
                table,
                total: Some(chunks.truncated),
                ..Case::told(Severity::Warning, chunks.dropped.to_string())
            });
            found.collect()
        },
        what: "the producer lost {table}: records dropped: {detail}, chunks truncated: {total}",
        evidence: "records WHERE {family} AND (flag_truncated OR dropped_record_count > 0)",
        advice: "record less at once: fewer modes, --device_profiling_filter_function=PATTERN, or --device_profiling_flush_interval_ms=N",
    },
    Rule { find: |facts| problems(facts, |kind| !is_ruled(kind)), ..PROBLEM },
];

/// Whether a rule covers a kind of problem. Truncated chunks are covered by `lost_records`.
fn is_ruled(kind: &str) -> bool {
    kind == "truncated_chunk" || RULES.iter().any(|rule| rule.name == kind)
}

/// Problems that a time limit causes.
const OF_LIMIT: &[&str] = &["unfinished", "cut_record", "open_session"];

/// Returns one case for each kind and severity of problems, with the message of the first problem in the file. What the
/// time limit of the run caused was meant.
fn problems(facts: &Facts<'_>, is_wanted: impl Fn(&str) -> bool) -> Vec<Case> {
    let mut kinds: BTreeMap<(Severity, &'static str), Vec<&Problem>> = BTreeMap::new();
    for problem in facts.bundle.directory.problems.iter().filter(|it| is_wanted(it.kind)) {
        kinds.entry((problem.severity, problem.kind)).or_default().push(problem);
    }
    let found = |((severity, kind), problems): ((Severity, &'static str), Vec<&Problem>)| {
        let first = problems.iter().min_by_key(|it| it.offset.unwrap_or(u64::MAX));
        let detail = first.map_or_else(String::new, |first| first.what.clone());
        let count = problems.len() as u64;
        let is_meant = facts.bundle.is_limited() && OF_LIMIT.contains(&kind);
        let found = if is_meant { Case::meant(detail) } else { Case::told(severity, detail) };
        Case { kind: Some(kind), count, ..found }
    };
    kinds.into_iter().map(found).collect()
}

fn failed_sessions(facts: &Facts<'_>) -> Vec<Case> {
    let sessions = facts.bundle.directory.sessions.iter().filter_map(|session| {
        let status = schemas::enums::STATUS_CODE.name_of(session.failure()?);
        Some(format!("{} with {status}", session.session_id))
    });
    let failed: Vec<String> = sessions.collect();
    let count = failed.len() as u64;
    let found = || Case { count, ..Case::told(Severity::Error, failed.join(", ")) };
    (count > 0).then(found).into_iter().collect()
}
