//! Lists the queues of a timeline: those that the bundle defines, and others that events name.
//!
//! Reads no other tables, so that damage elsewhere does not prevent a timeline.

use read::bundle::BundleError;

use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, DEVICE, Groups, QUEUE, Relation, STREAM, groups};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "drawn_queues",
    "The queues that a bundle describes or that its events refer to, in order of first occurrence.",
    || columns().fields(),
)];

/// The definitions of queues, then the events that timelines show on them.
const TABLES: &[&str] = &[
    "queues",
    "dispatch_events",
    "queue_device_events",
    "host_execution_events",
    "queue_events",
    "memory_events",
];

/// The columns that identify a queue.
const READ: &[&str] = &["physical_device_ordinal", "queue_ordinal", "stream_id"];

/// A queue, defined or only named by events.
pub struct Queue {
    pub device: u64,
    pub ordinal: Option<u64>,
    pub stream: Option<u64>,
    pub is_described: bool,
    /// Where the stream was read, as a sort key: definitions precede events, then the lowest offset counts.
    place: (bool, u64),
}

/// Returns the queues, in the order in which the tables name them.
pub fn queues(call: &Call<'_>) -> Result<Vec<Queue>, BundleError> {
    let tables: Vec<_> = TABLES.iter().filter_map(|name| schemas::find(name)).collect();
    let mut numbers = Groups::<2>::default();
    let mut queues: Vec<Queue> = Vec::new();
    for group in groups(call.bundle, call.threads, &tables, READ)? {
        // Events without a device belong to device 0, as in `iree-profile-render`.
        let (device, ordinal) = (group.key(DEVICE).unwrap_or(0), group.key(QUEUE));
        let is_described = group.table == "queues";
        let place = (!is_described, group.first_byte_offset);
        let stream = group.key(STREAM);
        match queues.get_mut(numbers.number([device, ordinal.unwrap_or(ABSENT)])) {
            None => queues.push(Queue { device, ordinal, stream, is_described, place }),
            Some(known) => {
                known.is_described |= is_described;
                if place < known.place {
                    (known.place, known.stream) = (place, stream);
                }
            }
        }
    }
    Ok(queues)
}

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    Ok(vec![columns().relation(&queues(call)?)])
}

fn columns() -> Columns<Queue> {
    Columns::<Queue>::new()
        .number("physical_device_ordinal", |queue| queue.device)
        .optional_number("queue_ordinal", |queue| queue.ordinal)
        .optional_number("stream_id", |queue| queue.stream)
        .flag("is_described", |queue| queue.is_described)
}
