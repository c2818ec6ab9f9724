//! Looks up flows (the arrows between events) by either end.
//!
//! An index of at most 18 bytes per end: a sorted list of 64-bit hashes of the ends with their flows, and the start
//! of each bucket of hashes with the same high bits. A lookup scans one bucket. Ends are compared by hash only.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::fast::FixedState;
use read::bundle::{Bundle, BundleError};
use schemas::enums::{EVENT_ENDPOINT_TYPE, EVENT_RELATIONSHIP_TYPE, Enum};
use schemas::place::Places;

use crate::fold::shared::{ABSENT, HeapBytes, Row, blocks};

/// The flows of a bundle.
#[derive(Debug, Default)]
pub struct Flows {
    /// Hash of an end and number of its flow, sorted by hash; the flows of an end are in file order.
    ends: Vec<(u64, u64)>,
    /// For each value of the high bits, the index of its first end.
    starts: Vec<usize>,
    /// The shift that leaves the high bits of a hash.
    shift: u32,
}

/// Minimum average number of ends per bucket.
const TOGETHER: usize = 4;

const RELATIONSHIP: Places<9> = Places::new(
    "event_relationships",
    [
        "type",
        "relationship_id",
        "source_type",
        "target_type",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "source_id",
        "target_id",
    ],
);

/// The types of targets for which flows are drawn.
const TARGETS: &[&str] = &["dispatch_event", "queue_device_event", "host_execution_event"];

/// Device, queue, stream and id of an end.
type Place = [Option<u64>; 4];

impl HeapBytes for Flows {
    fn heap_bytes(&self) -> usize {
        self.ends.heap_bytes() + self.starts.heap_bytes()
    }
}

impl Flows {
    /// Reads the flows of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut ends = Vec::new();
        blocks(bundle, &[RELATIONSHIP.table], |block| {
            block.rows().for_each(|row| add(row, &mut ends));
            Ok(())
        })?;
        ends.sort_by_key(|(end, _)| *end);
        let bits = (ends.len() / TOGETHER).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut starts = Vec::with_capacity(1 << bits);
        for (nth, (end, _)) in ends.iter().enumerate() {
            // The first end of a bucket sets its start, and that of the empty buckets before it.
            starts.resize(starts.len().max(high_bits(*end, shift) + 1), nth);
        }
        Ok(Self { ends, starts, shift })
    }

    /// Whether there are no flows.
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Iterates over the numbers of the flows of an event, which is given by type, device, queue, stream and id.
    pub fn of(&self, kind: &str, place: Place) -> impl Iterator<Item = u64> {
        let end = end(kind, place);
        let first = end.and_then(|end| self.starts.get(high_bits(end, self.shift)).copied());
        let from = first.and_then(|first| self.ends.get(first..)).unwrap_or_default();
        let of_end = from.iter().skip_while(move |(known, _)| Some(*known) < end);
        of_end.take_while(move |(known, _)| Some(*known) == end).map(|(_, flow)| *flow)
    }
}

/// Returns the bucket of an end.
fn high_bits(end: u64, shift: u32) -> usize {
    usize::try_from(end >> shift).unwrap_or(usize::MAX)
}

fn add(row: Row<'_>, ends: &mut Vec<(u64, u64)>) {
    let [kind, id, source_type, target_type, device, queue, stream, source, target] =
        row.numbers(&RELATIONSHIP);
    let named =
        |names: &'static Enum, kind| u32::try_from(kind).map_or("", |kind| names.name_of(kind));
    let present = |ordinal: u64| Some(ordinal).filter(|ordinal| *ordinal != ABSENT);
    let place = |id: u64| [present(device), present(queue), Some(stream), Some(id)];
    let target_type = named(&EVENT_ENDPOINT_TYPE, target_type);
    let source = end(named(&EVENT_ENDPOINT_TYPE, source_type), place(source));
    if let (Some(source), Some(target)) = (source, end(target_type, place(target)))
        && TARGETS.contains(&target_type)
    {
        let flow = hash(&(id, named(&EVENT_RELATIONSHIP_TYPE, kind), source, target));
        ends.extend([(source, flow), (target, flow)]);
    }
}

/// Returns the hash of an end; `None` if its id is absent. Events without a device belong to device 0.
fn end(kind: &str, [device, queue, stream, id]: Place) -> Option<u64> {
    let id = id.filter(|id| *id != 0)?;
    Some(hash(&(kind, device.unwrap_or(0), queue, stream.unwrap_or(0), id)))
}

fn hash(of: &impl Hash) -> u64 {
    // A fixed seed makes the numbers of flows reproducible.
    FixedState::default().hash_one(of).max(1)
}
