//! Counts queue operations by type, their bytes, and their dependency strategies.

use read::bundle::Fault;
use schemas::place::Places;

use crate::fold::metadata::Queues;
use crate::fold::pass::Call;
use crate::fold::shared::{Block, Columns};

const EVENT: Places<6> = Places::new(
    "queue_events",
    [
        "type",
        "dependency_strategy",
        "payload_length",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
    ],
);

/// Numbers of named operation types and of dependency strategies.
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
    /// Creates empty sums.
    pub const fn new(call: &Call<'a>) -> Self {
        Self {
            events: 0,
            counts: [0; TYPES],
            bytes: [0; TYPES],
            strategies: [0; STRATEGIES],
            queues: Queues::new(call.metadata),
        }
    }

    /// Adds the queue events of a block.
    pub fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        for row in block.rows() {
            let [kind, strategy, payload, device, queue, stream] = row.numbers(&EVENT);
            self.queues.check(block, row.byte_offset, [device, queue, stream])?;
            self.events += 1;
            // As in `iree-profile`, sums of payloads wrap, and unnamed types are not counted.
            add_at(&mut self.counts, kind, 1);
            add_at(&mut self.bytes, kind, payload);
            add_at(&mut self.strategies, strategy, 1);
        }
        Ok(())
    }

    /// Returns the number of operations that software deferred.
    pub const fn deferred(&self) -> u64 {
        let [.., software_defer] = self.strategies;
        software_defer
    }
}

/// The columns of `explain_operations`.
pub fn columns<'a>() -> Columns<Operations<'a>> {
    Columns::<Operations<'_>>::new()
        .number("events", |operations| operations.events)
        .number("strategy_none", |operations| operations.strategies[0])
        .number("strategy_inline", |operations| operations.strategies[1])
        .number("strategy_device_barrier", |operations| operations.strategies[2])
        .number("strategy_software_defer", |operations| operations.strategies[3])
        .number("copy_bytes", |operations| operations.bytes[4])
        .number("fill_bytes", |operations| operations.bytes[5])
        .number("update_bytes", |operations| operations.bytes[6])
        .number("read_bytes", |operations| operations.bytes[7])
        .number("write_bytes", |operations| operations.bytes[8])
        .number("dispatches", |operations| operations.counts[2])
        .number("executes", |operations| operations.counts[3])
        .number("allocas", |operations| operations.counts[9])
        .number("deallocas", |operations| operations.counts[10])
        .number("host_calls", |operations| operations.counts[11])
}

#[inline]
fn add_at<const N: usize>(sums: &mut [u64; N], place: u64, value: u64) {
    if let Some(sum) = usize::try_from(place).ok().and_then(|place| sums.get_mut(place)) {
        *sum = sum.wrapping_add(value);
    }
}
