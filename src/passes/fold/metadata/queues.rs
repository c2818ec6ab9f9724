//! Checks the references of events to queues.

use read::bundle::Fault;

use crate::fold::metadata::records::Metadata;
use crate::fold::shared::{Block, same};

/// The references of events to queues.
pub struct Queues<'a> {
    metadata: &'a Metadata,
    /// The last checked queue; references come in runs.
    checked: Option<[u64; 3]>,
}

impl<'a> Queues<'a> {
    /// Creates a checker for the metadata of a call.
    pub const fn new(metadata: &'a Metadata) -> Self {
        Self { metadata, checked: None }
    }

    /// Checks that a queue (device, ordinal, stream) is defined. The fault is at the record at `byte_offset`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would cost as much as the comparison")]
    pub fn check(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        key: [u64; 3],
    ) -> Result<(), Fault> {
        if self.checked.is_some_and(|known| same(&known, &key)) {
            return Ok(());
        }
        // A copy, so that the compared key can stay in registers.
        let [device, queue, stream] = key;
        self.check_another(block, byte_offset, [device, queue, stream])
    }

    #[cold]
    fn check_another(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        key: [u64; 3],
    ) -> Result<(), Fault> {
        let [device, queue, stream] = key;
        if self.metadata.queues.find([device, queue, stream]).is_none() {
            let what =
                format!("queue {queue} (stream {stream}) of device {device} has no metadata");
            return Err(block.fault_at(byte_offset, "queue_ordinal", what));
        }
        self.checked = Some(key);
        Ok(())
    }
}
