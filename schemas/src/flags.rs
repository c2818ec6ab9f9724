//! The flag words of the format, with the names and meanings of their bits.

/// One named bit of a flag word.
#[derive(Debug)]
pub struct Bit {
    pub bit: u32,
    pub name: &'static str,
    pub doc: &'static str,
}

const fn bit(bit: u32, name: &'static str, doc: &'static str) -> Bit {
    Bit { bit, name, doc }
}

const CODE_OBJECT_HASH: Bit = bit(0, "code_object_hash", "`code_object_hash` is present.");
const FROM_COMMAND_BUFFER: Bit =
    bit(0, "command_buffer", "The work was replayed from a command buffer.");
const INDIRECT: Bit = bit(1, "indirect_parameters", "The workgroup count came from device memory.");

pub const CHUNK: &[Bit] = &[bit(
    0,
    "truncated",
    "The producer dropped data; `dropped_record_count` says how many records.",
)];
pub const DEVICE: &[Bit] = &[bit(0, "physical_device_uuid", "`physical_device_uuid` is present.")];
pub const EXECUTABLE: &[Bit] = &[CODE_OBJECT_HASH];
pub(crate) const EXECUTABLE_CODE_OBJECT: &[Bit] = &[CODE_OBJECT_HASH];
pub(crate) const EXECUTABLE_FUNCTION: &[Bit] =
    &[bit(0, "function_hash", "`function_hash` is present.")];
pub(crate) const COMMAND_OPERATION: &[Bit] = &[
    bit(0, "execution_barrier", "The operation waits for the ones before it."),
    bit(1, "indirect_parameters", "The parameters come from device memory."),
    bit(2, "dynamic_bindings", "Some bindings are resolved when the buffer is submitted."),
    bit(3, "static_bindings", "Some bindings are fixed when the buffer is recorded."),
    bit(4, "prepublished_arguments", "The arguments were written when the buffer was recorded."),
    bit(5, "control_flow", "The operation changes control flow."),
    bit(6, "block_structure", "The operation belongs to the block structure."),
];
pub(crate) const CLOCK_CORRELATION: &[Bit] = &[
    bit(0, "device_tick", "`device_tick` is valid."),
    bit(1, "host_cpu_timestamp", "`host_cpu_timestamp_ns` is valid."),
    bit(2, "host_system_timestamp", "`host_system_timestamp` is valid."),
    bit(3, "host_time_bracket", "`host_time_begin_ns` and `host_time_end_ns` are valid."),
    bit(
        4,
        "device_tick_unaligned",
        "The tick is from another clock than that of the device's events.",
    ),
];
pub(crate) const DISPATCH_EVENT: &[Bit] = &[FROM_COMMAND_BUFFER, INDIRECT];
pub(crate) const QUEUE_EVENT: &[Bit] = &[bit(
    0,
    "software_deferred",
    "Software deferred the operation until its waits were satisfied.",
)];
pub(crate) const HOST_EXECUTION_EVENT: &[Bit] =
    &[FROM_COMMAND_BUFFER, INDIRECT, bit(2, "deferred", "The work ran later than it was issued.")];
pub(crate) const COMMAND_REGION_EVENT: &[Bit] = &[
    FROM_COMMAND_BUFFER,
    bit(1, "block_transition", "The region ended with a move to another block."),
    bit(2, "terminal", "The region is the last of its command buffer."),
    bit(3, "has_next_region", "The `next_command_region_*` columns are valid."),
];
pub(crate) const MEMORY_EVENT: &[Bit] = &[
    bit(0, "queue_operation", "A queue operation caused the event."),
    bit(1, "wait_frontier", "The event waited on a frontier."),
    bit(2, "wait_notification", "The event waited on a notification."),
    bit(3, "pool_reservation", "The event concerns a pool reservation."),
    bit(4, "pool_stats", "The `pool_*` statistics are valid."),
    bit(5, "externally_owned", "The memory belongs to an owner outside the runtime."),
];
pub const COUNTER: &[Bit] = &[bit(0, "raw", "A value from the hardware, not a derived one.")];
pub(crate) const COUNTER_SAMPLE: &[Bit] = &[
    bit(0, "dispatch_event", "`dispatch_event_id` is valid."),
    bit(1, "command_operation", "`command_buffer_id` and `command_index` are valid."),
    bit(2, "device_tick_range", "`start_tick` and `end_tick` are valid."),
];
pub(crate) const DEVICE_METRIC_SAMPLE: &[Bit] = &[
    bit(0, "source_timestamp", "`source_timestamp` is valid."),
    bit(1, "partial", "Some of the source's metrics could not be read."),
];
pub(crate) const EXECUTABLE_TRACE: &[Bit] = &[
    bit(0, "dispatch_event", "`dispatch_event_id` is valid."),
    bit(1, "command_operation", "`command_buffer_id` and `command_index` are valid."),
];
