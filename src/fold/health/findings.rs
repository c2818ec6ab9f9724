//! What there is to find about a bundle, with its numbers; the words for it are declared.

use std::collections::BTreeMap;

use schemas::findings::{self, Found};

use crate::bundle::{Bundle, Problem, Severity};
use crate::fold::clocks::correlations::Clock;
use crate::fold::health::chunks::ByTable;
use crate::fold::health::missing::Missing;
use crate::fold::health::modes::TICKING;
use crate::fold::health::runs;
use crate::fold::shared::columns::Columns;
use crate::fold::shared::record_groups::{DEVICE, Group, KIND};

/// One of them.
#[derive(Debug)]
pub struct Finding {
    severity: Severity,
    kind: findings::Finding,
    found: Found,
    /// Nothing needs it.
    is_harmless: bool,
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
        Self::new(severity, name, Found { count: 1, detail, ..Found::default() })
    }

    /// One that asks for nothing to be done, `is_harmless` where nothing can be.
    pub fn told(name: &'static str, found: Found, is_harmless: bool) -> Self {
        Self { is_harmless, ..Self::new(Severity::Info, name, found) }
    }

    fn new(severity: Severity, name: &'static str, found: Found) -> Self {
        Self { severity, kind: findings::Finding::of(name), found, is_harmless: false }
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
        let detail = first.map_or_else(String::new, |first| first.what.clone());
        let count = problems.len() as u64;
        Finding::new(severity, kind, Found { count, detail, ..Found::default() })
    };
    kinds.into_iter().map(finding).collect()
}

fn of_file(bundle: &Bundle) -> Vec<Finding> {
    let directory = &bundle.directory;
    let mut found = Vec::new();
    if directory.entries.is_empty() {
        let total = Some(directory.end);
        let header = Found { count: 1, total, ..Found::default() };
        found.push(Finding::new(Severity::Error, "empty_bundle", header));
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
        let (count, detail) = (failed.len() as u64, failed.join(", "));
        let sessions = Found { count, detail, ..Found::default() };
        found.push(Finding::new(Severity::Error, "failed_session", sessions));
    }
    found
}

/// What producers lost, and chunks of families that are not known.
fn lost(chunks: &ByTable) -> Vec<Finding> {
    let mut found = Vec::new();
    for (&table, chunks) in chunks {
        if table.is_none() {
            let unknown = Found { count: chunks.count, ..Found::default() };
            found.push(Finding::new(Severity::Info, "unknown_chunk", unknown));
        }
        if chunks.is_lossy() {
            let lost = Found {
                count: chunks.dropped(),
                table,
                total: Some(chunks.truncated),
                detail: chunks.dropped.to_string(),
                ..Found::default()
            };
            found.push(Finding::new(Severity::Warning, "lost_records", lost));
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
        let none = Found { count: runs, ..Found::default() };
        return Some(Finding::new(Severity::Error, "no_events", none));
    }
    if runs == 0 || sum(&is_dispatch) > 0 {
        return None;
    }
    let (severity, detail) = match sum(&is_measured) {
        0 => (Severity::Error, "nothing says how long any of it ran"),
        _ => (Severity::Warning, "no dispatch was timed"),
    };
    let queued = Found { count: runs, detail: detail.into(), ..Found::default() };
    Some(Finding::new(severity, "no_dispatches", queued))
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
        let detail = reason.unwrap_or("there is no clock correlation").to_owned();
        let ticks = Found { count, device, detail, ..Found::default() };
        Some(Finding::new(Severity::Warning, name, ticks))
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
        let (table, total) = (Some(table), Some(rows));
        let found = Found { count: invalid, table, total, ..Found::default() };
        (invalid > 0).then(|| Finding::new(severity, "invalid_events", found))
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
        is_harmless: severity == Severity::Info,
        ..Finding::new(
            severity,
            "missing_metadata",
            Found {
                count: rows,
                table: Some(table),
                session: Some(session),
                detail: parts.join(", "),
                ..Found::default()
            },
        )
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
pub fn columns() -> Columns<Finding> {
    Columns::<Finding>::new()
        .text("severity", |row| row.severity.name())
        .text("finding", |row| row.kind.name)
        .number("count", |row| row.found.count)
        .composed("what", |row| Some(row.kind.what(&row.found)))
        .composed("evidence", |row| row.kind.evidence(&row.found))
        .optional_text("advice", |row| {
            Some(row.kind.advice).filter(|advice| !row.is_harmless && !advice.is_empty())
        })
}
