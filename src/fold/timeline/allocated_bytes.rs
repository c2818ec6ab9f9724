//! Computes the running sum of allocated bytes on each queue, after each queue allocation and its release.

use crate::bundle::BundleError;
use crate::fold::memory::allocations::Found;
use crate::fold::memory::{Kind, spans};
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Groups, Relation};

/// The pass.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "queue_allocated_bytes",
    "Total bytes of queue allocations on a queue after each event that allocates, releases or shows a release; in file order.",
    || columns().fields(),
)];

/// A queue allocation, or its end.
struct Change {
    queue: usize,
    host_time_ns: i64,
    byte_offset: u64,
    /// At first the change in bytes; after [`Changes::sum`] the bytes allocated after it.
    bytes: i128,
}

#[derive(Default)]
struct Changes {
    /// In file order.
    all: Vec<Change>,
    /// Queue numbers by device and ordinal.
    queues: Groups<2>,
}

/// A change, and the device and ordinal of its queue.
type Row<'a> = (&'a Change, [u64; 2]);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let mut changes = Changes::of(&spans::read(call)?);
    changes.sum();
    let queues = changes.queues.keys();
    let rows: Vec<Row<'_>> = changes
        .all
        .iter()
        .filter_map(|change| Some((change, *queues.get(change.queue)?)))
        .collect();
    Ok(vec![columns().relation(&rows)])
}

#[expect(clippy::cast_precision_loss, reason = "another column has the exact numbers")]
fn columns<'a>() -> Columns<Row<'a>> {
    let known = |ordinal: u64| Some(ordinal).filter(|ordinal| *ordinal != ABSENT);
    Columns::<Row<'_>>::new()
        .optional_number("physical_device_ordinal", move |(_, [device, _])| known(*device))
        .optional_number("queue_ordinal", move |(_, [_, queue])| known(*queue))
        .signed("host_time_ns", |(change, _)| change.host_time_ns)
        .float("bytes", |(change, _)| change.bytes as f64)
        .optional_signed("whole_bytes", |(change, _)| i64::try_from(change.bytes).ok())
        .number("byte_offset", |(change, _)| change.byte_offset)
}

impl Changes {
    fn of(found: &Found) -> Self {
        let mut changes = Self::default();
        for span in found.spans.iter().filter(|span| span.kind == Kind::QueueAllocation) {
            let event = &span.begin.event;
            // Events without a device belong to device 0, as in `iree-profile-render`.
            let device = if event.device == ABSENT { 0 } else { event.device };
            let queue = changes.queues.number([device, event.queue]);
            let bytes = i128::from(event.length);
            let begin = (event.host_time_ns, span.begin.byte_offset, bytes);
            let end = span.end.map(|end| (end.host_time_ns, end.byte_offset, -bytes));
            let each = [Some(begin), end].into_iter().flatten();
            changes.all.extend(each.map(|(host_time_ns, byte_offset, bytes)| Change {
                queue,
                host_time_ns,
                byte_offset,
                bytes,
            }));
        }
        changes
    }

    /// Replaces each change by the running sum of its queue, in order of time. What an event shows to be released comes
    /// before what it allocates.
    fn sum(&mut self) {
        self.all.sort_by_key(|it| (it.host_time_ns, it.byte_offset, it.bytes > 0));
        let mut totals = vec![0; self.queues.len()];
        for change in &mut self.all {
            if let Some(total) = totals.get_mut(change.queue) {
                *total += change.bytes;
                change.bytes = *total;
            }
        }
        self.all.sort_by_key(|change| change.byte_offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(changes: &[(u64, i64, i128)]) -> Vec<i128> {
        let mut queues = Groups::default();
        let each = changes.iter().zip(0..);
        let all = each.map(|((queue, host_time_ns, bytes), byte_offset)| Change {
            queue: queues.number([0, *queue]),
            host_time_ns: *host_time_ns,
            byte_offset,
            bytes: *bytes,
        });
        let mut changes = Changes { all: all.collect(), queues };
        changes.sum();
        changes.all.iter().map(|change| change.bytes).collect()
    }

    #[test]
    fn time_decides_and_then_the_file_and_queues_are_apart() {
        assert_eq!(held(&[(0, 9, 1), (1, 5, 7), (0, 3, 2), (0, 9, -3)]), [3, 7, 2, 0]);
    }
}
