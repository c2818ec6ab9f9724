//! Divides the operations of queues into chains, by their waits.
//!
//! Within an invocation, each queue operation waits for earlier ones. Only the first operations wait for nothing. So an
//! operation without waits, after one with waits, starts a new chain: the next invocation, or the rest of one whose
//! program has waited for a result.

use std::sync::Arc;

use schemas::place::Places;

use crate::bundle::{Bundle, BundleError};
use crate::fold::shared::{Grouped, blocks};

/// Session, device, queue, stream and submission.
pub type OperationKey = [u64; 5];

const OPERATION: Places<6> = Places::new(
    "queue_events",
    [
        "host_time_ns",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "submission_id",
        "wait_count",
    ],
);

/// The number of the chain of each queue operation.
#[derive(Debug, Default)]
pub struct Chains(Grouped<5, u64>);

impl Chains {
    /// Reads the chains of `bundle`, in order of host time.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut operations = Vec::new();
        blocks(bundle, &[OPERATION.table], |block| {
            operations.extend(block.rows().map(|row| {
                let [time, device, queue, stream, submission, waits] = row.numbers(&OPERATION);
                let key = [block.header.session_id, device, queue, stream, submission];
                (time.cast_signed(), key, waits > 0)
            }));
            Ok(())
        })?;
        operations.sort_by_key(|(time, ..)| *time);
        Ok(Self::of(operations.into_iter().map(|(_, key, waits)| (key, waits))))
    }

    /// Numbers the chains of operations in order. The flag says whether an operation waits for others.
    fn of(operations: impl Iterator<Item = (OperationKey, bool)>) -> Self {
        let mut chains = Grouped::default();
        let (mut number, mut has_waited) = (0, false);
        for (key, waits) in operations {
            if has_waited && !waits {
                number += 1;
            }
            has_waited = waits;
            chains.define(key, || number);
        }
        Self(chains)
    }

    /// Returns the chain of an operation; `None` if it was not recorded.
    pub fn find(&self, operation: OperationKey) -> Option<u64> {
        self.0.find(operation).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_without_waits_start_chains() {
        let waits = [false, false, true, true, false, true, false, false, true];
        let key = |nth: usize| [1, 0, 0, 0, nth as u64];
        let chains = Chains::of(waits.iter().enumerate().map(|(nth, waits)| (key(nth), *waits)));
        let numbers: Vec<Option<u64>> = (0..=9).map(|nth| chains.find(key(nth))).collect();
        let expected = [0, 0, 0, 0, 1, 1, 2, 2, 2].map(Some);
        assert_eq!(numbers, [expected.as_slice(), &[None]].concat());
    }
}
