//! Matches allocations with the device-timed queue operations that allocate and free them, for their device ticks.

use read::bundle::Fault;
use schemas::place::Places;

use crate::fold::metadata::Metadata;
use crate::fold::shared::{Block, HeapBytes, is_device_span};

/// The places of a queue operation.
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

/// A queue operation with its key: queue, submission and allocation.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    key: Key,
    pub event_id: u64,
    start_tick: u64,
    end_tick: u64,
}

/// Device and queue packed in one number, submission, allocation.
pub type Key = [u64; 3];

/// Returns the key of an operation.
pub const fn key(device: u64, queue: u64, submission_id: u64, allocation_id: u64) -> Key {
    [device << 32 | queue, submission_id, allocation_id]
}

/// The allocations and deallocations of queues.
#[derive(Debug, Default)]
pub struct Operations {
    pub allocas: Sorted,
    pub deallocas: Sorted,
}

/// Operations of one type, sorted by key and event id.
#[derive(Debug, Default)]
pub struct Sorted(Vec<Operation>);

const ALLOCA: u64 = 9;
const DEALLOCA: u64 = 10;

impl HeapBytes for Operations {
    fn heap_bytes(&self) -> usize {
        self.allocas.0.heap_bytes() + self.deallocas.0.heap_bytes()
    }
}

impl Operations {
    /// Adds the operations of a block. As in `iree-profile`, which reads the file once, their queue must be defined
    /// by an earlier record.
    pub fn add(&mut self, metadata: &Metadata, block: &Block<'_>) -> Result<(), Fault> {
        for row in block.rows() {
            let [kind, device, queue, stream, submission, allocation, event_id, start, end] =
                row.numbers(&OPERATION);
            let list = match kind {
                ALLOCA => &mut self.allocas.0,
                DEALLOCA => &mut self.deallocas.0,
                _ => continue,
            };
            let described = metadata.queues.find([device, queue, stream]);
            if described.is_none_or(|queue| queue.byte_offset > row.byte_offset) {
                let what = format!(
                    "queue {queue} (stream {stream}) of device {device} has no earlier record"
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

    /// Sorts the operations. Call it after the last block and before [`Sorted::find`].
    pub fn sort(&mut self) {
        for Sorted(list) in [&mut self.allocas, &mut self.deallocas] {
            list.sort_by_key(|operation| (operation.key, operation.event_id));
        }
    }
}

/// Number of operations that are tried before the binary search.
const NEAR: usize = 4;

impl Sorted {
    /// Returns the operation with this key; of several, the one with the lowest event id. Lookups usually ascend, so
    /// a few operations from the last match on, at index `near`, are tried before a binary search.
    pub fn find(&self, key: Key, near: &mut usize) -> Option<&Operation> {
        let is_before = |operation: &Operation| operation.key < key;
        let from = *near;
        let behind = self.0.get(from..).unwrap_or_default();
        let known = behind.first().is_some_and(is_before);
        // The first operation not before the key lies behind `from` only if the one at `from` is before it.
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

/// Returns the start of `first` and the end of `last`; `None` unless both are valid and in this order.
pub fn ticks(first: Option<&Operation>, last: Option<&Operation>) -> Option<[u64; 2]> {
    let first = first.filter(|operation| operation.is_valid())?;
    let last = last.filter(|operation| operation.is_valid())?;
    (last.end_tick >= first.start_tick).then_some([first.start_tick, last.end_tick])
}
