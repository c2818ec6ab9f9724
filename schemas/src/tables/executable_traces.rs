//! Raw instruction traces.

use crate::fields::{bytes, command_buffer, command_index, device, executable, flags, function, id, named, ordinal, queue, stream, submission, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Table, Tail, Unit};

/// The declaration of the table `executable_traces`.
pub static TABLE: Table = Table::family(
    "executable_traces",
    Family::fixed(&["executable-traces"], 88).with(Tail::Following(80)),
    "One raw trace of an executable's execution.",
    &[
        named("format", 4, &enums::EXECUTABLE_TRACE_FORMAT, "Format of the data."),
        flags(8, bits::EXECUTABLE_TRACE),
        ordinal("shader_engine", 12, "Shader engine that was traced."),
        u64("trace_id", 16, "Id of the trace within the session."),
        id("dispatch_event_id", 24, "Dispatch that was traced.").joins("dispatch_events.event_id"),
        submission(32),
        command_buffer(40),
        executable(48),
        stream(56),
        command_index(64),
        function(68),
        device(72),
        queue(76),
        bytes("data_length", 80, "Size of the trace."),
        Field::one("data", Read::Data, Kind::Binary, "The raw trace.").unit(Unit::Bytes),
    ],
);
