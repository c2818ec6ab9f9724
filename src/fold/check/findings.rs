//! What there is to find about a bundle, with its numbers: SQL says it in words.

use std::collections::BTreeMap;

use arrow::datatypes::DataType::{UInt64, Utf8View};

use super::super::arrays::{numbers, optional_numbers, optional_texts, texts};
use super::super::record_groups::{DEVICE, Group, KIND};
use super::super::{Clock, Column, Columns};
use super::chunks::ByTable;
use super::missing::Missing;
use super::modes::TICKING;
use super::runs;
use crate::bundle::{Bundle, Problem, Severity};

/// The columns of `capture_findings`.
pub const COLUMNS: &[Column] = &[
    ("severity", Utf8View),
    ("finding", Utf8View),
    ("count", UInt64),
    ("table", Utf8View),
    ("session_id", UInt64),
    ("physical_device_ordinal", UInt64),
    ("total", UInt64),
    ("detail", Utf8View),
];

/// One of them.
#[derive(Debug)]
pub struct Finding {
    severity: Severity,
    name: &'static str,
    count: u64,
    table: Option<&'static str>,
    session_id: Option<u64>,
    device: Option<u64>,
    total: Option<u64>,
    detail: Option<String>,
}

/// Tables of events, and whether their events say how long something ran.
const EVENTS: &[(&str, bool)] = &[
    ("queue_events", false),
    ("queue_device_events", true),
    ("dispatch_events", true),
    ("host_execution_events", true),
    ("memory_events", false),
    ("command_region_events", true),
    ("counter_samples", true),
    ("device_metric_samples", false),
    ("executable_traces", true),
];

/// Types of queue events and host spans that run code: dispatches, and command buffers.
const DISPATCH: u64 = 2;
const EXECUTE: u64 = 3;

impl Finding {
    /// One about the bundle as a whole, in words.
    pub fn about(severity: Severity, name: &'static str, detail: String) -> Self {
        Self { detail: Some(detail), ..Self::new(severity, name, 1) }
    }

    const fn new(severity: Severity, name: &'static str, count: u64) -> Self {
        Self {
            severity,
            name,
            count,
            table: None,
            session_id: None,
            device: None,
            total: None,
            detail: None,
        }
    }
}

/// All findings of a bundle.
pub fn findings(
    bundle: &Bundle,
    groups: &[Group],
    chunks: &ByTable,
    missing: &[Missing],
    clocks: &BTreeMap<u64, Clock>,
) -> Vec<Finding> {
    let mut found = runs::findings(bundle);
    if bundle.stand_in.is_some() {
        return found;
    }
    found.extend(problems(bundle));
    found.extend(of_file(bundle));
    found.extend(lost(chunks));
    if !bundle.directory.entries.is_empty() {
        found.extend(empty(groups));
    }
    found.extend(ticks(groups, clocks));
    found.extend(invalid(groups));
    found.extend(undescribed(missing));
    found
}

/// What the reader had to skip, and what it did not know.
fn problems(bundle: &Bundle) -> Vec<Finding> {
    let is_told_otherwise = |problem: &&Problem| match problem.kind {
        "failed_session" | "truncated_chunk" => true,
        "unfinished" => bundle.directory.entries.is_empty(),
        _ => false,
    };
    let mut kinds: BTreeMap<(Severity, &'static str), Vec<&Problem>> = BTreeMap::new();
    for problem in bundle.directory.problems.iter().filter(|it| !is_told_otherwise(it)) {
        kinds.entry((problem.severity, problem.kind)).or_default().push(problem);
    }
    let finding = |((severity, kind), problems): ((Severity, &'static str), Vec<&Problem>)| {
        let first = problems.iter().min_by_key(|it| it.offset.unwrap_or(u64::MAX));
        let detail = first.map(|first| first.what.clone());
        Finding { detail, ..Finding::new(severity, kind, problems.len() as u64) }
    };
    kinds.into_iter().map(finding).collect()
}

fn of_file(bundle: &Bundle) -> Vec<Finding> {
    let directory = &bundle.directory;
    let mut found = Vec::new();
    if directory.entries.is_empty() {
        let total = Some(directory.end);
        found.push(Finding { total, ..Finding::new(Severity::Error, "empty_bundle", 1) });
    }
    let failed: Vec<String> = directory
        .sessions
        .iter()
        .filter_map(|session| {
            let code = session.failure()?;
            let status = schemas::enums::STATUS_CODE.name_of(code);
            Some(format!("{} with {status}", session.session_id))
        })
        .collect();
    if !failed.is_empty() {
        let new = Finding::new(Severity::Error, "failed_session", failed.len() as u64);
        found.push(Finding { detail: Some(failed.join(", ")), ..new });
    }
    found
}

/// What producers lost, and chunks of families that are not known.
fn lost(chunks: &ByTable) -> Vec<Finding> {
    let mut found = Vec::new();
    for (&table, chunks) in chunks {
        if table.is_none() {
            found.push(Finding::new(Severity::Info, "unknown_chunk", chunks.count));
        }
        if chunks.is_lossy() {
            found.push(Finding {
                table,
                total: Some(chunks.truncated),
                detail: Some(chunks.dropped.to_string()),
                ..Finding::new(Severity::Warning, "lost_records", chunks.dropped())
            });
        }
    }
    found
}

/// Captures of queues and nothing that ran on them, or of nothing at all.
fn empty(groups: &[Group]) -> Option<Finding> {
    let sum = |is_meant: &dyn Fn(&Group) -> bool| -> u64 {
        groups.iter().filter(|group| is_meant(group)).map(|group| group.row_count).sum()
    };
    let kind = |group: &Group| group.keys.get(KIND).copied().flatten();
    let is_event = |group: &Group| EVENTS.iter().any(|(table, _)| *table == group.table);
    let is_measured = |group: &Group| EVENTS.contains(&(group.table, true));
    let is_dispatch = |group: &Group| {
        group.table == "dispatch_events"
            || group.table == "host_execution_events" && kind(group) == Some(DISPATCH)
    };
    let runs = sum(&|group| {
        group.table == "queue_events" && matches!(kind(group), Some(DISPATCH | EXECUTE))
    });
    if sum(&is_event) == 0 {
        return Some(Finding::new(Severity::Error, "no_events", runs));
    }
    if runs == 0 || sum(&is_dispatch) > 0 {
        return None;
    }
    let measured = sum(&is_measured);
    let severity = if measured == 0 { Severity::Error } else { Severity::Warning };
    Some(Finding { total: Some(measured), ..Finding::new(severity, "no_dispatches", runs) })
}

/// Clocks of devices whose events are in ticks and stay so.
fn ticks(groups: &[Group], clocks: &BTreeMap<u64, Clock>) -> Vec<Finding> {
    let mut devices: BTreeMap<Option<u64>, u64> = BTreeMap::new();
    for group in groups.iter().filter(|group| TICKING.contains(&group.table)) {
        let device = group.keys.get(DEVICE).copied().flatten();
        *devices.entry(device).or_default() += group.row_count;
    }
    let finding = |(device, count): (Option<u64>, u64)| {
        let clock = device.and_then(|device| clocks.get(&device));
        if clock.is_some_and(|clock| clock.preferred().is_some()) {
            return None;
        }
        let reason = clock.and_then(Clock::why_not);
        let name = match reason {
            None => "no_clock",
            Some(_) if clock.is_some_and(Clock::is_of_another) => "unaligned_clock",
            Some(_) => "unfitted_clock",
        };
        let detail = reason.map(str::to_owned);
        Some(Finding { device, detail, ..Finding::new(Severity::Warning, name, count) })
    };
    devices.into_iter().filter_map(finding).collect()
}

/// Events that end before they start.
fn invalid(groups: &[Group]) -> Vec<Finding> {
    let mut tables: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
    for group in groups {
        let (rows, invalid) = tables.entry(group.table).or_default();
        *rows += group.row_count;
        *invalid += group.invalid_count;
    }
    let finding = |(table, (rows, invalid)): (&'static str, (u64, u64))| {
        let severity = if rows == invalid { Severity::Error } else { Severity::Warning };
        let new = Finding::new(severity, "invalid_events", invalid);
        (invalid > 0).then_some(Finding { table: Some(table), total: Some(rows), ..new })
    };
    tables.into_iter().filter_map(finding).collect()
}

/// What nobody described. Commands refuse some of it; some drivers never describe command buffers that they replay at
/// once, and nothing needs it of them.
fn undescribed(missing: &[Missing]) -> Vec<Finding> {
    let mut found: BTreeMap<(u64, &'static str, Severity), (u64, Vec<String>)> = BTreeMap::new();
    for row in missing {
        let severity = if is_refused(row) { Severity::Error } else { Severity::Info };
        let key = (row.session_id, row.table, severity);
        let (rows, parts) = found.entry(key).or_default();
        *rows = row.row_count.max(*rows);
        let plural = if row.count == 1 { "" } else { "s" };
        parts.push(format!("{} {}{plural}", row.count, row.what));
    }
    let finding = |((session, table, severity), (rows, parts)): (_, (u64, Vec<String>))| Finding {
        table: Some(table),
        session_id: Some(session),
        detail: Some(parts.join(", ")),
        ..Finding::new(severity, "missing_metadata", rows)
    };
    found.into_iter().map(finding).collect()
}

fn is_refused(row: &Missing) -> bool {
    match row.table {
        "counter_samples" => row.what == "counter set",
        "device_metric_samples" => row.what == "metric source",
        "dispatch_events" => row.what != "device",
        "host_execution_events" => matches!(row.what, "queue" | "executable" | "function"),
        "queue_device_events" => row.what == "queue",
        "executable_functions" => row.what == "executable",
        _ => false,
    }
}

/// The rows of `capture_findings`.
pub fn columns(findings: &[Finding]) -> Columns {
    let each = || findings.iter();
    vec![
        texts(each().map(|row| row.severity.name())),
        texts(each().map(|row| row.name)),
        numbers(each().map(|row| row.count)),
        optional_texts(each().map(|row| row.table)),
        optional_numbers(each().map(|row| row.session_id)),
        optional_numbers(each().map(|row| row.device)),
        optional_numbers(each().map(|row| row.total)),
        optional_texts(each().map(|row| row.detail.as_deref())),
    ]
}
