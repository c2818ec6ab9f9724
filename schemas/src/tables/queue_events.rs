//! Host-side queue operations.

use crate::fields::{allocation, bytes, command_buffer, device, flags, named, ns, queue, stream, submission, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table, Unit};

/// The declaration of the table `queue_events`.
pub static TABLE: Table = Table::family(
    "queue_events",
    Family::fixed(&["queue-events"], 104),
    "One operation that the host put on a queue.",
    &[
        named("type", 4, &enums::QUEUE_EVENT_TYPE, "What the queue was asked to do."),
        flags(8, &bits::QUEUE_EVENT),
        named("dependency_strategy", 12, &enums::QUEUE_DEPENDENCY_STRATEGY, "How the operation waits for others."),
        u64("event_id", 16, "Unique among queue events."),
        ns("host_time_ns", 24, "Host time at which the operation was submitted."),
        submission(32),
        command_buffer(40),
        allocation(48),
        stream(56),
        device(64),
        queue(68),
        u32("wait_count", 72, "Semaphores that the operation waits for."),
        u32("signal_count", 76, "Semaphores that the operation signals."),
        u32("barrier_count", 80, "Barriers inserted for it."),
        u32("operation_count", 84, "Operations encoded in the submission."),
        bytes("payload_length", 88, "Bytes that a transfer moves or an allocation asks for."),
        Field::one("ready_host_time_ns", Read::Record(96), Kind::I64OrZero, "Host time at which the waits were satisfied; NULL where it was not recorded.").unit(Unit::Ns),
    ],
);
