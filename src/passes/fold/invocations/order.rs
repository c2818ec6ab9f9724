//! Puts submissions in the order in which the host made them, and notes the evidence on them.

use super::evidence::{host, lifetimes, readback, reloads, waits};
use super::step::{Host, NONE, Operation, Step, Steps, Wait, Work};

impl Steps {
    /// Puts submissions in order: that of the host's operations if all are known, else that of their starts in each session.
    pub fn of(works: &[Work], mut operations: Vec<Operation>) -> Self {
        operations.sort_by_key(|operation| operation.time);
        let order = order(works, &operations);
        let mut places = vec![NONE; works.len()];
        let mut steps = Self { all: Vec::with_capacity(works.len()), ..Self::default() };
        let mut ends = Vec::with_capacity(works.len());
        for (nth, submission) in (0..).zip(order) {
            let (Some(work), Some(place)) =
                (works.get(submission as usize), places.get_mut(submission as usize))
            else {
                continue;
            };
            *place = nth;
            let Work { content, module, device, place, load, residual_ns, .. } = *work;
            let end = work.span.filter(|_| work.is_host_time).map(|[_, end]| end);
            ends.push(
                end.map(|end| [end.saturating_sub(residual_ns), end.saturating_add(residual_ns)]),
            );
            let (wait, host) = (Wait::Unknown, Host::default());
            steps.all.push(Step {
                submission,
                content,
                module,
                device,
                place,
                load,
                wait,
                host,
                is_joined: false,
                is_read_back: false,
            });
        }
        for operation in &mut operations {
            operation.of = places.get(operation.of as usize).copied().unwrap_or(NONE);
        }
        waits::mark(&mut steps, &operations);
        lifetimes::mark(&mut steps, &operations);
        reloads::mark(&mut steps);
        readback::mark(&mut steps, &operations);
        host::mark(&mut steps, &operations, &ends);
        steps
    }
}

/// Returns the submissions in order.
fn order(works: &[Work], operations: &[Operation]) -> Vec<u32> {
    let mut order = Vec::with_capacity(works.len());
    let mut is_known = vec![false; works.len()];
    for operation in operations {
        if let Some(known @ false) = is_known.get_mut(operation.of as usize) {
            *known = true;
            order.push(operation.of);
        }
    }
    if order.len() == works.len() {
        return order;
    }
    let mut start = i64::MIN;
    let starts = (0..).zip(works).map(|(nth, work)| {
        // A submission without a valid dispatch ran where it stands in the file.
        start = work.span.map_or(start, |[start, _]| start);
        (work.session_id, start, nth)
    });
    let mut starts: Vec<(u64, i64, u32)> = starts.collect();
    starts.sort_by_key(|(session_id, start, _)| (*session_id, *start));
    starts.into_iter().map(|(.., nth)| nth).collect()
}
