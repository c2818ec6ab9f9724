//! The enumerations of the format: numbers and their names (`iree/hal/profile_schema.h`).
//!
//! Names are spelled as `iree-profile` prints them. A number without a name reads `unknown`; the column
//! `<name>_value` keeps the number.

/// An enumeration.
#[derive(Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name of all numbers that are not listed.
    pub unknown: &'static str,
    pub values: &'static [(u32, &'static str)],
}

impl Enum {
    /// Returns the name of `value`.
    pub fn name_of(&self, value: u32) -> &'static str {
        self.values
            .iter()
            .find(|(number, _)| *number == value)
            .map_or(self.unknown, |(_, name)| name)
    }
}

const fn of(values: &'static [(u32, &'static str)]) -> Enum {
    Enum { unknown: "unknown", values }
}

pub(crate) static RECORD_TYPE: Enum =
    of(&[(0, "none"), (1, "session_begin"), (2, "chunk"), (3, "session_end")]);
pub static COMMAND_OPERATION_TYPE: Enum = of(&[
    (0, "none"),
    (1, "barrier"),
    (2, "dispatch"),
    (3, "fill"),
    (4, "copy"),
    (5, "update"),
    (6, "profile_marker"),
    (7, "branch"),
    (8, "cond_branch"),
    (9, "return"),
]);
pub static QUEUE_EVENT_TYPE: Enum = of(&[
    (0, "none"),
    (1, "barrier"),
    (2, "dispatch"),
    (3, "execute"),
    (4, "copy"),
    (5, "fill"),
    (6, "update"),
    (7, "read"),
    (8, "write"),
    (9, "alloca"),
    (10, "dealloca"),
    (11, "host_call"),
]);
pub(crate) static QUEUE_DEPENDENCY_STRATEGY: Enum =
    of(&[(0, "none"), (1, "inline"), (2, "device_barrier"), (3, "software_defer")]);
pub static MEMORY_EVENT_TYPE: Enum = of(&[
    (0, "none"),
    (1, "slab_acquire"),
    (2, "slab_release"),
    (3, "pool_reserve"),
    (4, "pool_materialize"),
    (5, "pool_release"),
    (6, "pool_wait"),
    (7, "queue_alloca"),
    (8, "queue_dealloca"),
    (9, "buffer_allocate"),
    (10, "buffer_free"),
    (11, "buffer_import"),
    (12, "buffer_unimport"),
]);
pub static EVENT_RELATIONSHIP_TYPE: Enum = of(&[
    (0, "none"),
    (1, "queue_submission_dispatch"),
    (2, "queue_submission_queue_device_event"),
    (3, "queue_event_host_execution_event"),
    (4, "queue_submission_host_execution_event"),
]);
pub static EVENT_ENDPOINT_TYPE: Enum = of(&[
    (0, "none"),
    (1, "queue_submission"),
    (2, "queue_event"),
    (3, "dispatch_event"),
    (4, "command_operation"),
    (5, "memory_event"),
    (6, "artifact"),
    (7, "queue_device_event"),
    (8, "host_execution_event"),
]);
pub static COUNTER_UNIT: Enum = of(&[(0, "none"), (1, "count"), (2, "cycles"), (3, "bytes")]);
pub static COUNTER_SAMPLE_SCOPE: Enum =
    of(&[(0, "none"), (1, "dispatch"), (2, "command_operation"), (3, "device_time_range")]);
pub(crate) static DEVICE_CLASS: Enum =
    of(&[(0, "none"), (1, "cpu"), (2, "gpu"), (3, "npu"), (0x7fff_ffff, "other")]);
pub static METRIC_UNIT: Enum = of(&[
    (0, "none"),
    (1, "count"),
    (2, "hertz"),
    (3, "bytes"),
    (4, "bytes_per_second"),
    (5, "millipercent"),
    (6, "millidegrees_celsius"),
    (7, "microwatts"),
    (8, "microjoules"),
    (9, "bitfield"),
    (10, "enum"),
]);
pub static METRIC_VALUE_KIND: Enum = of(&[(0, "none"), (1, "i64"), (2, "u64"), (3, "f64")]);
pub static METRIC_SEMANTIC: Enum = of(&[
    (0, "none"),
    (1, "instant"),
    (2, "average"),
    (3, "cumulative"),
    (4, "delta"),
    (5, "state"),
]);
pub static METRIC_PLOT_HINT: Enum = of(&[
    (0, "none"),
    (1, "number"),
    (2, "memory"),
    (3, "percentage"),
    (4, "frequency"),
    (5, "temperature"),
    (6, "power"),
    (7, "energy"),
    (8, "bandwidth"),
]);
pub(crate) static EXECUTABLE_TRACE_FORMAT: Enum = of(&[(0, "none"), (1, "amdgpu_att")]);

/// The canonical status codes, as IREE spells them.
pub static STATUS_CODE: Enum = Enum {
    unknown: "UNKNOWN_STATUS",
    values: &[
        (0, "OK"),
        (1, "CANCELLED"),
        (2, "UNKNOWN"),
        (3, "INVALID_ARGUMENT"),
        (4, "DEADLINE_EXCEEDED"),
        (5, "NOT_FOUND"),
        (6, "ALREADY_EXISTS"),
        (7, "PERMISSION_DENIED"),
        (8, "RESOURCE_EXHAUSTED"),
        (9, "FAILED_PRECONDITION"),
        (10, "ABORTED"),
        (11, "OUT_OF_RANGE"),
        (12, "UNIMPLEMENTED"),
        (13, "INTERNAL"),
        (14, "UNAVAILABLE"),
        (15, "DATA_LOSS"),
        (16, "UNAUTHENTICATED"),
        (17, "DEFERRED"),
        (18, "INCOMPATIBLE"),
    ],
};
