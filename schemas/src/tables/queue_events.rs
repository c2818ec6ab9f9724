//! Host-side queue operations.

use crate::fields::{allocation, bytes, command_buffer, device, flags, named, ns, queue, stream, submission, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table, Unit};

/// The declaration of the table `queue_events`.
pub static TABLE: Table = Table::family(
    "queue_events",
    Family::fixed(&["queue-events"], 104),
    "One operation that the host enqueued.",
    &[
        named("type", 4, &enums::QUEUE_EVENT_TYPE, "Type of the operation."),
        flags(8, bits::QUEUE_EVENT),
        named("dependency_strategy", 12, &enums::QUEUE_DEPENDENCY_STRATEGY, "How the operation waits for its dependencies."),
        u64("event_id", 16, "Unique among queue events."),
        ns("host_time_ns", 24, "Host time at which the operation was submitted."),
        submission(32),
        command_buffer(40),
        allocation(48),
        stream(56),
        device(64),
        queue(68),
        u32("wait_count", 72, "Number of semaphores that the operation waits for."),
        u32("signal_count", 76, "Number of semaphores that the operation signals."),
        u32("barrier_count", 80, "Number of barriers inserted for the operation."),
        u32("operation_count", 84, "Number of operations encoded in the submission."),
        bytes("payload_length", 88, "Number of bytes transferred or allocated."),
        Field::one("ready_host_time_ns", Read::Record(96), Kind::I64OrZero, "Host time at which the waits were satisfied; NULL if not recorded.").unit(Unit::Ns),
    ],
);
