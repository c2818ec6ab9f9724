//! Short constructors for the fields of table declarations. `at` is always an offset in the record.

use crate::enums::Enum;
use crate::flags::Bit;
use crate::spec::{Field, Kind, Read, Shape, Unit};

/// Declares a u32.
pub const fn u32(name: &'static str, at: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::U32, doc)
}

/// Declares an i32.
pub const fn i32(name: &'static str, at: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::I32, doc)
}

/// Declares a u64.
pub const fn u64(name: &'static str, at: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::U64, doc)
}

/// Declares an i64.
pub const fn i64(name: &'static str, at: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::I64, doc)
}

/// Declares a u64 for which 0 means absent.
pub const fn id(name: &'static str, at: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::U64OrZero, doc)
}

/// Declares a u32 for which all ones means absent.
pub const fn ordinal(name: &'static str, at: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::U32OrOnes, doc)
}

/// Declares an enumeration: the name of the value, and its number as `<name>_value`.
pub const fn named(
    name: &'static str,
    at: usize,
    names: &'static Enum,
    doc: &'static str,
) -> Field {
    Field::new(name, Read::Record(at), Shape::Named(names), doc)
}

/// Declares the flag word of a record: its number, and a boolean for each named bit.
pub const fn flags(at: usize, bits: &'static [Bit]) -> Field {
    let doc = "Flag word; the named bits follow as boolean columns.";
    Field::new("flags", Read::Record(at), Shape::Bits(bits, Kind::U32), doc)
}

/// Declares three consecutive u32 with the suffixes `_x`, `_y` and `_z`.
pub const fn xyz(name: &'static str, at: usize, doc: &'static str) -> Field {
    each(name, at, &["x", "y", "z"], doc)
}

/// Declares consecutive u32, one column for each suffix.
pub const fn each(
    name: &'static str,
    at: usize,
    suffixes: &'static [&'static str],
    doc: &'static str,
) -> Field {
    Field::new(name, Read::Record(at), Shape::Each(suffixes), doc)
}

/// Declares the n-th trailing string.
pub const fn text(name: &'static str, nth: usize, doc: &'static str) -> Field {
    Field::one(name, Read::Text(nth), Kind::Text, doc)
}

/// Declares a 128-bit content hash, which is present if bit `bit` of the flag word at offset 4 is set.
pub const fn hash(name: &'static str, at: usize, bit: u32, doc: &'static str) -> Field {
    Field::one(name, Read::Record(at), Kind::Hash { flags: 4, bit }, doc)
}

/// Declares a value that the code of the table's source computes.
pub const fn derived(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field::one(name, Read::Derived, kind, doc)
}

/// Declares the physical device.
pub const fn device(at: usize) -> Field {
    ordinal(
        "physical_device_ordinal",
        at,
        "Ordinal of the physical device within the session's device.",
    )
    .joins("devices.physical_device_ordinal")
}

/// Declares the queue of the physical device.
pub const fn queue(at: usize) -> Field {
    ordinal("queue_ordinal", at, "Ordinal of the queue within the physical device.")
        .joins("queues.queue_ordinal")
}

/// Declares the stream of the queue.
pub const fn stream(at: usize) -> Field {
    u64("stream_id", at, "Stream of the queue; submissions are numbered within it.")
        .joins("queues.stream_id")
}

/// Declares the submission on the queue's stream.
pub const fn submission(at: usize) -> Field {
    id("submission_id", at, "Id of the submission within the queue's stream.")
        .joins("queue_events.submission_id")
}

/// Declares the command buffer that was replayed.
pub const fn command_buffer(at: usize) -> Field {
    id("command_buffer_id", at, "Command buffer of the work.")
        .joins("command_buffers.command_buffer_id")
}

/// Declares the operation within the command buffer.
pub const fn command_index(at: usize) -> Field {
    ordinal("command_index", at, "Index of the operation within the command buffer.")
        .joins("command_operations.command_index")
}

/// Declares the executable.
pub const fn executable(at: usize) -> Field {
    id("executable_id", at, "Executable within the session.").joins("executables.executable_id")
}

/// Declares the function within the executable.
pub const fn function(at: usize) -> Field {
    ordinal("function_ordinal", at, "Ordinal of the function within the executable.")
        .joins("executable_functions.function_ordinal")
}

/// Declares the allocation that an event is about.
pub const fn allocation(at: usize) -> Field {
    id("allocation_id", at, "Allocation of the event.").joins("memory_events.allocation_id")
}

/// Declares a timestamp of a device clock, in ticks.
pub const fn tick(name: &'static str, at: usize, doc: &'static str) -> Field {
    u64(name, at, doc).unit(Unit::Ticks)
}

/// Declares a host timestamp or duration in nanoseconds.
pub const fn ns(name: &'static str, at: usize, doc: &'static str) -> Field {
    i64(name, at, doc).unit(Unit::Ns)
}

/// Declares a size in bytes.
pub const fn bytes(name: &'static str, at: usize, doc: &'static str) -> Field {
    u64(name, at, doc).unit(Unit::Bytes)
}

/// The first columns of the tables of decoded traces: which trace a row belongs to.
pub(crate) mod of_trace {
    use super::derived;
    use crate::spec::{Field, Kind, Unit};

    pub const BUNDLE: Field =
        derived("bundle", Kind::Text, "Label of the file.").joins("bundles.bundle");
    pub const SESSION: Field = derived("session_id", Kind::U64, "Session that recorded the trace.")
        .joins("sessions.session_id");
    pub const TRACE: Field = derived("trace_id", Kind::U64, "Id of the trace within the session.")
        .joins("executable_traces.trace_id");
    pub const OFFSET: Field =
        derived("byte_offset", Kind::U64, "Byte offset of the record of the trace in the file.")
            .joins("executable_traces.byte_offset")
            .unit(Unit::Bytes);
}
