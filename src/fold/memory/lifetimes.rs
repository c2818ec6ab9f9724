//! When the device began to allocate and finished to free, by the queue operations that it timed.

use schemas::place::Places;

use crate::bundle::Fault;
use crate::fold::metadata::records::Metadata;
use crate::fold::shared::blocks::Block;
use crate::fold::shared::times::is_device_span;

/// What is read of a queue operation.
pub const OPERATION: Places<9> = Places::new(
    "queue_device_events",
    [
        "type",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "submission_id",
        "allocation_id",
        "event_id",
        "start_tick",
        "end_tick",
    ],
);

/// A queue operation, found by its queue, submission and allocation.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    key: Key,
    pub event_id: u64,
    start_tick: u64,
    end_tick: u64,
}

/// Device and queue in one number, submission, allocation.
pub type Key = [u64; 3];

/// The key of an operation on a queue of a device.
pub const fn key(device: u64, queue: u64, submission_id: u64, allocation_id: u64) -> Key {
    [device << 32 | queue, submission_id, allocation_id]
}

/// Allocations and deallocations of queues.
#[derive(Debug, Default)]
pub struct Operations {
    pub allocas: Sorted,
    pub deallocas: Sorted,
}

/// Operations of one type, by key and id.
#[derive(Debug, Default)]
pub struct Sorted(Vec<Operation>);

const ALLOCA: u64 = 9;
const DEALLOCA: u64 = 10;

impl Operations {
    /// Adds the operations of a block. Their queue must have been described before them, as `iree-profile` reads the
    /// file once.
    pub fn add(&mut self, metadata: &Metadata, block: &Block<'_>) -> Result<(), Fault> {
        for row in block.rows() {
            let [kind, device, queue, stream, submission, allocation, event_id, start, end] =
                row.numbers(&OPERATION);
            let list = match kind {
                ALLOCA => &mut self.allocas.0,
                DEALLOCA => &mut self.deallocas.0,
                _ => continue,
            };
            let described =
                metadata.queue([device, queue, stream]).and_then(|at| metadata.queues.get(at));
            if described.is_none_or(|queue| queue.byte_offset > row.byte_offset) {
                let what = format!(
                    "no earlier record describes queue {queue} (stream {stream}) of device {device}"
                );
                return Err(block.fault(row, "queue_ordinal", what));
            }
            list.push(Operation {
                key: key(device, queue, submission, allocation),
                event_id,
                start_tick: start,
                end_tick: end,
            });
        }
        Ok(())
    }

    /// Makes operations be found.
    pub fn sort(&mut self) {
        for Sorted(list) in [&mut self.allocas, &mut self.deallocas] {
            list.sort_by_key(|operation| (operation.key, operation.event_id));
        }
    }
}

/// Operations that are looked at before all are searched.
const NEAR: usize = 4;

impl Sorted {
    /// The operation with this key; of several, that with the least id. Allocations are mostly asked for in the order
    /// of their submissions, so those behind the last that was found, at `near`, come first.
    pub fn find(&self, key: Key, near: &mut usize) -> Option<&Operation> {
        let is_before = |operation: &Operation| operation.key < key;
        let from = *near;
        let behind = self.0.get(from..).unwrap_or_default();
        let known = behind.first().is_some_and(is_before);
        let step = behind.iter().take(NEAR).position(|operation| !is_before(operation));
        let at = match step {
            Some(step) if known => from + step,
            _ => self.0.partition_point(is_before),
        };
        let found = self.0.get(at).filter(|operation| operation.key == key);
        if found.is_some() {
            *near = at;
        }
        found
    }
}

impl Operation {
    const fn is_valid(&self) -> bool {
        is_device_span(self.start_tick, self.end_tick)
    }
}

/// The ticks from the start of `first` to the end of `last`, where both are valid and in this order.
pub fn ticks(first: Option<&Operation>, last: Option<&Operation>) -> Option<[u64; 2]> {
    let first = first.filter(|operation| operation.is_valid())?;
    let last = last.filter(|operation| operation.is_valid())?;
    (last.end_tick >= first.start_tick).then_some([first.start_tick, last.end_tick])
}
