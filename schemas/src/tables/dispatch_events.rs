//! Dispatches that a device executed and timed.

use crate::fields::{command_buffer, command_index, executable, flags, function, submission, tick, u64, xyz};
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table};

/// The declaration of the table `dispatch_events`.
pub static TABLE: Table = Table::family(
    "dispatch_events",
    Family::fixed(&["dispatch-events"], 88),
    "One dispatch that a device executed, with raw device ticks.",
    &[
        Field::one("physical_device_ordinal", Read::Chunk(68), Kind::U32OrOnes, "Ordinal of the physical device, from the chunk header.").joins("devices.physical_device_ordinal"),
        Field::one("queue_ordinal", Read::Chunk(72), Kind::U32OrOnes, "Ordinal of the queue within the physical device, from the chunk header.").joins("queues.queue_ordinal"),
        Field::one("stream_id", Read::Chunk(24), Kind::U64, "Stream of the queue, from the chunk header.").joins("queues.stream_id"),
        flags(4, bits::DISPATCH_EVENT),
        u64("event_id", 8, "Unique among dispatch events."),
        submission(16),
        command_buffer(24),
        executable(32),
        command_index(40),
        function(44),
        xyz("workgroup_count", 48, "Number of workgroups of the dispatch."),
        xyz("workgroup_size", 60, "Size of a workgroup."),
        tick("start_tick", 72, "Device tick at the start; 0 makes the event invalid."),
        tick("end_tick", 80, "Device tick at the end; 0, or before the start, makes the event invalid."),
    ],
);
