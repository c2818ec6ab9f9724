//! The file records themselves.

use crate::fields::{bytes, derived, device, id, queue, u32, u64};
use crate::enums;
use crate::flags as bits;
use crate::spec::{Shape, Field, Kind, Read, Source, Table, Unit};

/// The declaration of the table `records`.
pub static TABLE: Table = Table {
    name: "records",
    row: "One record of the file: the begin or end of a session, or a chunk.",
    source: Source::Records,
    repeated: &[],
    fields: &[
        derived("record_index", Kind::U64, "Index among the file records."),
        derived("byte_offset", Kind::U64, "Byte offset of the record in the (uncompressed) file.").unit(Unit::Bytes),
        Field::new("record_type", Read::Record(100), Shape::Named16(&enums::RECORD_TYPE), "Type of the record."),
        derived("content_type", Kind::Text, "Content type of the payload."),
        derived("family", Kind::Text, "Table with the rows of the chunk; NULL if the content type is unknown or the record is not a chunk."),
        derived("name", Kind::Text, "Name that the producer gave the record."),
        u64("session_id", 16, "Session of the record.").joins("sessions.session_id"),
        u64("stream_id", 24, "Stream of the chunk's queue."),
        u64("event_id", 32, "Event of the record; 0 for none."),
        id("executable_id", 40, "Executable of the record."),
        id("command_buffer_id", 48, "Command buffer of the record."),
        device(68),
        queue(72),
        bytes("record_length", 0, "Size of the record including its header."),
        bytes("payload_length", 8, "Size of the payload."),
        Field::new("chunk_flags", Read::Record(80), Shape::Bits(bits::CHUNK, Kind::U64), "Flag word of the chunk; the named bits follow as booleans."),
        u64("dropped_record_count", 88, "Number of typed records that the producer dropped."),
        u32("session_status_code", 96, "Final status code of the session."),
        Field::one("session_status", Read::Record(96), Kind::Name(&enums::STATUS_CODE), "Name of `session_status_code`."),
    ],
};
