//! When the device began to allocate and finished to free, by the queue operations that it timed.

use super::Metadata;
use super::blocks::{Block, Wanted};
use crate::bundle::Fault;

/// What is read.
pub const WANTED: Wanted = Wanted::of(
    "queue_device_events",
    &[
        "physical_device_ordinal",
        "queue_ordinal",
        "type_value",
        "submission_id",
        "allocation_id",
        "event_id",
        "start_tick",
        "end_tick",
        "stream_id",
    ],
);

/// A queue operation, found by device, queue, type, submission and allocation.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    key: [u64; 5],
    pub event_id: u64,
    start_tick: u64,
    end_tick: u64,
}

/// Allocations and deallocations of queues.
#[derive(Debug, Default)]
pub struct Operations(Vec<Operation>);

/// Type of operations that allocate.
pub const ALLOCA: u64 = 9;
/// Type of operations that free.
pub const DEALLOCA: u64 = 10;

impl Operations {
    /// Adds the operations of a block. Their queue must have been described before them, as `iree-profile` reads the
    /// file once.
    pub fn add(&mut self, metadata: &Metadata, block: &Block<'_>) -> Result<(), Fault> {
        for (row, kind) in block.column(2).iter().enumerate() {
            if !matches!(*kind, ALLOCA | DEALLOCA) {
                continue;
            }
            let value = |nth| block.value(nth, row);
            let (device, queue, stream) = (value(0), value(1), value(8));
            let described = metadata.queue(device, queue, stream);
            if described.is_none_or(|queue| queue.byte_offset > block.byte_offset(row)) {
                let what = format!(
                    "no earlier record describes queue {queue} (stream {stream}) of device {device}"
                );
                return Err(block.fault(row, "queue_ordinal", what));
            }
            self.0.push(Operation {
                key: [device, queue, *kind, value(3), value(4)],
                event_id: value(5),
                start_tick: value(6),
                end_tick: value(7),
            });
        }
        Ok(())
    }

    /// Makes operations be found.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|operation| (operation.key, operation.event_id));
    }

    /// The operation with this device, queue, type, submission and allocation; of several, that with the least id.
    pub fn find(&self, key: [u64; 5]) -> Option<&Operation> {
        let at = self.0.partition_point(|operation| operation.key < key);
        self.0.get(at).filter(|operation| operation.key == key)
    }
}

impl Operation {
    const fn is_valid(&self) -> bool {
        self.start_tick != 0 && self.end_tick != 0 && self.end_tick >= self.start_tick
    }
}

/// The ticks from the start of `first` to the end of `last`, where both are valid and in this order.
pub fn ticks(first: Option<&Operation>, last: Option<&Operation>) -> Option<(u64, u64)> {
    let first = first.filter(|operation| operation.is_valid())?;
    let last = last.filter(|operation| operation.is_valid())?;
    (last.end_tick >= first.start_tick).then_some((first.start_tick, last.end_tick))
}
