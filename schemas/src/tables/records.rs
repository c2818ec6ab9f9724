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
        derived("record_index", Kind::U64, "Position among the file's records."),
        derived("byte_offset", Kind::U64, "Where the record begins in the (uncompressed) file.").unit(Unit::Bytes),
        Field { name: "record_type", doc: "What the record is.", unit: Unit::None, joins: "", read: Read::Record(100), shape: Shape::Named16(&enums::RECORD_TYPE) },
        derived("content_type", Kind::Text, "Content type: what the payload holds."),
        derived("family", Kind::Text, "Table that the chunk's rows are in; NULL where the content type is unknown or the record is no chunk."),
        derived("name", Kind::Text, "Name that the producer gave the record."),
        u64("session_id", 16, "Session of the record.").joins("sessions.session_id"),
        u64("stream_id", 24, "Stream of the chunk's queue."),
        u64("event_id", 32, "Event that the record is about; 0 for none."),
        id("executable_id", 40, "Executable that the record is about."),
        id("command_buffer_id", 48, "Command buffer that the record is about."),
        device(68),
        queue(72),
        bytes("record_length", 0, "Size of the whole record."),
        bytes("payload_length", 8, "Size of the payload."),
        Field { name: "chunk_flags", doc: "Flag word of the chunk; the named bits follow as booleans.", unit: Unit::None, joins: "", read: Read::Record(80), shape: Shape::Bits(&bits::CHUNK, Kind::U64) },
        u64("dropped_record_count", 88, "Typed records that the producer dropped."),
        u32("session_status_code", 96, "Status that the session ended with."),
        Field::one("session_status", Read::Record(96), Kind::Name(&enums::STATUS_CODE), "Name of `session_status_code`."),
    ],
};
