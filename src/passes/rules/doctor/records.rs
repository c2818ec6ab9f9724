//! Rules about the records: missing events, invalid times, missing clock fits, and undefined references.

use std::collections::BTreeMap;

use read::bundle::Severity;
use schemas::questions::{Mode, mode};

use super::rule::{Case, Facts, Rule};
use crate::fold::{Absence, Clock, DEVICE, Group, KIND, Missing};
use crate::rules::answers::TICKING;
use crate::rules::shortcomings::Releases;

const CLOCK: Rule = Rule {
    name: "unfitted_clock",
    find: |facts| {
        ticks(facts, |clock| clock.is_some_and(|it| it.why_not().is_some() && !it.is_of_another()))
    },
    what: "times of device {device} remain in ticks: {detail} (events: {count})",
    evidence: "clock_fits WHERE physical_device_ordinal = {device}",
    advice: "compare ticks only with ticks of the same device; a longer capture has more clock correlations",
};

pub const RULES: &[Rule] = &[
    Rule {
        name: "no_events",
        find: |facts| {
            let count = runs(facts);
            let is_empty = !facts.bundle.directory.entries.is_empty() && events(facts) == 0;
            let none = || Case { count, ..Case::new(Severity::Error) };
            (is_empty && was_asked(facts, is_event)).then(none).into_iter().collect()
        },
        what: "sessions and devices were recorded, but no events",
        evidence: "recorded_modes",
        advice: "the modes were not recorded, or nothing ran during the capture: request other modes (`gaps`), and check whether a filter excluded everything",
    },
    Rule {
        name: "no_dispatches",
        find: |facts| {
            let count = runs(facts);
            let queued = || {
                let (severity, detail) = match measured(facts) {
                    0 => (Severity::Error, "none of it was timed"),
                    _ => (Severity::Warning, "no dispatch was timed"),
                };
                Case { count, ..Case::told(severity, detail) }
            };
            let is_missing = facts.absence.is_some_and(|why| why.why_nothing().is_none());
            let is_missing = count > 0 && is_missing && was_asked(facts, is_dispatch);
            is_missing.then(queued).into_iter().collect()
        },
        what: "work that executes code was queued (operations: {count}), but {detail}",
        evidence: "queue_events WHERE type IN ('dispatch', 'execute')",
        advice: "capture with dispatch-events (GPUs) or host-execution (CPUs); `gaps --for kernel-time` prints the command",
    },
    Rule {
        name: "no_work",
        find: |facts| {
            let why = facts.absence.and_then(Absence::why_nothing);
            let count = runs(facts);
            let none = why.map(|why| Case { count, ..Case::meant(why) });
            none.filter(|_| events(facts) > 0).into_iter().collect()
        },
        what: "{detail} (executions of command buffers: {count})",
        evidence: "recorded_modes",
        advice: "",
    },
    Rule {
        name: "no_clock",
        find: |facts| ticks(facts, |clock| clock.is_none_or(|clock| clock.why_not().is_none())),
        evidence: "clock_correlations",
        ..CLOCK
    },
    Rule {
        name: "unaligned_clock",
        find: |facts| {
            ticks(facts, |clock| {
                clock.is_some_and(|clock| clock.why_not().is_some() && clock.is_of_another())
            })
        },
        ..CLOCK
    },
    CLOCK,
    Rule {
        name: "unrecorded_releases",
        find: |facts| {
            let Releases { allocated, unreleased } = Releases::of(facts.groups);
            let found =
                || Case { count: unreleased, total: Some(allocated), ..Case::new(Severity::Info) };
            (unreleased > 0).then(found).into_iter().collect()
        },
        what: "{count} of {total} queue allocations have no recorded release: hosts free results without an event",
        evidence: "memory_lifetimes WHERE kind = 'queue_allocation' AND end_shown_by IS DISTINCT FROM 'release'",
        advice: "where their pool tells what is reserved, memory_lifetimes and memory_live use it; elsewhere their bytes are an upper bound, which is_upper_bound says",
    },
    Rule {
        name: "invalid_events",
        find: invalid,
        what: "{count} of {total} {table} have invalid times: no start, or an end before the start",
        evidence: "{table} WHERE {untimed}",
        advice: "reports exclude them from all totals; if there are many, report them to the developers of the driver",
    },
    Rule {
        name: "missing_metadata",
        find: undescribed,
        what: "{table} of session {session} refer to objects without metadata: {detail}",
        evidence: "missing_metadata WHERE \"table\" = '{table}'",
        advice: "commands that need the metadata reject the bundle, as iree-profile does; top and SQL read it. Capture again from the start of the session, with executable-metadata for functions",
    },
];

/// Tables of events, and whether their events measure how long something ran.
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

/// Types of queue events and host spans that run code: dispatches and executions of command buffers.
const DISPATCH: u64 = 2;
const EXECUTE: u64 = 3;

/// Whether the run of the bundle was asked for such a mode, or it is not known what it was asked for. A run that fills a
/// gap is only asked for what is missing.
fn was_asked(facts: &Facts<'_>, is_such: impl Fn(&Mode) -> bool) -> bool {
    let own = facts.bundle.own_run().filter(|run| run.process.is_some());
    own.is_none_or(|run| run.asked.iter().filter_map(|name| mode(name)).any(is_such))
}

fn is_event(mode: &Mode) -> bool {
    EVENTS.iter().any(|(table, _)| *table == mode.table())
}

fn is_dispatch(mode: &Mode) -> bool {
    matches!(mode.table(), "dispatch_events" | "host_execution_events")
}

fn sum(facts: &Facts<'_>, is_meant: impl Fn(&Group) -> bool) -> u64 {
    facts.groups.iter().filter(|group| is_meant(group)).map(|group| group.row_count).sum()
}

fn events(facts: &Facts<'_>) -> u64 {
    sum(facts, |group| EVENTS.iter().any(|(table, _)| *table == group.table))
}

fn measured(facts: &Facts<'_>) -> u64 {
    sum(facts, |group| EVENTS.contains(&(group.table, true)))
}

/// Returns the number of queue operations that run code.
fn runs(facts: &Facts<'_>) -> u64 {
    sum(facts, |group| {
        group.table == "queue_events" && matches!(group.key(KIND), Some(DISPATCH | EXECUTE))
    })
}

/// Returns a case for each device whose times stay in ticks and whose clock satisfies `is_meant`.
fn ticks(facts: &Facts<'_>, is_meant: impl Fn(Option<&Clock>) -> bool) -> Vec<Case> {
    let mut devices: BTreeMap<Option<u64>, (u64, &'static str)> = BTreeMap::new();
    for group in facts.groups.iter().filter(|group| TICKING.contains(&group.table)) {
        let device = group.key(DEVICE);
        let clock = device.and_then(|device| facts.clocks.get(&[group.session_id, device]));
        let is_converted = clock.is_some_and(|clock| clock.preferred().is_some());
        if !is_converted && is_meant(clock) {
            let why = clock.and_then(Clock::why_not).unwrap_or("there are no clock correlations");
            devices.entry(device).or_insert((0, why)).0 += group.row_count;
        }
    }
    let found = |(device, (count, why)): (Option<u64>, (u64, &'static str))| Case {
        count,
        device,
        ..Case::told(Severity::Warning, why)
    };
    devices.into_iter().map(found).collect()
}

/// Returns a case for each table with invalid events; an error if all events of the table are invalid.
fn invalid(facts: &Facts<'_>) -> Vec<Case> {
    let mut tables: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
    for group in facts.groups {
        let (rows, invalid) = tables.entry(group.table).or_default();
        *rows += group.row_count;
        *invalid += group.invalid_count;
    }
    let found = |(table, (rows, count)): (&'static str, (u64, u64))| {
        let severity = if rows == count { Severity::Error } else { Severity::Warning };
        Case { count, table: Some(table), total: Some(rows), ..Case::new(severity) }
    };
    tables.into_iter().filter(|(_, (_, invalid))| *invalid > 0).map(found).collect()
}

/// Returns a case for each session and table with undefined references: an error if commands refuse them, otherwise
/// harmless. Some drivers never define the command buffers that they replay at once, and no command needs that.
fn undescribed(facts: &Facts<'_>) -> Vec<Case> {
    let mut found: BTreeMap<(u64, &'static str, Severity), (u64, Vec<String>)> = BTreeMap::new();
    for row in facts.missing {
        let severity = if is_refused(row) { Severity::Error } else { Severity::Info };
        let (rows, parts) = found.entry((row.session_id, row.table, severity)).or_default();
        *rows = row.row_count.max(*rows);
        let plural = if row.count == 1 { "" } else { "s" };
        parts.push(format!("{} {}{plural}", row.count, row.what));
    }
    let each = |((session, table, severity), (count, parts)): (_, (u64, Vec<String>))| Case {
        count,
        table: Some(table),
        session: Some(session),
        is_harmless: severity == Severity::Info,
        ..Case::told(severity, parts.join(", "))
    };
    found.into_iter().map(each).collect()
}

/// Whether a command refuses a bundle with this undefined reference.
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
