//! Sums the durations of all events of a family, regardless of filters.

use read::bundle::Fault;
use schemas::place::Places;

use crate::fold::shared::{Block, Times, is_host_span};

/// The sums of a family's durations. A loop over a block takes the sums out and puts them back at the end, so that
/// they stay in registers meanwhile.
pub trait Tally {
    /// The places of start and end.
    const TIMES: Places<2>;
    /// The field that faults refer to.
    const FIELD: &'static str;

    /// Whether an event has valid times.
    fn is_span(start: u64, end: u64) -> bool;
    /// Returns the sums that the events of a block are added to.
    fn take(&mut self, block: &Block<'_>) -> Times;
    /// Stores the sums after a block.
    fn put(&mut self, block: &Block<'_>, sum: Times);

    /// Adds the event at an absolute offset. Fails if a sum overflows.
    #[inline]
    fn add_times(
        sum: &mut Times,
        block: &Block<'_>,
        byte_offset: u64,
        [start, end]: [u64; 2],
    ) -> Result<(), Fault> {
        if sum.add(start, end, Self::is_span(start, end)) {
            return Ok(());
        }
        let what = "the total duration of these events overflows 64 bits".to_owned();
        Err(block.fault_at(byte_offset, Self::FIELD, what))
    }

    /// Adds the events of a block.
    fn add_block(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let mut sum = self.take(block);
        block.each_row(Self::TIMES.layout, |row| {
            Self::add_times(&mut sum, block, row.byte_offset, row.numbers(&Self::TIMES))
        })?;
        self.put(block, sum);
        Ok(())
    }
}

/// Host execution events.
impl Tally for Times {
    const TIMES: Places<2> =
        Places::new("host_execution_events", ["start_host_time_ns", "end_host_time_ns"]);
    const FIELD: &'static str = "end_host_time_ns";

    #[inline]
    fn is_span(start: u64, end: u64) -> bool {
        is_host_span(start, end)
    }

    fn take(&mut self, _block: &Block<'_>) -> Times {
        *self
    }

    fn put(&mut self, _block: &Block<'_>, sum: Times) {
        *self = sum;
    }
}
