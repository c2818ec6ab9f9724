//! Durations that are added up of every event of a family, whatever matches.

use schemas::place::Places;

use crate::bundle::Fault;
use crate::fold::shared::blocks::Block;

/// Sums of a family's durations. While a block is added up they are the caller's, who keeps them in registers.
pub trait Tally {
    type Sum: Copy;
    /// Where a record has its start and its end.
    const TIMES: Places<2>;
    /// The field that makes a duration too long.
    const FIELD: &'static str;

    /// The sums that a block is added to.
    fn take(&mut self, block: &Block<'_>) -> Self::Sum;
    /// Adds an event; false where a sum leaves 64 bits.
    fn add(sum: &mut Self::Sum, start: u64, end: u64) -> bool;
    /// Gives the sums back.
    fn put(&mut self, block: &Block<'_>, sum: Self::Sum);

    /// Adds an event at an absolute offset.
    #[inline]
    fn add_times(
        sum: &mut Self::Sum,
        block: &Block<'_>,
        byte_offset: u64,
        [start, end]: [u64; 2],
    ) -> Result<(), Fault> {
        if Self::add(sum, start, end) {
            return Ok(());
        }
        let what = "the durations of all such events add up to more than 64 bits hold".to_owned();
        Err(block.fault_at(byte_offset, Self::FIELD, what))
    }

    /// Adds a block.
    fn add_block(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let mut sum = self.take(block);
        block.each_row(Self::TIMES.layout, |row| {
            Self::add_times(&mut sum, block, row.byte_offset, row.numbers(&Self::TIMES))
        })?;
        self.put(block, sum);
        Ok(())
    }
}
