//! The bottlenecks of `explain`: rules with condition, weight, message and evidence.

use std::collections::HashMap;

use crate::fold::Columns;
use crate::fold::explain::{Dispatches, Found, QueueSpan, Tallied};

/// A bottleneck.
pub struct Bottleneck {
    /// Its share of the time or of the operations, from 0 to 1; 0 if unknown.
    weight: f64,
    finding: String,
    /// The query for the rows that show it, without `SELECT * FROM`.
    evidence: String,
}

/// All rules. Each returns the bottlenecks that it finds.
pub const RULES: &[fn(&Found<'_>) -> Vec<Bottleneck>] =
    &[functions, idle_devices, waiting_queues, deferred_operations, pool_waits];

/// Minimum share of the time for a function to be a bottleneck.
const LARGE: f64 = 0.2;

/// Busy time per span from which a device does not count as idle.
const BUSY: f64 = 0.9;

/// Functions with a large share of the time in dispatches.
fn functions(found: &Found<'_>) -> Vec<Bottleneck> {
    let of_device = shares(&found.device).map(|(key, share)| (key, share, "device"));
    let of_host = shares(&found.host).map(|(key, share)| (key, share, "host"));
    let large = of_device.chain(of_host).filter(|(_, share, _)| *share >= LARGE);
    let bottleneck = |(key, share, timed_by): (&str, f64, &str)| Bottleneck {
        weight: share,
        finding: format!(
            "{key} takes {} of the dispatch time measured by the {timed_by}",
            percent(share)
        ),
        evidence: format!("dispatches WHERE key = '{}'", key.replace('\'', "''")),
    };
    large.map(bottleneck).collect()
}

/// Devices that are idle for part of the time between their first and last dispatch.
fn idle_devices(found: &Found<'_>) -> Vec<Bottleneck> {
    let idle = |(device, busy, span_ns): (u64, f64, f64)| Bottleneck {
        weight: 1.0 - busy,
        finding: format!(
            "device {device} runs no dispatch for {} of the {} between its first and its last dispatch",
            percent(1.0 - busy),
            ms(span_ns)
        ),
        evidence: format!("report.explain_queue WHERE physical_device_ordinal = {device}"),
    };
    let spans = found.devices().into_iter();
    let spans = spans.filter_map(|span| Some((span.ordinal(), span.busy(), span.ns()?)));
    spans.filter(|(_, busy, _)| *busy > 0.0 && *busy < BUSY).map(idle).collect()
}

/// Queues with gaps between submissions.
fn waiting_queues(found: &Found<'_>) -> Vec<Bottleneck> {
    let waiting = |span: QueueSpan| {
        let ([device, queue, _], busy) = (span.key, span.busy);
        let [total_ns, max_ns, busy_ns] =
            [busy.total_gap_ticks, busy.max_gap_ticks, busy.covered_ticks].map(|it| span.ns(it));
        (total_ns > 0.0).then(|| Bottleneck {
            weight: (total_ns / (total_ns + busy_ns)).min(1.0),
            finding: format!(
                "queue {queue} of device {device} waits {} in {} gaps between submissions (longest: {}), compared to {} of work",
                ms(total_ns),
                busy.gaps,
                ms(max_ns),
                ms(busy_ns)
            ),
            evidence: "queue_submissions ORDER BY wait_ns DESC".to_owned(),
        })
    };
    found.queues().into_iter().filter_map(waiting).collect()
}

/// Queue operations that are deferred by software.
#[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
fn deferred_operations(found: &Found<'_>) -> Vec<Bottleneck> {
    let (deferred, operations) = (found.operations.deferred(), found.operations.events);
    let bottleneck = || Bottleneck {
        weight: deferred as f64 / operations as f64,
        finding: format!(
            "{deferred} of {operations} queue operations were deferred by software, not by the device"
        ),
        evidence: "queue_events WHERE dependency_strategy = 'software_defer'".to_owned(),
    };
    (deferred > 0).then(bottleneck).into_iter().collect()
}

/// Waits for the memory of pools.
fn pool_waits(found: &Found<'_>) -> Vec<Bottleneck> {
    let bottleneck = |(device, waits): (u64, u64)| Bottleneck {
        weight: 0.0,
        finding: format!("work on device {device} waited {waits} times for memory from pools"),
        evidence: "memory_events WHERE type = 'pool_wait'".to_owned(),
    };
    found.memory.waits().filter(|(_, waits)| *waits > 0).map(bottleneck).collect()
}

/// Returns the share of each function in the time of all dispatches, summed over devices.
#[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
fn shares<'a, T: Tallied>(pass: &'a Dispatches<'_, T>) -> impl Iterator<Item = (&'a str, f64)> {
    let mut totals: HashMap<&str, u128> = HashMap::new();
    for (group, _, sum) in pass.matching() {
        *totals.entry(pass.key(group)).or_default() += u128::from(sum.times.total);
    }
    let all: u128 = totals.values().sum();
    totals.into_iter().map(move |(key, total)| (key, total as f64 / all as f64))
}

/// The columns of `explain_bottlenecks`.
pub fn columns() -> Columns<Bottleneck> {
    Columns::<Bottleneck>::new()
        .float("weight", |bottleneck| bottleneck.weight)
        .text("finding", |bottleneck| &bottleneck.finding)
        .composed("evidence", |bottleneck| Some(format!("SELECT * FROM {}", bottleneck.evidence)))
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
