//! The bottlenecks of `explain`: rules with condition, weight, message and evidence.

use std::collections::HashMap;

use base::words::{counted, literal};

use crate::fold::explain::{Dispatches, PassResults, QueueSpan, Selection, Tallied};
use crate::fold::{ABSENT, Columns};

/// A bottleneck.
pub struct Bottleneck {
    /// Its share of the time, from 0 to 1; 0 for findings that are not about time.
    weight: f64,
    finding: String,
    /// The query for the figures of the finding.
    evidence: String,
}

/// All rules. Each returns the bottlenecks that it finds.
pub const RULES: &[fn(&PassResults<'_>) -> Vec<Bottleneck>] =
    &[functions, idle_devices, waiting_queues, deferred_operations, pool_waits];

/// Minimum share of the time for a function to be a bottleneck.
const LARGE: f64 = 0.2;

/// Busy time per span from which a device does not count as idle.
const BUSY: f64 = 0.9;

/// Functions with a large share of the time in dispatches.
fn functions(found: &PassResults<'_>) -> Vec<Bottleneck> {
    let of_device = shares(&found.device).into_iter().map(|share| (share, "device", "ticks"));
    let of_host = shares(&found.host).into_iter().map(|share| (share, "host", "ns"));
    let large = of_device.chain(of_host).filter(|(function, ..)| function.part >= LARGE);
    let bottleneck = |(function, timed_by, unit): (Share<'_>, &str, &str)| Bottleneck {
        weight: function.part,
        finding: format!(
            "{} takes {} of the {}dispatch time measured by the {timed_by}",
            function.key,
            percent(function.part),
            matching(&found.selection)
        ),
        evidence: evidence(
            found,
            &format!(
                "sum(duration_{unit}) FILTER (WHERE {} = {}) / sum(duration_{unit}) AS share FROM dispatches",
                // Reports resolve names without regard to the session.
                if function.is_named && found.records.session_begins <= 1 {
                    "key"
                } else {
                    "function_key(bundle, physical_device_ordinal, executable_id, function_ordinal)"
                },
                literal(function.key),
            ),
            &format!(
                " AND timing_source = '{timed_by}' AND is_valid{}",
                conditions(&found.selection)
            ),
        ),
    };
    large.map(bottleneck).collect()
}

/// Devices that are idle for part of the time between their first and last dispatch of a session, and for longer than uneven
/// clocks explain.
#[expect(clippy::cast_precision_loss, reason = "times are rounded")]
fn idle_devices(found: &PassResults<'_>) -> Vec<Bottleneck> {
    let relation = relation(&found.selection, "explain_utilization", "explain_utilizations");
    let is_only = found.records.session_begins <= 1;
    let idle = |([session, device], busy, span_ns): ([u64; 2], f64, i64)| Bottleneck {
        weight: 1.0 - busy,
        finding: format!(
            "device {device} runs no {}dispatch for {} of the {} between its first and its last dispatch{}",
            matching(&found.selection),
            percent(1.0 - busy),
            ms(span_ns as f64),
            if is_only { String::new() } else { format!(" of session {session}") }
        ),
        evidence: evidence(
            found,
            &format!("1 - busy_share AS idle, span_ns FROM {relation}"),
            &format!(" AND session_id = {session} AND physical_device_ordinal = {device}"),
        ),
    };
    let devices = found.utilizations().into_iter();
    let devices =
        devices.filter_map(|device| Some((device.key, device.share()?, device.span_ns()?)));
    let is_idle = |([_, device], busy, span_ns): &([u64; 2], f64, i64)| {
        *busy > 0.0 && *busy < BUSY && (1.0 - busy) * *span_ns as f64 >= found.off_ns(*device)
    };
    devices.filter(is_idle).map(idle).collect()
}

/// Queues with gaps between submissions that are longer than uneven clocks explain. Gaps between sessions are no waits, and
/// their clocks may differ, so nothing is said of several sessions.
fn waiting_queues(found: &PassResults<'_>) -> Vec<Bottleneck> {
    if found.records.session_begins > 1 {
        return Vec::new();
    }
    let relation = relation(&found.selection, "explain_queue", "explain_queues");
    let waiting = |span: QueueSpan| {
        let ([device, queue, stream], busy) = (span.key, span.busy);
        let [total_ns, max_ns, busy_ns] =
            [busy.total_gap_ticks, busy.max_gap_ticks, busy.covered_ticks].map(|it| span.ns(it));
        (total_ns > 0.0 && total_ns >= found.off_ns(device)).then(|| Bottleneck {
            weight: (total_ns / (total_ns + busy_ns)).min(1.0),
            finding: format!(
                "queue {queue} of device {device} waits {} in {} between submissions (longest: {}), compared to {} of work",
                ms(total_ns),
                counted(busy.gaps, "gap"),
                ms(max_ns),
                ms(busy_ns)
            ),
            evidence: evidence(
                found,
                &format!("total_gap_ns, gaps, max_gap_ns, busy_ns FROM {relation}"),
                &format!(
                    " AND physical_device_ordinal = {device} AND queue_ordinal = {queue} AND stream_id = {stream}"
                ),
            ),
        })
    };
    found.queues().into_iter().filter_map(waiting).collect()
}

/// Queue operations that are deferred by software.
fn deferred_operations(found: &PassResults<'_>) -> Vec<Bottleneck> {
    let (deferred, operations) = (found.operations.deferred(), found.operations.events);
    let bottleneck = || Bottleneck {
        weight: 0.0,
        finding: format!(
            "{deferred} of {operations} queue operations were deferred by software, not by the device"
        ),
        evidence: evidence(
            found,
            "count(*) FILTER (WHERE dependency_strategy = 'software_defer') AS deferred, count(*) AS operations \
             FROM queue_events",
            "",
        ),
    };
    (deferred > 0).then(bottleneck).into_iter().collect()
}

/// Waits for the memory of pools.
fn pool_waits(found: &PassResults<'_>) -> Vec<Bottleneck> {
    let bottleneck = |(device, waits): (u64, u64)| Bottleneck {
        weight: 0.0,
        finding: format!(
            "work on device {device} waited {} for memory from pools",
            counted(waits, "time")
        ),
        evidence: evidence(
            found,
            "count(*) AS waits FROM memory_events",
            &format!(
                " AND type = 'pool_wait' AND {}",
                if device == ABSENT {
                    "physical_device_ordinal IS NULL".to_owned()
                } else {
                    format!("physical_device_ordinal = {device}")
                }
            ),
        ),
    };
    found.memory.waits().filter(|(_, waits)| *waits > 0).map(bottleneck).collect()
}

/// A function's share of the time of all dispatches.
struct Share<'a> {
    key: &'a str,
    part: f64,
    /// Whether the key is a name.
    is_named: bool,
}

/// Returns the share of each function in the time of all dispatches, summed over devices.
#[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
fn shares<'a, T: Tallied>(pass: &'a Dispatches<'_, T>) -> Vec<Share<'a>> {
    let mut totals: HashMap<&str, (u128, bool)> = HashMap::new();
    for (group, _, sum) in pass.matching() {
        let total = totals.entry(pass.key(group)).or_insert((0, pass.is_named(group)));
        total.0 += u128::from(sum.times.total);
    }
    let all: u128 = totals.values().map(|(total, _)| total).sum();
    let share = |(key, (total, is_named))| Share { key, part: total as f64 / all as f64, is_named };
    totals.into_iter().map(share).collect()
}

/// Returns the query for figures, given with their relation, in the rows of the bundle. Each further condition begins with ` AND `.
fn evidence(found: &PassResults<'_>, figures: &str, conditions: &str) -> String {
    format!("SELECT {figures} WHERE bundle = {}{conditions}", literal(found.bundle))
}

/// Returns what dispatches of a selection are called.
fn matching(selection: &Selection) -> &'static str {
    if selection.filter == "*" && selection.id.is_none() { "" } else { "matching " }
}

/// Returns the SQL conditions of a selection on `dispatches`.
fn conditions(selection: &Selection) -> String {
    let Selection { filter, id, warmup } = selection;
    let mut conditions = match warmup {
        0 => String::new(),
        ..0 => " AND NOT is_warmup".to_owned(),
        count => format!(" AND coalesce(invocation > {count}, TRUE)"),
    };
    if filter != "*" {
        conditions += &format!(" AND matches_pattern(key, {})", literal(filter));
    }
    if let Some(id) = id {
        conditions += &format!(" AND event_id = {id}");
    }
    conditions
}

/// Returns the relation of a selection: the report if it is the default, else the call of the table function.
fn relation(selection: &Selection, report: &str, function: &str) -> String {
    let Selection { filter, id, warmup } = selection;
    if (filter.as_str(), id, warmup) == ("*", &None, &-1) {
        return format!("report.{report}");
    }
    let id = id.map_or_else(|| "NULL".to_owned(), |id| id.to_string());
    format!("{function}({}, {id}, {warmup})", literal(filter))
}

/// The columns of `explain_bottlenecks`.
pub fn columns() -> Columns<Bottleneck> {
    Columns::<Bottleneck>::new()
        .float("weight", |bottleneck| bottleneck.weight)
        .text("finding", |bottleneck| &bottleneck.finding)
        .text("evidence", |bottleneck| &bottleneck.evidence)
}

fn percent(part: f64) -> String {
    format!("{:?} %", (part * 1e3).round() / 10.0)
}

fn ms(ns: f64) -> String {
    format!("{:?} ms", (ns / 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded() {
        assert_eq!([percent(0.43), percent(0.692_5)], ["43.0 %", "69.3 %"]);
        assert_eq!([ms(53_538_400.0), ms(9e6)], ["53.538 ms", "9.0 ms"]);
    }
}
