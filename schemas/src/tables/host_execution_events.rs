//! Work that a CPU device executed, as host spans.

use crate::fields::{allocation, bytes, command_buffer, command_index, device, executable, flags, function, named, ns, ordinal, queue, stream, submission, u32, u64, xyz};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table};

/// The declaration of the table `host_execution_events`.
pub static TABLE: Table = Table::family(
    "host_execution_events",
    Family::fixed(&["host-execution-events"], 152),
    "One span of host time in which a CPU device executed queue work.",
    &[
        named("type", 4, &enums::QUEUE_EVENT_TYPE, "Type of the executed work; `dispatch` spans are kernels."),
        flags(8, bits::HOST_EXECUTION_EVENT),
        ordinal("status_code", 12, "Status code of the work."),
        Field::one("status", Read::Record(12), Kind::Name(&enums::STATUS_CODE), "Name of `status_code`."),
        u64("event_id", 16, "Unique among host execution events."),
        submission(24),
        command_buffer(32),
        executable(40),
        allocation(48),
        stream(56),
        device(64),
        queue(68),
        command_index(72),
        function(76),
        xyz("workgroup_count", 80, "Number of workgroups of the dispatch."),
        xyz("workgroup_size", 92, "Size of a workgroup."),
        ns("start_host_time_ns", 104, "Host time at the start; negative makes the span invalid."),
        ns("end_host_time_ns", 112, "Host time at the end; a time before the start makes the span invalid."),
        bytes("payload_length", 120, "Number of bytes transferred."),
        u64("tile_count", 128, "Number of tiles (workgroups) that ran."),
        ns("tile_duration_sum_ns", 136, "Sum of tile durations; exceeds the duration of the span if tiles ran concurrently."),
        u32("operation_count", 144, "Number of operations of the span."),
    ],
);
