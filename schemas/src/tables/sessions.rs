//! Profiling sessions.

use crate::fields::{derived};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `sessions`.
pub static TABLE: Table = Table {
    name: "sessions",
    row: "One profiling session of a file.",
    source: Source::Directory,
    repeated: &[],
    fields: &[
        derived("session_id", Kind::U64, "Session; every other id is local to it."),
        derived("name", Kind::Text, "Name that the producer gave it: the device's."),
        derived("ended", Kind::Bool, "The session has an end record."),
        derived("status_code", Kind::U32, "Status that it ended with; NULL while it has no end record."),
        derived("status", Kind::Text, "Name of `status_code`."),
        derived("chunk_count", Kind::U64, "Chunks."),
        derived("truncated_chunk_count", Kind::U64, "Chunks that the producer marked as truncated."),
        derived("dropped_record_count", Kind::U64, "Typed records that the producer dropped."),
        derived("begin_record_index", Kind::U64, "Record that began the session; NULL where there is none.").joins("records.record_index"),
        derived("end_record_index", Kind::U64, "Record that ended the session; NULL where there is none.").joins("records.record_index"),
    ],
};
