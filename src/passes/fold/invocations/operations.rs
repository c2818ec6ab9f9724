//! Reads the operations that the host put into queues.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use super::invocation::Key;
use super::step::{NONE, Operation, narrow};
use super::submissions::Submissions;
use crate::fold::shared::blocks;

const OPERATION: Places<9> = Places::new(
    "queue_events",
    [
        "host_time_ns",
        "type",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "submission_id",
        "wait_count",
        "allocation_id",
        "payload_length",
    ],
);

/// Reads the operations of `bundle`, each with the number of its submission. Memory: 40 bytes each.
pub fn operations(
    bundle: &Arc<Bundle>,
    submissions: &Submissions,
) -> Result<Vec<Operation>, BundleError> {
    let mut operations = Vec::new();
    blocks(bundle, &[OPERATION.table], |block| {
        let session = block.header.session_id;
        operations.extend(block.rows().map(|row| {
            let [time, kind, device, queue, stream, submission, waits, allocation, length] =
                row.numbers(&OPERATION);
            let key: Key = [session, device, queue, stream, submission];
            Operation {
                time: time.cast_signed(),
                of: submissions.all.index(key).map_or(NONE, narrow),
                kind: u8::try_from(kind).unwrap_or_default(),
                waits: waits > 0,
                allocation: if allocation == 0 { 0 } else { allocation ^ session << 48 },
                length,
            }
        }));
        Ok(())
    })?;
    Ok(operations)
}
