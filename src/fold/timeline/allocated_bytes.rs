//! Computes the running sum of allocated bytes on each queue, after each queue allocation and deallocation.

use schemas::place::Places;

use crate::bundle::BundleError;
use crate::fold::memory::{Kind, Step, step_of};
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Groups, Relation, blocks};

/// The pass.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "queue_allocated_bytes",
    "Total bytes of queue allocations on a queue after each event, never below 0; in file order.",
    || columns().fields(),
)];

const EVENT: Places<5> = Places::new(
    "memory_events",
    ["type", "host_time_ns", "length", "physical_device_ordinal", "queue_ordinal"],
);

/// A queue allocation or deallocation.
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
    let mut changes = Changes::default();
    blocks(call.bundle, &[EVENT.table], |block| {
        block.rows().for_each(|row| changes.add(row));
        Ok(())
    })?;
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
    fn add(&mut self, row: blocks::Row<'_>) {
        let [kind, host_time_ns, length, device, queue] = row.numbers(&EVENT);
        let bytes = match step_of(kind) {
            Some((Kind::QueueAllocation, Step::Open)) => i128::from(length),
            Some((Kind::QueueAllocation, Step::Close)) => -i128::from(length),
            _ => return,
        };
        // Events without a device belong to device 0, as in `iree-profile-render`.
        let device = if device == ABSENT { 0 } else { device };
        self.all.push(Change {
            queue: self.queues.number([device, queue]),
            host_time_ns: host_time_ns.cast_signed(),
            byte_offset: row.byte_offset,
            bytes,
        });
    }

    /// Replaces each change by the running sum of its queue, in order of time.
    fn sum(&mut self) {
        let by_time = |change: &Change| change.host_time_ns;
        let is_in_order = self.all.is_sorted_by_key(by_time);
        if !is_in_order {
            self.all.sort_by_key(by_time);
        }
        let mut queues = vec![(0_i128, 0_i128); self.queues.len()];
        for change in &mut self.all {
            if let Some((total, lowest)) = queues.get_mut(change.queue) {
                // A capture may begin between an allocation and its deallocation, which makes sums negative.
                // Subtracting the lowest sum so far raises the baseline just enough.
                *total += change.bytes;
                *lowest = (*lowest).min(*total);
                change.bytes = *total - *lowest;
            }
        }
        if !is_in_order {
            self.all.sort_by_key(|change| change.byte_offset);
        }
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
    fn what_was_allocated_before_the_capture_makes_no_sum_negative() {
        assert_eq!(held(&[(0, 1, -5), (0, 2, 8), (0, 3, -2), (0, 4, -9)]), [0, 8, 6, 0]);
    }

    #[test]
    fn time_decides_and_then_the_file_and_queues_are_apart() {
        assert_eq!(held(&[(0, 9, 1), (1, 5, 7), (0, 3, 2), (0, 9, -3)]), [3, 7, 2, 0]);
    }
}
