//! What `explain` calls a bottleneck: each rule with its condition, weight, words and evidence.

use std::collections::HashMap;

use crate::fold::Columns;
use crate::fold::explain::{Dispatches, Found, QueueSpan, Tallied};

/// Something that takes time.
pub struct Bottleneck {
    /// Which part it is of the time or the operations that it is about, from 0 to 1; 0 where that is not known.
    weight: f64,
    finding: String,
    /// The rows that show it, as a query that begins `SELECT * FROM` goes on.
    evidence: String,
}

/// All rules, each with what it applies to.
pub const RULES: &[fn(&Found<'_>) -> Vec<Bottleneck>] =
    &[functions, idle_devices, waiting_queues, deferred_operations, pool_waits];

/// The share of the time from which a function is named.
const LARGE: f64 = 0.2;

/// The part of its span that a busy device is in dispatches.
const BUSY: f64 = 0.9;

/// Functions with a large share of the time in dispatches.
fn functions(found: &Found<'_>) -> Vec<Bottleneck> {
    let of_device = shares(&found.device).map(|(key, share)| (key, share, "device"));
    let of_host = shares(&found.host).map(|(key, share)| (key, share, "host"));
    let large = of_device.chain(of_host).filter(|(_, share, _)| *share >= LARGE);
    let bottleneck = |(key, share, timed_by): (&str, f64, &str)| Bottleneck {
        weight: share,
        finding: format!(
            "{key} takes {} of the time in dispatches that the {timed_by} timed",
            percent(share)
        ),
        evidence: format!("dispatches WHERE key = '{}'", key.replace('\'', "''")),
    };
    large.map(bottleneck).collect()
}

/// Devices that run nothing for a part of the time between their first and last dispatch.
fn idle_devices(found: &Found<'_>) -> Vec<Bottleneck> {
    let idle = |(device, busy, span_ns): (u64, f64, f64)| Bottleneck {
        weight: 1.0 - busy,
        finding: format!(
            "device {device} runs no dispatch for {} of the {} from its first dispatch to its last",
            percent(1.0 - busy),
            ms(span_ns)
        ),
        evidence: format!("report.explain_queue WHERE physical_device_ordinal = {device}"),
    };
    let spans = found.devices().into_iter();
    let spans = spans.filter_map(|span| Some((span.ordinal(), span.busy(), span.ns()?)));
    spans.filter(|(_, busy, _)| *busy > 0.0 && *busy < BUSY).map(idle).collect()
}

/// Queues whose submissions wait for one another or for the host.
fn waiting_queues(found: &Found<'_>) -> Vec<Bottleneck> {
    let waiting = |span: QueueSpan| {
        let ([device, queue, _], busy) = (span.key, span.busy);
        let [total_ns, max_ns, busy_ns] =
            [busy.total_gap_ticks, busy.max_gap_ticks, busy.covered_ticks].map(|it| span.ns(it));
        (total_ns > 0.0).then(|| Bottleneck {
            weight: (total_ns / (total_ns + busy_ns)).min(1.0),
            finding: format!(
                "queue {queue} of device {device} waits {} in {} gaps between submissions, the longest {}, beside {} of work",
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

/// Queue operations that software holds back.
#[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
fn deferred_operations(found: &Found<'_>) -> Vec<Bottleneck> {
    let (deferred, operations) = (found.operations.deferred(), found.operations.events);
    let bottleneck = || Bottleneck {
        weight: deferred as f64 / operations as f64,
        finding: format!(
            "{deferred} of {operations} queue operations were held back by software, not by the device"
        ),
        evidence: "queue_events WHERE dependency_strategy = 'software_defer'".to_owned(),
    };
    (deferred > 0).then(bottleneck).into_iter().collect()
}

/// Work that waited for a pool's memory.
fn pool_waits(found: &Found<'_>) -> Vec<Bottleneck> {
    let bottleneck = |(device, waits): (u64, u64)| Bottleneck {
        weight: 0.0,
        finding: format!("pools of device {device} made work wait {waits} times for memory"),
        evidence: "memory_events WHERE type = 'pool_wait'".to_owned(),
    };
    found.memory.waits().filter(|(_, waits)| *waits > 0).map(bottleneck).collect()
}

/// The share of each function in the time in dispatches, added up over devices.
#[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
fn shares<'a, T: Tallied>(pass: &'a Dispatches<'_, T>) -> impl Iterator<Item = (&'a str, f64)> {
    let mut totals: HashMap<&str, u128> = HashMap::new();
    for (group, _, sum) in pass.matching() {
        *totals.entry(pass.key(group)).or_default() += u128::from(sum.times.total);
    }
    let all: u128 = totals.values().sum();
    totals.into_iter().map(move |(key, total)| (key, total as f64 / all as f64))
}

/// The rows of `explain_bottlenecks`.
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
