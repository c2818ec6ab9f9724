//! What took the time; the words for it are declared.

use std::collections::HashMap;

use schemas::bottlenecks::Bottleneck;

use crate::fold::dispatches::sums::Sum;
use crate::fold::explain::dispatches::{Pass, Tallied};
use crate::fold::explain::pass::Found;
use crate::fold::explain::spans::{DeviceSpan, QueueSpan};
use crate::fold::shared::columns::Columns;

/// The share of the time from which a function is named.
const LARGE: f64 = 0.2;

/// The part of its span that a busy device is in dispatches.
const BUSY: f64 = 0.9;

/// What took the time.
pub fn bottlenecks<'a>(
    found: &'a Found<'_>,
    devices: &[DeviceSpan<'_>],
    queues: &[QueueSpan],
) -> Vec<Bottleneck<'a>> {
    let mut all = functions(&found.device, "device");
    all.extend(functions(&found.host, "host"));
    all.extend(devices.iter().filter_map(idle));
    all.extend(queues.iter().filter_map(waiting));
    let (deferred, operations) = (found.operations.deferred(), found.operations.events);
    all.extend((deferred > 0).then_some(Bottleneck::Deferred { deferred, operations }));
    let waits = found.memory.waits().filter(|(_, waits)| *waits > 0);
    all.extend(waits.map(|(device, waits)| Bottleneck::PoolWaits { device, waits }));
    all
}

/// The rows of `explain_bottlenecks`.
pub fn columns<'a>() -> Columns<Bottleneck<'a>> {
    Columns::<Bottleneck<'_>>::new()
        .float("weight", Bottleneck::weight)
        .composed("finding", |bottleneck| Some(bottleneck.finding()))
        .composed("evidence", |bottleneck| Some(bottleneck.evidence()))
}

/// Functions with a large share of the time in dispatches, of one name on all devices.
#[expect(clippy::cast_precision_loss, reason = "shares are rounded")]
fn functions<'a, T: Tallied>(pass: &'a Pass<'_, T>, timed_by: &'static str) -> Vec<Bottleneck<'a>> {
    let mut totals: HashMap<&str, u128> = HashMap::new();
    for (group, _, sum) in pass.matching() {
        *totals.entry(pass.key(group)).or_default() += u128::from(sum.times().total);
    }
    let all: u128 = totals.values().sum();
    let shares = totals.into_iter().map(|(key, total)| (key, total as f64 / all as f64));
    let large = shares.filter(|(_, share)| *share >= LARGE);
    large.map(|(key, share)| Bottleneck::Function { key, timed_by, share }).collect()
}

fn idle<'a>(span: &DeviceSpan<'_>) -> Option<Bottleneck<'a>> {
    let (busy, span_ns) = (span.busy(), span.ns()?);
    let idle = Bottleneck::IdleDevice { device: span.ordinal(), idle: 1.0 - busy, span_ns };
    (busy > 0.0 && busy < BUSY).then_some(idle)
}

fn waiting<'a>(span: &QueueSpan) -> Option<Bottleneck<'a>> {
    let busy = &span.busy;
    let [device, queue, _] = span.key;
    let total_gap_ns = span.ns(busy.total_gap_ticks);
    (total_gap_ns > 0.0).then(|| Bottleneck::WaitingQueue {
        device,
        queue,
        gaps: busy.gaps,
        total_gap_ns,
        max_gap_ns: span.ns(busy.max_gap_ticks),
        busy_ns: span.ns(busy.covered_ticks),
    })
}
