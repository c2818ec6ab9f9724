//! What the queues were asked to do: bytes moved, operations by type, and how they waited.

use arrow::datatypes::DataType::UInt64;

use crate::bundle::Fault;
use crate::fold::metadata::references::Queues;
use crate::fold::pass::{Call, Column, Columns};
use crate::fold::shared::arrays::one_row;
use crate::fold::shared::blocks::Block;

/// The columns of queue events that are read.
pub const READ: &[&str] = &[
    "type_value",
    "dependency_strategy_value",
    "payload_length",
    "physical_device_ordinal",
    "queue_ordinal",
    "stream_id",
];

pub const COLUMNS: &[Column] = &[
    ("events", UInt64),
    ("strategy_none", UInt64),
    ("strategy_inline", UInt64),
    ("strategy_device_barrier", UInt64),
    ("strategy_software_defer", UInt64),
    ("copy_bytes", UInt64),
    ("fill_bytes", UInt64),
    ("update_bytes", UInt64),
    ("read_bytes", UInt64),
    ("write_bytes", UInt64),
    ("dispatches", UInt64),
    ("executes", UInt64),
    ("allocas", UInt64),
    ("deallocas", UInt64),
    ("host_calls", UInt64),
];

/// Types of queue operations, and ways to wait, that have a name.
const TYPES: usize = 12;
const STRATEGIES: usize = 4;

/// Sums of queue operations.
pub struct Operations<'a> {
    pub events: u64,
    counts: [u64; TYPES],
    bytes: [u64; TYPES],
    strategies: [u64; STRATEGIES],
    queues: Queues<'a>,
}

impl<'a> Operations<'a> {
    /// Of no events yet.
    pub const fn new(call: &Call<'a>) -> Self {
        Self {
            events: 0,
            counts: [0; TYPES],
            bytes: [0; TYPES],
            strategies: [0; STRATEGIES],
            queues: Queues::new(call),
        }
    }

    /// Adds a block of queue events.
    pub fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        for row in 0..block.row_count() {
            let [kind, strategy, payload, device, queue, stream] =
                [0, 1, 2, 3, 4, 5].map(|nth| block.value(nth, row));
            self.queues.check(block, block.byte_offset(row), [device, queue, stream])?;
            self.events += 1;
            // As the reference: sums of payloads wrap, and what has no name is not counted.
            add_at(&mut self.counts, kind, 1);
            add_at(&mut self.bytes, kind, payload);
            add_at(&mut self.strategies, strategy, 1);
        }
        Ok(())
    }

    /// Those that software holds back.
    pub const fn deferred(&self) -> u64 {
        let [.., software_defer] = self.strategies;
        software_defer
    }

    /// The one row.
    pub fn columns(&self) -> Columns {
        let [none, inline, device_barrier, software_defer] = self.strategies;
        let [_, _, _, _, copy, fill, update, read, write, ..] = self.bytes;
        let [_, _, dispatches, executes, _, _, _, _, _, allocas, deallocas, host_calls] =
            self.counts;
        let strategies = [none, inline, device_barrier, software_defer];
        let bytes = [copy, fill, update, read, write];
        let counts = [dispatches, executes, allocas, deallocas, host_calls];
        let all = [self.events].into_iter().chain(strategies).chain(bytes).chain(counts);
        one_row(all)
    }
}

#[inline]
fn add_at<const N: usize>(sums: &mut [u64; N], place: u64, value: u64) {
    if let Some(sum) = usize::try_from(place).ok().and_then(|place| sums.get_mut(place)) {
        *sum = sum.wrapping_add(value);
    }
}
