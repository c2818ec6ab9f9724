//! What a reader of the numbers ought to know: what is missing, damaged or odd about a capture.

use crate::fold::shared::columns::Columns;
use crate::fold::summary::records::{FailedEnd, FileRecords, failed_columns};

/// What hints are given for.
#[derive(Debug)]
pub struct Findings {
    pub records: FileRecords,
    pub valid: u64,
    pub invalid: u64,
    pub host_valid: u64,
    pub host_invalid: u64,
    pub has_queue_events: bool,
    pub has_pool_waits: bool,
}

/// Severity, category and message.
type Hint = [&'static str; 3];

/// Messages are those of `iree-profile`, word for word, as scripts look for them.
const UNKNOWN: Hint = [
    "warning",
    "format",
    "unknown records or chunks were present; newer producer data may be missing from this analysis",
];
const TRUNCATED: Hint = [
    "error",
    "format",
    "truncated chunks were present; timing and lifecycle totals may be incomplete",
];
const FAILED: Hint = ["error", "session", "profiling session end records reported non-OK status"];
const INVALID: Hint = [
    "warning",
    "dispatch",
    "some dispatch events had missing or reversed timestamps and were excluded from timing totals",
];
const HOST_INVALID: Hint = [
    "warning",
    "dispatch",
    "some host execution dispatch spans had missing or reversed timestamps and were excluded from timing totals",
];
const NO_QUEUE_EVENTS: Hint = [
    "info",
    "queue",
    "queue event records are absent; queue dependency and gap hints are limited to dispatch timestamp intervals",
];
const POOL_WAITS: Hint = [
    "warning",
    "memory",
    "pool wait events were observed; allocation readiness affected the captured queue schedule",
];
const HOST_ONLY: Hint = [
    "info",
    "dispatch",
    "device dispatch events are absent; top dispatch analysis is using host execution dispatch spans",
];
const NO_DISPATCHES: Hint = [
    "info",
    "dispatch",
    "no valid dispatch events were captured; enable queue profiling on a producer that emits device timestamps",
];

/// A hint that applies, and the session that it is about.
pub struct Row {
    hint: Hint,
    failed_ends: Option<u64>,
    first_failed: Option<FailedEnd>,
}

/// The hints that apply.
pub fn hints(findings: &Findings) -> Vec<Row> {
    let records = &findings.records;
    let cases = [
        (records.unknown > 0 || records.unknown_chunks > 0, UNKNOWN),
        (records.truncated_chunks > 0, TRUNCATED),
        (records.failed_ends > 0, FAILED),
        (findings.invalid > 0, INVALID),
        (findings.host_invalid > 0, HOST_INVALID),
        (!findings.has_queue_events, NO_QUEUE_EVENTS),
        (findings.has_pool_waits, POOL_WAITS),
        (findings.valid == 0 && findings.host_valid > 0, HOST_ONLY),
        (findings.valid == 0 && findings.host_valid == 0, NO_DISPATCHES),
    ];
    let hint = |(_, hint): (bool, Hint)| {
        let is_about_sessions = hint == FAILED;
        Row {
            hint,
            failed_ends: is_about_sessions.then_some(records.failed_ends),
            first_failed: records.first_failed.filter(|_| is_about_sessions),
        }
    };
    cases.into_iter().filter(|(applies, _)| *applies).map(hint).collect()
}

/// The rows of `explain_hints`.
pub fn columns() -> Columns<Row> {
    Columns::new()
        .position()
        .text("severity", |row: &Row| row.hint[0])
        .text("category", |row| row.hint[1])
        .text("message", |row| row.hint[2])
        .optional_number("non_ok_session_end_records", |row| row.failed_ends)
        .part(failed_columns(), |row| &row.first_failed)
}
