//! Hints for readers of `explain`: each with its condition and message.
//!
//! The messages are those of `iree-profile`, verbatim, because scripts match them.

use crate::fold::Columns;
use crate::fold::explain::PassResults;
use crate::fold::summary::{FailedEnd, FileRecords, failed_columns};

/// A hint and its condition.
pub struct Hint {
    severity: &'static str,
    category: &'static str,
    message: &'static str,
    applies: fn(&Facts<'_>) -> bool,
}

/// The facts about a capture.
pub struct Facts<'a> {
    pub records: FileRecords,
    pub found: &'a PassResults<'a>,
}

impl Facts<'_> {
    fn valid(&self) -> u64 {
        self.found.device.counts()[1]
    }

    fn host_valid(&self) -> u64 {
        self.found.host.counts()[1]
    }
}

/// All hints, in the order of printing.
const HINTS: &[Hint] = &[
    Hint {
        severity: "warning",
        category: "format",
        message: "unknown records or chunks were present; newer producer data may be missing from this analysis",
        applies: |facts| facts.records.unknown > 0 || facts.records.unknown_chunks > 0,
    },
    Hint {
        severity: "error",
        category: "format",
        message: "truncated chunks were present; timing and lifecycle totals may be incomplete",
        applies: |facts| facts.records.truncated_chunks > 0,
    },
    Hint {
        severity: "error",
        category: SESSION,
        message: "profiling session end records reported non-OK status",
        applies: |facts| facts.records.failed_ends > 0,
    },
    Hint {
        severity: "warning",
        category: "dispatch",
        message: "some dispatch events had missing or reversed timestamps and were excluded from timing totals",
        applies: |facts| facts.found.device.counts()[2] > 0,
    },
    Hint {
        severity: "warning",
        category: "dispatch",
        message: "some host execution dispatch spans had missing or reversed timestamps and were excluded from timing totals",
        applies: |facts| facts.found.host.counts()[2] > 0,
    },
    Hint {
        severity: "info",
        category: "queue",
        message: "queue event records are absent; queue dependency and gap hints are limited to dispatch timestamp intervals",
        applies: |facts| facts.found.operations.events == 0,
    },
    Hint {
        severity: "warning",
        category: "memory",
        message: "pool wait events were observed; allocation readiness affected the captured queue schedule",
        applies: |facts| facts.found.memory.waits().any(|(_, waits)| waits > 0),
    },
    Hint {
        severity: "info",
        category: "dispatch",
        message: "device dispatch events are absent; top dispatch analysis is using host execution dispatch spans",
        applies: |facts| facts.valid() == 0 && facts.host_valid() > 0,
    },
    Hint {
        severity: "info",
        category: "dispatch",
        message: "no valid dispatch events were captured; enable queue profiling on a producer that emits device timestamps",
        applies: |facts| facts.valid() == 0 && facts.host_valid() == 0,
    },
];

/// The category of the hint about sessions.
const SESSION: &str = "session";

/// A hint that applies. The hint about sessions has the failed ones.
pub struct AppliedHint {
    hint: &'static Hint,
    failed_ends: Option<u64>,
    first_failed: Option<FailedEnd>,
}

/// Returns the hints that apply.
pub fn hints(facts: &Facts<'_>) -> Vec<AppliedHint> {
    let given = |hint: &'static Hint| {
        let records = Some(&facts.records).filter(|_| hint.category == SESSION);
        let first_failed = records.and_then(|records| records.first_failed);
        AppliedHint { hint, failed_ends: records.map(|records| records.failed_ends), first_failed }
    };
    HINTS.iter().filter(|hint| (hint.applies)(facts)).map(given).collect()
}

/// The columns of `explain_hints`.
pub fn columns() -> Columns<AppliedHint> {
    Columns::<AppliedHint>::new()
        .position()
        .text("severity", |given| given.hint.severity)
        .text("category", |given| given.hint.category)
        .text("message", |given| given.hint.message)
        .optional_number("non_ok_session_end_records", |given| given.failed_ends)
        .part(failed_columns(), |given| &given.first_failed)
}
