//! Reads what queue events and the queue's own times say of submissions.

use std::collections::HashMap;

use schemas::place::Places;

use super::clocks::Timelines;
use super::window::SubmissionKey;
use crate::fold::shared::{Block, Row};

/// The tables.
pub(crate) const QUEUE_EVENTS: &str = "queue_events";
pub(crate) const QUEUE_DEVICE_EVENTS: &str = "queue_device_events";

const EVENT: Places<6> = Places::new(
    QUEUE_EVENTS,
    [
        "type",
        "event_id",
        "command_buffer_id",
        "host_time_ns",
        "ready_host_time_ns",
        "submission_id",
    ],
);

const EVENT_QUEUE: Places<3> =
    Places::new(QUEUE_EVENTS, ["physical_device_ordinal", "queue_ordinal", "stream_id"]);

const OPERATION: Places<4> =
    Places::new(QUEUE_DEVICE_EVENTS, ["event_id", "submission_id", "start_tick", "end_tick"]);

const OPERATION_QUEUE: Places<3> =
    Places::new(QUEUE_DEVICE_EVENTS, ["physical_device_ordinal", "queue_ordinal", "stream_id"]);

/// Types of queue events that run code.
const DISPATCH: u64 = 2;
pub const EXECUTE: u64 = 3;

/// Sizes of the records.
pub(crate) const EVENT_LAYOUT: usize = EVENT.layout;
pub(crate) const OPERATION_LAYOUT: usize = OPERATION.layout;

/// A queue event.
pub struct QueueEvent {
    pub event_id: u64,
    pub key: SubmissionKey,
    kind: u64,
    command_buffer: u64,
    submitted_ns: i64,
    /// The last host time that is known of it.
    pub(crate) recorded_ns: i64,
}

impl QueueEvent {
    /// Reads a row of `queue_events`.
    #[inline]
    pub fn of(block: &Block<'_>, row: Row<'_>) -> Self {
        let [kind, event_id, command_buffer, submitted, ready, submission] = row.numbers(&EVENT);
        let [device, queue, stream] = row.numbers(&EVENT_QUEUE);
        let [submitted_ns, ready] = [submitted, ready].map(u64::cast_signed);
        Self {
            event_id,
            key: [block.header.session_id, device, queue, stream, submission],
            kind,
            command_buffer,
            submitted_ns,
            recorded_ns: submitted_ns.max(ready),
        }
    }

    /// Returns the command buffer that it executes.
    pub fn executed(&self) -> Option<u64> {
        Some(self.command_buffer).filter(|id| self.kind == EXECUTE && *id != 0)
    }

    /// Returns when work that runs code was submitted.
    pub fn submitted(&self) -> Option<u64> {
        let runs = matches!(self.kind, DISPATCH | EXECUTE);
        u64::try_from(self.submitted_ns).ok().filter(|ns| runs && *ns > 0)
    }
}

/// Reads a row of `queue_device_events`: its id, its submission, and its start and end.
#[inline]
pub fn operation(block: &Block<'_>, row: Row<'_>) -> (u64, SubmissionKey, [u64; 2]) {
    let [event_id, submission, start, end] = row.numbers(&OPERATION);
    let [device, queue, stream] = row.numbers(&OPERATION_QUEUE);
    (event_id, [block.header.session_id, device, queue, stream, submission], [start, end])
}

/// The first host times of queue events between clock correlations.
#[derive(Debug, Default)]
pub struct Earliest {
    /// By session and device; for each number of correlations before it in the file.
    times: HashMap<[u64; 2], Vec<i64>>,
    /// The last place: chunk, session and device, and the number of correlations before it.
    last: Option<(u32, [u64; 2], usize)>,
}

impl Earliest {
    /// Adds a queue event of the chunk at `record`.
    #[inline]
    pub fn add(&mut self, record: u32, event: &QueueEvent, timelines: &Timelines) {
        let [session, device, ..] = event.key;
        let place = [session, device];
        let before = match self.last {
            Some((known, of, before)) if known == record && of == place => before,
            _ => {
                let Some(timeline) = timelines.of(session, device) else { return };
                timeline.before(record)
            }
        };
        self.last = Some((record, place, before));
        let times = self.times.entry(place).or_default();
        if times.len() <= before {
            times.resize(before + 1, i64::MAX);
        }
        if let Some(time) = times.get_mut(before).filter(|_| event.recorded_ns > 0) {
            *time = event.recorded_ns.min(*time);
        }
    }

    /// Returns the times of a device in a session.
    pub fn of(&self, place: &[u64; 2]) -> &[i64] {
        self.times.get(place).map_or(&[], Vec::as_slice)
    }
}
