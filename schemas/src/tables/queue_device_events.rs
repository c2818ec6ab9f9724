//! Queue operations timed by the device.

use crate::fields::{allocation, bytes, command_buffer, device, flags, named, queue, stream, submission, tick, u32, u64};
use crate::enums;
use crate::spec::{Family, Table};

/// The declaration of the table `queue_device_events`.
pub static TABLE: Table = Table::family(
    "queue_device_events",
    Family::fixed(&["queue-device-events"], 96),
    "One queue operation that the device timed, with raw device ticks.",
    &[
        named("type", 4, &enums::QUEUE_EVENT_TYPE, "Type of the operation."),
        flags(8, &[]),
        u64("event_id", 16, "Unique among queue device events."),
        submission(24),
        command_buffer(32),
        allocation(40),
        stream(48),
        bytes("payload_length", 56, "Number of bytes transferred."),
        device(64),
        queue(68),
        u32("operation_count", 72, "Number of operations of the span."),
        tick("start_tick", 80, "Device tick at the start; 0 makes the event invalid."),
        tick("end_tick", 88, "Device tick at the end; 0, or before the start, makes the event invalid."),
    ],
);
